// `winnow why`: asks a Winnow that runs for the decisions that it has kept.
#include <iostream>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/winnow_server.h"
#include "extender/explain/decisions_json.h"

namespace winnow {
namespace {

int why_fails(const std::string& line) {
  stderr_line("winnow why: " + line);
  return kBadInput;
}

std::string decisions_path(const WhyFlags& flags) {
  return Query("/decisions").add("pod", flags.pod).add("limit", std::to_string(flags.limit)).path();
}

std::string named_pod(const std::string& pod) {
  const std::size_t slash = pod.find('/');
  std::string body = R"({"Namespace":)";
  append_quoted(body, slash == std::string::npos ? "default" : pod.substr(0, slash));
  append_quoted(body += R"(,"Name":)", slash == std::string::npos ? pod : pod.substr(slash + 1));
  return body + "}";
}

/// The places that keep the pod out now. None where it does not wait any more, or may not be asked about.
void print_held_places(WinnowServer& server, const std::string& pod) {
  auto body = server.post_good("/explain?limit=1", named_pod(pod));
  if (!body) return;
  const auto document = load_document(std::move(*body));
  if (!document || !document->root().IsObject()) return;
  std::string error;
  std::vector<std::string> held;
  const Reader root(document->root(), nullptr, error);
  if (!root.within("page", [&](const Reader& page) { return page.read("held", held); })) return;
  for (const std::string& place : held) std::cout << "held now: " << printable(place) << '\n';
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
    print_held_places(*server, flags.pod);
  }
  std::cout.flush();
  if (!std::cout) return why_fails("standard output cannot be written");
  if (!decisions->empty()) return kDone;
  why_fails("no decision about pod " + flags.pod + " is kept there");
  return kAnswerIsNo;
}

}  // namespace winnow
