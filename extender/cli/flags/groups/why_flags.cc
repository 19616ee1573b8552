#include "extender/cli/flags/groups/why_flags.h"

#include "extender/cli/flags/groups/flag_kinds.h"
#include "extender/decisions/decisions_query.h"

namespace winnow {

void add_why(CLI::App& app, WhyFlags& flags) {
  CLI::App* why = app.add_subcommand("why", "Say what a Winnow that runs has decided about a pod");
  why->add_option("POD", flags.pod, "NAMESPACE/NAME of the pod")->type_name("")->required();
  add_server(why, flags.server, "The Winnow that runs, as https://HOST:PORT or http://");
  why->add_option("--limit", flags.limit,
                  with_default("The decisions that are shown, the newest ones", flags.limit))
      ->type_name("N")
      ->check(CLI::Range(1, static_cast<int>(DecisionsQuery::kMostLimit)).description(""));
  why->add_option("-o,--output", "text or json: as GET /decisions answers it [text]")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->each([&flags](const std::string& word) { flags.json = word == "json"; });
  why->footer(
      "Exit code: 0 there are decisions, 1 none is kept, 2 bad input or no answer.\n"
      "Example: winnow why default/web-1 --server http://127.0.0.1:10290");
}

}  // namespace winnow
