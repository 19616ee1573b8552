#include "extender/cli/flags/kubectl_flags.h"

#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

namespace winnow::test {
namespace {

/// The flags of `kubectl winnow WORDS…`, or the exit code; what is printed goes to `printed`.
std::variant<KubectlFlags, int> parse_kubectl(std::vector<std::string> words, std::string& printed) {
  words.insert(words.begin(), "kubectl-winnow");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  std::ostringstream text;
  std::streambuf* const out = std::cout.rdbuf(text.rdbuf());
  std::streambuf* const err = std::cerr.rdbuf(text.rdbuf());
  auto parsed = parse_kubectl_flags(static_cast<int>(argv.size()), argv.data());
  std::cout.rdbuf(out);
  std::cerr.rdbuf(err);
  printed = text.str();
  return parsed;
}

}  // namespace

TEST_SUITE("kubectl flags") {
  TEST_CASE("the plugin is known by the name of its file") {
    CHECK(is_kubectl_plugin("/usr/bin/kubectl-winnow"));
    CHECK(is_kubectl_plugin("kubectl-winnow"));
    CHECK_FALSE(is_kubectl_plugin("/usr/bin/winnow"));
    CHECK_FALSE(is_kubectl_plugin("kubectl-winnow/winnow"));
  }

  TEST_CASE("explain, with everything said") {
    std::string printed;
    const auto parsed = parse_kubectl(
        {"explain", "--nodes",      "a,b",     "pod/web", "db",   "-n",       "shop",  "--context",
         "prod",    "--kubeconfig", "k",       "-o",      "json", "--winnow", "ops/w", "--config",
         "c",       "--all-nodes",  "--width", "0"},
        printed);
    REQUIRE(std::holds_alternative<KubectlFlags>(parsed));
    const auto& flags = std::get<KubectlFlags>(parsed);
    CHECK(flags.command == KubectlCommand::kExplain);
    CHECK(flags.pods == std::vector<std::string>{"pod/web", "db"});
    CHECK(flags.nodes.values == std::vector<std::string>{"a,b"});
    CHECK(flags.pod_namespace == "shop");
    CHECK(flags.client.context == "prod");
    CHECK(flags.client.kubeconfig == "k");
    CHECK(flags.client.as_kubectl);
    CHECK(flags.client.plugins != nullptr);
    CHECK(flags.output == OutputForm::kJson);
    CHECK(flags.winnow == "ops/w");
    CHECK(flags.config == "c");
    CHECK(flags.all_nodes);
    CHECK(flags.width == 0);
  }

  TEST_CASE("the commands and what they take") {
    struct Row {
      const char* sentence;
      std::vector<std::string> words;
      KubectlCommand command;
      OutputForm output;
    };
    const Row rows[] = {
        {"why has one pod", {"why", "web"}, KubectlCommand::kWhy, OutputForm::kTable},
        {"nodes has none", {"nodes", "-o", "wide"}, KubectlCommand::kNodes, OutputForm::kWide},
        {"nodes has one", {"nodes", "web", "-o=name"}, KubectlCommand::kNodes, OutputForm::kName},
        {"nodes of all namespaces", {"nodes", "-A"}, KubectlCommand::kNodes, OutputForm::kTable},
        {"pending has no pod", {"pending", "-A", "-o", "json"}, KubectlCommand::kPending, OutputForm::kJson},
        {"simulate is winnow's",
         {"-n", "x", "simulate", "--drain", "a"},
         KubectlCommand::kSimulate,
         OutputForm::kTable},
        {"eval is winnow's", {"eval", "node.pods"}, KubectlCommand::kEval, OutputForm::kTable},
        {"compare is winnow's",
         {"compare", "--with", "b.yaml"},
         KubectlCommand::kCompare,
         OutputForm::kTable},
        {"withdraw has no pod",
         {"withdraw", "--dry-run", "-o", "json"},
         KubectlCommand::kWithdraw,
         OutputForm::kJson},
        {"completion has a shell", {"completion", "zsh"}, KubectlCommand::kCompletion, OutputForm::kTable},
        {"kubectl completes by this",
         {"__complete", "why", "-"},
         KubectlCommand::kComplete,
         OutputForm::kTable},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      std::string printed;
      const auto parsed = parse_kubectl(row.words, printed);
      CAPTURE(printed);
      REQUIRE(std::holds_alternative<KubectlFlags>(parsed));
      CHECK(std::get<KubectlFlags>(parsed).command == row.command);
      CHECK(std::get<KubectlFlags>(parsed).output == row.output);
    }
  }

  TEST_CASE("what is refused is told in one line, and the exit code is 2") {
    struct Row {
      const char* sentence;
      std::vector<std::string> words;
      const char* said;
    };
    const Row rows[] = {
        {"a command that is misspelt", {"wy"}, "unknown command \"wy\" (did you mean \"why\"?)"},
        {"a flag that is misspelt", {"pending", "--namspace=x"}, "(did you mean \"--namespace\"?)"},
        {"a command is missing", {"-n", "why"}, "expected a command"},
        {"a flag that is misspelt before the command", {"--namspace=x", "why", "a"}, "\"--namespace\"?"},
        {"a name of three parts", {"why", "shop/a/\nb"}, "expected NAME, NAMESPACE/NAME or pod/NAME"},
        {"a pod is missing", {"why"}, "POD"},
        {"one pod too many", {"nodes", "a", "b"}, "POD"},
        {"a namespace before the name, and another one",
         {"why", "shop/web", "-n", "x"},
         "\"shop/web\" and -n x name two namespaces"},
        {"a flag that is misspelt where the pod is missing",
         {"explain", "--contxt"},
         "unknown flag \"--contxt\" (did you mean \"--context\"?)"},
        {"an empty name", {"why", "pod/"}, "it is empty"},
        {"a form that lists have", {"explain", "web", "-o", "wide"}, "--output"},
        {"a form that nothing has", {"nodes", "-o", "yaml"}, "--output"},
        {"a service without a namespace", {"nodes", "--winnow", "w"}, "expected NAMESPACE/SERVICE, or none"},
        {"a prefix that is no path", {"nodes", "--path-prefix", "x"}, "--path-prefix: found \"x\", expected"},
        {"a prefix of no Winnow",
         {"nodes", "--path-prefix=/x", "--winnow=none"},
         "--path-prefix: --winnow none asks no Winnow"},
        {"a service of three parts", {"nodes", "--winnow", "a/b/c"}, "expected NAMESPACE/SERVICE, or none"},
        {"all namespaces and one", {"pending", "-A", "-n", "x"}, "-A and -n exclude each other"},
        {"why in all namespaces", {"why", "web", "-A"}, "-A: a pod is in one namespace; name that one by -n"},
        {"explain in all of them", {"--all-namespaces", "explain", "web"}, "name that one by -n"},
        {"nodes for a pod in all of them", {"nodes", "web", "-A"}, "name that one by -n"},
        {"withdraw of one pod", {"withdraw", "web"}, "unknown argument \"web\""},
        {"a shell that is not known", {"completion", "tcsh"}, "SHELL"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      std::string printed;
      const auto parsed = parse_kubectl(row.words, printed);
      CAPTURE(printed);
      REQUIRE(std::holds_alternative<int>(parsed));
      CHECK(std::get<int>(parsed) == 2);
      CHECK(printed.starts_with("kubectl winnow: "));
      CHECK(printed.find('\n') == printed.size() - 1);
      CHECK(printed.contains(row.said));
    }
  }

  TEST_CASE("flags may stand before the command, as in kubectl") {
    std::string printed;
    const auto parsed = parse_kubectl({"-n", "nodes", "--context=c", "-o=json", "why", "web"}, printed);
    CAPTURE(printed);
    REQUIRE(std::holds_alternative<KubectlFlags>(parsed));
    const auto& flags = std::get<KubectlFlags>(parsed);
    CHECK(flags.command == KubectlCommand::kWhy);
    CHECK(flags.pod_namespace == "nodes");
    CHECK(flags.client.context == "c");
    CHECK(flags.output == OutputForm::kJson);
    CHECK(flags.pods == std::vector<std::string>{"web"});
  }

  TEST_CASE("which flags take a value") {
    for (const char* command : {"explain", "why", "nodes", "pending", "completion"})
      for (const std::string& flag : kubectl_flag_names(command)) {
        CAPTURE(flag);
        // The prefix stands behind "=", or nothing does.
        CHECK(takes_value(flag) !=
              (flag == "--help" || flag == "--path-prefix" || flag.starts_with("--all-")));
      }
    CHECK(takes_value("-n"));
    CHECK(takes_value("-o"));
    CHECK_FALSE(takes_value("-A"));
  }

  TEST_CASE("help has examples, and fits a screen") {
    for (const char* command :
         {"explain", "why", "nodes", "pending", "eval", "simulate", "compare", "withdraw", "completion"}) {
      CAPTURE(command);
      std::string printed;
      const auto parsed = parse_kubectl({command, "--help"}, printed);
      REQUIRE(std::holds_alternative<int>(parsed));
      CHECK(std::get<int>(parsed) == 0);
      CHECK(printed.contains("Example"));
      std::istringstream lines(printed);
      int count = 0;
      for (std::string line; std::getline(lines, line); ++count) CHECK_MESSAGE(line.size() <= 80, line);
      CHECK(count <= 40);
    }
  }

  TEST_CASE("a flag's value among words that may be wrong") {
    CHECK(value_among({"why", "-n", "shop", "x"}, "--namespace", "-n") == "shop");
    CHECK(value_among({"why", "--namespace=a", "-n", "b"}, "--namespace", "-n") == "b");
    CHECK(value_among({"why", "-n"}, "--namespace", "-n").empty());
    CHECK(value_among({"--namespaces=a"}, "--namespace", "-n").empty());
    CHECK(value_among({"-nshop"}, "--namespace", "-n") == "shop");
    CHECK(value_among({"-n=shop"}, "--namespace", "-n") == "shop");
    CHECK(value_among({"--context", "-n", "x"}, "--context", "") == "-n");
    CHECK(value_among({"why", "", "web"}, "--context", "").empty());
  }
}

}  // namespace winnow::test
