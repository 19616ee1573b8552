#include "extender/cli/completion.h"

#include <doctest/doctest.h>

#include "extender/cli/flags/flag_table.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/cli/kubectl/kubectl_winnow.h"
#include "tests/cluster/client/access/environment.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/cli/flags/parse.h"

namespace winnow::test {

TEST_CASE("each flag of each command is offered") {
  const std::vector<CommandShape> commands = winnow_commands();
  CHECK(commands.size() == 12);
  const std::string all = complete_winnow({""});
  for (const CommandShape& command : commands) {
    CAPTURE(command.name);
    CHECK(('\n' + all).contains('\n' + command.name + '\n'));
    const std::string flags = '\n' + complete_winnow({command.name, "-"});
    for (const FlagShape& flag : command.flags)
      for (const std::string& name : flag.names) CHECK_MESSAGE(flags.contains('\n' + name + '\n'), name);
    // What its help shows is among them, page or not.
    std::string help;
    parse_words({command.name, "--help"}, help);
    for (std::size_t at = 0; (at = help.find("\n  -", at)) != std::string::npos; ++at) {
      const std::string name = help.substr(at + 3, help.find_first_of(" ,\n", at + 3) - at - 3);
      CHECK_MESSAGE(flags.contains('\n' + name + '\n'), name);
    }
  }
}

TEST_CASE("what may stand at the cursor") {
  const live::test::TempFolder folder;
  const std::string config =
      folder.write("config", R"({"contexts":[{"name":"prod","context":{}},{"name":"test","context":{}}]})");
  const live::test::Variable list("KUBECONFIG", config.c_str());
  struct Row {
    const char* sentence;
    std::vector<std::string> words;
    const char* offered;
  };
  const Row rows[] = {
      {"a command", {"wi"}, "withdraw\n:4\n"},
      {"words of a choice", {"explain", "-o", ""}, "table\nwide\njson\n:4\n"},
      {"with an equals sign", {"explain", "--output=j"}, "--output=json\n:4\n"},
      {"with bash's equals sign", {"explain", "--output", "=", "j"}, "json\n:4\n"},
      {"with nothing behind it", {"explain", "--output", "="}, "table\nwide\njson\n:4\n"},
      {"names of files", {"simulate", "--cluster", "c"}, ":0\n"},
      {"a folder", {"replay", "--anonymize", ""}, ":0\n"},
      {"files beside flags", {"check", ""}, ":0\n"},
      {"no files where pods stand", {"explain", ""}, ":4\n"},
      {"contexts", {"simulate", "--context", "p"}, "prod\n:4\n"},
      {"a flag", {"serve", "--nominate-g"}, "--nominate-gate\n--nominate-gate-when-infeasible\n:4\n"},
      {"shells", {"completion", ""}, "bash\nfish\nzsh\n:4\n"},
      {"no words yet", {}, nullptr},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const std::string offered = complete_winnow(row.words);
    if (row.offered != nullptr)
      CHECK(offered == row.offered);
    else
      CHECK(offered.starts_with("serve\nexplain\n"));
  }
}

TEST_CASE("a script is for its program, and for a shell that there is one of") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    CAPTURE(shell);
    const std::string own = completion_script(shell, "winnow");
    CHECK(own.contains("winnow __complete"));
    CHECK_FALSE(own.contains("PROGRAM"));
    CHECK_FALSE(own.contains("NAME"));
    const std::string plugin = completion_script(shell, "kubectl-winnow");
    CHECK(plugin.contains("kubectl-winnow __complete"));
    CHECK(plugin.contains("_kubectl_winnow"));
  }
  CHECK(completion_script("tcsh", "winnow").empty());
}

TEST_CASE("of the plugin, too, each flag of each command is offered") {
  for (const char* command :
       {"explain", "why", "nodes", "pending", "simulate", "compare", "withdraw", "completion"})
    for (const std::string& flag : kubectl_flag_names(command))
      CHECK_MESSAGE(('\n' + complete({command, "-"})).contains('\n' + flag + '\n'), flag);
}

}  // namespace winnow::test
