#include "extender/cli/flags/groups/replay_flags.h"

#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {

void add_replay(CLI::App& app, ReplayFlags& flags) {
  CLI::App* replay = app.add_subcommand("replay", "Answer the calls of a recording again, and compare");
  replay->add_option("RECORDING", flags.recording, "The directory of serve --record, or a file of it")
      ->type_name("")
      ->required();
  replay
      ->add_option("--anonymize", flags.anonymize,
                   "Write it to a new directory without names, and\nwith the answers that follow")
      ->type_name("DIR");
  replay->add_option("-o,--output", "text or json: one object [text]")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->each([&flags](const std::string& word) { flags.json = word == "json"; });
  replay->footer(
      "Exit code: 0 every answer is the same, 1 one differs, 2 bad input, 130 stopped by Ctrl-C.\n"
      "Example: winnow replay recording/");
}

}  // namespace winnow
