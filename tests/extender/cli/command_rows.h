// What rows of words check of a command that works on a cluster in files.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "extender/cli/flags/flags.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/cli/run_command.h"
#include "tests/extender/service/answers.h"

namespace winnow::test {

/// A command and the files that its rows name, in a folder of their own.
class CommandFiles {
 public:
  /// @param files  names and texts; "cluster.json" is the cluster.
  CommandFiles(std::string command, const std::vector<std::pair<std::string, std::string>>& files)
      : command_(std::move(command)) {
    for (const auto& [name, text] : files) folder_.write(name, text);
  }

  std::string path(const std::string& name) const { return folder_.path(name); }

  /// `winnow COMMAND --cluster cluster.json WORDS…`. "@name" is the path of a file.
  Outcome run(std::vector<std::string> words) const {
    for (std::string& word : words)
      if (word.starts_with('@')) word = path(word.substr(1));
    words.insert(words.begin(), {command_, "--cluster", path("cluster.json")});
    return winnow(words);
  }

  /// Runs it as text and as JSON, which is one object, and again. @return the text.
  std::string check_answer(std::vector<std::string> words, int code) const {
    const Outcome outcome = run(words);
    CHECK_MESSAGE(outcome.code == code, outcome.err);
    CHECK(run(words).out == outcome.out);
    words.insert(words.end(), {"-o", "json"});
    const Outcome json = run(std::move(words));
    CHECK(json.code == code);
    REQUIRE(json.lines.size() == 1);
    CHECK(is_json(json.lines[0]));
    return outcome.out;
  }

  /// Bad input: one line with this text, exit code 2, and nothing else.
  void check_error(const std::vector<std::string>& words, const std::string& error) const {
    CAPTURE(error);
    const Outcome outcome = run(words);
    CHECK(outcome.code == kBadInput);
    CHECK(outcome.out == "");
    CHECK_MESSAGE(outcome.err.contains(error), outcome.err);
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    CHECK(outcome.err.starts_with("winnow " + command_ + ": "));
  }

 private:
  const std::string command_;
  const live::test::TempFolder folder_;
};

/// A Deployment "shop/web" of two pods, as YAML.
inline std::string web_deployment(const std::string& cpu) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec:\n"
         "  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n"
         "    metadata: {labels: {app: web}}\n"
         "    spec: {containers: [{name: c, image: i, resources: {requests: {cpu: \"" +
         cpu + "\"}}}]}\n";
}

inline const std::string kNoPods = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";

}  // namespace winnow::test
