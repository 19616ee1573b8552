// `winnow why`: asks a Winnow that runs for the decisions that it has kept.
#include <iostream>

#include "cluster/text/encoding/query.h"
#include "cluster/text/printable.h"
#include "extender/cli/commands.h"
#include "extender/cli/winnow_server.h"
#include "extender/decisions/read_decisions.h"

namespace winnow {
namespace {

int why_fails(const std::string& line) {
  std::cerr << "winnow why: " << printable(line) << '\n';  // Servers have their words in it.
  return kBadInput;
}

std::string decisions_path(const WhyFlags& flags) {
  return Query("/decisions").add("pod", flags.pod).add("limit", std::to_string(flags.limit)).path();
}

}  // namespace

int say_why(const WhyFlags& flags) {
  if (flags.server.url.empty()) return why_fails("no Winnow to ask: expected --server http://HOST:PORT");
  if (const std::string wrong = wrong_server(flags.server); !wrong.empty()) return why_fails(wrong);
  auto server = WinnowServer::make(flags.server);
  if (!server) return why_fails(server.error());
  const auto body = server->get_good(decisions_path(flags));
  if (!body) return why_fails(body.error());
  const auto decisions = read_decisions(*body);
  if (!decisions)
    return why_fails(flags.server.url +
                     ": GET /decisions is not answered as Winnow does: " + decisions.error());
  if (flags.json) {
    std::cout << *body;
  } else {
    for (const ToldDecision& decision : *decisions) std::cout << line_of(decision) << '\n';
  }
  std::cout.flush();
  if (!std::cout) return why_fails("standard output cannot be written");
  if (!decisions->empty()) return kDone;
  why_fails("no decision about pod " + flags.pod + " is kept there");
  return kAnswerIsNo;
}

}  // namespace winnow
