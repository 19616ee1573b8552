// A recording that can be handed to a stranger: no name of the cluster is in it, and the choices are the
// same.
#include "extender/replay/anonymize.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>

#include "cluster/text/gzip_lines.h"
#include "extender/replay/renaming.h"
#include "tests/extender/replay/recorded_service.h"

namespace winnow::test {
namespace {

using live::test::TempFolder;

/// All text of a recording.
std::string text_of(const std::string& dir) {
  std::string text;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    auto reader = GzipReader::open(entry.path().string()).value();
    for (std::string line; reader->next(line) == GzipReader::Next::kLine;) text += line + '\n';
  }
  return text;
}

Anonymized anonymize_to(const std::string& from, const std::string& to) {
  auto recording = RecordingReader::open(from).value();
  Workers workers(0);
  return anonymize(from, recording, to, workers, nullptr);
}

/// Pods of a shop, with terms, on nodes of two zones.
void record_shop(const std::string& dir, AnswerMode answer, const std::string& config) {
  RecordedService service(dir, {.answer = answer, .config = config});
  for (const char* const name : {"worker-zulu.corp.example", "worker-alfa.corp.example", "gpu-7"})
    service.set_node(
        recorded_node(name, 2,
                      std::string(R"(,"corp.example/pool":"tenant-blue","topology.kubernetes.io/zone":")") +
                          (std::string(name) == "gpu-7" ? "berlin" : "madrid") + R"(","disk":"5")"));
  const std::string terms =
      R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
      R"({"matchExpressions":[{"key":"corp.example/pool","operator":"In","values":["tenant-blue"]},)"
      R"({"key":"disk","operator":"Gt","values":["4"]}]}]}},"podAntiAffinity":{)"
      R"("preferredDuringSchedulingIgnoredDuringExecution":[{"weight":5,"podAffinityTerm":{"labelSelector":)"
      R"({"matchLabels":{"app":"web"}},"topologyKey":"topology.kubernetes.io/zone"}}]}},)"
      R"("tolerations":[{"key":"corp.example/dedicated","operator":"Exists"}])";
  const std::vector<std::string> nodes = {"worker-zulu.corp.example", "gpu-7", "worker-alfa.corp.example",
                                          "not-there"};
  for (int i = 0; i < 8; ++i) {
    const std::string pod = recorded_pod("checkout-" + std::to_string(i), 10 + i, terms);
    service.set_pod(pod);
    CHECK(service.post("/filter", args_with_names(nodes, pod)).status == 200);
    CHECK(service.post("/prioritize", args_with_names(nodes, pod)).status == 200);
    CHECK(service.post("/explain", R"({"Namespace":"shop","Name":"checkout-0"})").status == 200);
    if (i % 2 == 0)
      service.set_pod(recorded_pod("checkout-" + std::to_string(i), 30 + i, R"(,"nodeName":"gpu-7")"));
  }
  CHECK(service.post("/filter", "secret-text").status == 400);
}

}  // namespace

TEST_CASE("without names the choices are the same, and a replay finds no difference") {
  for (const AnswerMode answer : {AnswerMode::kComplete, AnswerMode::kBest, AnswerMode::kOne})
    for (const char* const config : {"", kTodaysConfig}) {
      CAPTURE(static_cast<int>(answer));
      CAPTURE(config);
      const TempFolder folder;
      record_shop(folder.path("r"), answer, config);
      const Anonymized result = anonymize_to(folder.path("r"), folder.path("a"));
      std::string report;
      append_anonymized(report, result, /*json=*/false);
      CAPTURE(report);
      CHECK(result.replay.error == "");
      CHECK(result.changed_choices == 0);
      CHECK(result.replay.equal == 16);
      check_equal(play(folder.path("a")), 24);
      const std::string text = text_of(folder.path("a"));
      for (const char* const name : {"worker", "corp", "example", "gpu-7", "tenant", "berlin", "madrid",
                                     "shop", "checkout", "web", "registry", "secret", "not-there"}) {
        CAPTURE(name);
        CHECK(!text.contains(name));
      }
      CHECK(text.contains("topology.kubernetes.io/zone"));

      CHECK(anonymize_to(folder.path("r"), folder.path("b")).replay.error == "");
      CHECK(text_of(folder.path("b")) == text);
    }
}

TEST_CASE("a recording is not written over, nor among the files of another") {
  const TempFolder folder;
  record_shop(folder.path("r"), AnswerMode::kComplete, "");
  std::filesystem::create_directory(folder.path("other"));
  folder.write("other/recording-000007.jsonl.gz", "of another");
  for (const char* const to : {"r", "other"}) {
    CAPTURE(to);
    CHECK(anonymize_to(folder.path("r"), folder.path(to)).replay.error ==
          folder.path(to) + ": holds a recording already; expected a directory without one");
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path("other")), {}) == 1);
  std::filesystem::create_directory(folder.path("empty"));
  CHECK(anonymize_to(folder.path("r"), folder.path("empty")).replay.error == "");
}

TEST_CASE("what a killed process has left is copied up to where it is cut, and the copy plays") {
  const TempFolder folder;
  record_shop(folder.path("r"), AnswerMode::kComplete, "");
  record_shop(folder.path("r"), AnswerMode::kOne, kTodaysConfig);
  const std::string first = folder.path("r/recording-000001.jsonl.gz");
  std::filesystem::resize_file(first, std::filesystem::file_size(first) - 30);
  const Anonymized result = anonymize_to(folder.path("r"), folder.path("a"));
  CHECK(result.replay.error == "");
  CHECK(result.replay.files == 2);
  CHECK(result.changed_choices == 0);
  const ReplayResult played = play(folder.path("a"));
  check_equal(played, played.equal);
  CHECK(played.equal > 24);
  REQUIRE(played.notes.size() == 1);
  CHECK(
      played.notes[0].ends_with("recording-000001.jsonl.gz: the recording had ended: the file is cut short"));
}

TEST_CASE("what stays of an object, and what is replaced") {
  struct Row {
    std::string sentence, json, expected;
  };
  const Row rows[] = {
      {"labels: keys of Kubernetes stay, numbers too",
       R"({"metadata":{"labels":{"kubernetes.io/os":"linux","node-role.kubernetes.io/bank":"","a":"7"}}})",
       R"({"metadata":{"labels":{"kubernetes.io/os":"linux","node-role.kubernetes.io/x1":"","x0":"7"}}})"},
      {"amounts stay; resources of others are renamed",
       R"({"requests":{"cpu":"2","nvidia.com/gpu":1,"hugepages-2Mi":"4Mi"}})",
       R"({"requests":{"cpu":"2","x1/x0":1,"hugepages-2Mi":"4Mi"}})"},
      {"an image keeps its form", R"({"image":"a/b:1.2","names":["a/b@sha256:0a","c"]})",
       R"({"image":"x2/x3:x1","names":["x2/x3@sha256:x0","x4"]})"},
      {"a random UID stays", R"({"uid":"9af1c2d3-0000-4000-8000-00000000000a","name":"n"})",
       R"({"uid":"9af1c2d3-0000-4000-8000-00000000000a","name":"x0"})"},
      {"free text goes",
       R"({"message":"disk of bank","managedFields":[{"manager":"m"}],"env":[{"name":"K"}]})", "{}"},
      {"annotations that nobody reads go",
       R"({"annotations":{"kubectl.kubernetes.io/last":"x","volume.kubernetes.io/selected-node":"n"}})",
       R"({"annotations":{"volume.kubernetes.io/selected-node":"x0"}})"},
      {"keys that are no fields go", R"({"a.b/c":1,"ok":2})", R"({"ok":2})"},
      {"the order stays", R"({"values":["b","c","a"]})", R"({"values":["x1","x2","x0"]})"},
      {"a selector of labels, and one of expressions",
       R"({"selector":{"app":"w"},"x":{"selector":{"matchLabels":{"app":"w"}}}})",
       R"({"selector":{"x0":"x1"},"x":{"selector":{"matchLabels":{"x0":"x1"}}}})"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Renaming names;
    names.object(row.json);
    names.number_all();
    CHECK(names.object(row.json) == row.expected);
  }
}

TEST_CASE("a configuration keeps its words, and its labels are those of the objects") {
  Renaming names;
  const std::string config =
      R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"},{"name":"Own","argument":)"
      R"({"labelsPresence":{"labels":["tier"]}}}],"extenders":[{"urlPrefix":"https://bank","tlsConfig":{}}]})";
  names.object(R"({"labels":{"tier":"gold"}})");
  names.config(config);
  names.number_all();
  const std::string made = names.config(config);
  CHECK(
      made ==
      R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"},{"name":"Own","argument":)"
      R"({"labelsPresence":{"labels":["x1"]}}}],"extenders":[{"urlPrefix":"http://extender"}]})");
}

}  // namespace winnow::test
