#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cluster/client/watch/live_cluster.h"
#include "cluster/client/watch/resource.h"
#include "extender/cli/commands.h"
#include "extender/explain/explain.h"
#include "tests/extender/cli/run_command.h"
#include "tests/extender/service/answers.h"
#include "tests/extender/service/running_server.h"
#include "tests/standard_error.h"

namespace winnow::test {
namespace {

const std::string kSample = std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json";

/// A folder that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "winnow-cli-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  std::string write_gzip(const std::string& name, const std::string& text) const {
    const std::string path = (path_ / name).string();
    const gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return path;
  }

 private:
  std::filesystem::path path_;
};

const std::string kSmall =
    R"({"kind":"List","items":[
      {"kind":"Node","metadata":{"name":"b"},"status":{"allocatable":{"cpu":"2","pods":"10"}}},
      {"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"1","pods":"10"}}},
      {"kind":"Pod","metadata":{"name":"waits"},"spec":{"containers":[{"resources":{"requests":{"cpu":"1500m"}}}]}},
      {"kind":"Pod","metadata":{"name":"runs"},"spec":{"nodeName":"a"}}]})";

TEST_CASE("a new pod of --pods gets what the classes of the cluster and of the file give") {
  const Folder folder;
  const std::string cluster = folder.write("c.json", R"({"kind":"List","items":[
      {"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"2","pods":"10"}}},
      {"kind":"RuntimeClass","metadata":{"name":"kata"},"overhead":{"podFixed":{"cpu":"2"}}},
      {"kind":"PriorityClass","metadata":{"name":"high"},"value":7}]})");
  const auto pod_with = [&](const char* name, const std::string& metadata, const std::string& spec) {
    return R"({"kind":"Pod","metadata":{"name":")" + std::string(name) + '"' + metadata + R"(},"spec":{)" +
           spec + R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}})";
  };
  const auto asked = [&](const std::string& pods) {
    const std::string file = folder.write("p.json", R"({"kind":"List","items":[)" + pods + "]}");
    const StandardError error;
    const Outcome outcome = classic_winnow({"explain", "--cluster", cluster, "--pods", file, "-o", "json"});
    return std::pair(outcome, error.text());
  };
  const std::string kata = R"("runtimeClassName":"kata",)";
  CHECK(asked(pod_with("p", "", "")).first.code == kDone);
  CHECK_MESSAGE(asked(pod_with("p", "", kata)).first.code == kAnswerIsNo, "the overhead has no room");
  CHECK_MESSAGE(asked(pod_with("p", R"(,"uid":"u")", kata)).first.code == kDone, "it was stored without");
  const auto [unknown, said] = asked(pod_with("p", "", R"("priorityClassName":"low",)"));
  CHECK(unknown.code == kDone);
  CHECK(said.contains("no PriorityClass with name low was found"));
  const auto [no_class, told] = asked(pod_with("p", "", R"("runtimeClassName":"runc",)"));
  CHECK(no_class.code == kDone);
  CHECK(told.contains("pod rejected: RuntimeClass \\\"runc\\\" not found"));
  const auto [of_file, nothing] = asked(R"({"kind":"PriorityClass","metadata":{"name":"low"},"value":1},)" +
                                        pod_with("p", "", R"("priorityClassName":"low",)"));
  CHECK_FALSE(nothing.contains("PriorityClass"));
}

TEST_CASE("the sample cluster: all pods that wait") {
  const Outcome json = classic_winnow({"explain", "--cluster", kSample, "-o", "json"});
  CHECK(json.code == kAnswerIsNo);
  REQUIRE(json.lines.size() == 5);
  const char* pods[] = {"batch/cruncher", "batch/encoder-mbp4chq9fg-pkj9b", "default/web-qtkb5tkfbh-lx6vv",
                        "legacy/ledger-report", "ml/trainer"};
  for (std::size_t i = 0; i < 5; ++i) {
    CAPTURE(pods[i]);
    CHECK(is_json(json.lines[i]));
    CHECK(json_at(json.lines[i], "pod") == '"' + std::string(pods[i]) + '"');
    REQUIRE(json_size(json.lines[i], "nodes") == 12);
    std::string before;
    for (std::size_t n = 0; n < 12; ++n) {
      const std::string name = json_at(json.lines[i], "nodes." + std::to_string(n) + ".name");
      CHECK(before < name);
      before = name;
    }
  }
  // The table says the same, in words.
  const Outcome table = classic_winnow({"explain", "--cluster", kSample});
  CHECK(table.code == kAnswerIsNo);
  for (const char* pod : pods) CHECK(table.out.contains(pod));
  CHECK(table.out.contains("0/12 nodes are available: "));
  CHECK_FALSE(table.out.contains("\x1b["));
}

TEST_CASE("a warning names the fields of a file that an API server would refuse, and the pod is judged") {
  const Folder folder;
  const auto pod_json = [](const std::string& name, const std::string& skew) {
    return R"({"kind":"Pod","metadata":{"name":")" + name +
           R"(","namespace":"shop","labels":{"app":"web"}},"spec":{"topologySpreadConstraints":[{)" + skew +
           R"("topologyKey":"zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}],)" +
           R"("containers":[{"name":"c","image":"i"}]}})";
  };
  const std::string nodes =
      R"({"kind":"Node","metadata":{"name":"a","labels":{"zone":"x"}},"status":{"allocatable":{"pods":"10"}}})";
  const std::string good = folder.write("good.json", R"({"kind":"List","items":[)" + nodes + "]}");
  const std::string bad =
      folder.write("bad.json", R"({"kind":"List","items":[)" + nodes + "," + pod_json("one", "") + "," +
                                   pod_json("two", "") + "]}");
  const std::string given = folder.write("given.json", pod_json("given", ""));
  const std::string whole = folder.write("whole.json", pod_json("whole", R"("maxSkew":1,)"));
  const std::string config = folder.write(
      "rules.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n");
  struct Row {
    const char* sentence;
    std::vector<std::string> words;
    const char* warning;
  };
  const Row rows[] = {
      {"pods of the cluster",
       {"--cluster", bad},
       R"(object="shop/two: spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero")"},
      {"a pod of --pods",
       {"--cluster", good, "--pods", given},
       R"(object="shop/given: spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero")"},
      {"a pod that has it", {"--cluster", good, "--pods", whole}, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::vector<std::string> words = {"explain", "--config", config};
    words.insert(words.end(), row.words.begin(), row.words.end());
    std::string told;
    Outcome outcome;
    {
      const StandardError error;
      outcome = classic_winnow(words);
      told = error.text();
    }
    CHECK(outcome.code == kDone);
    CHECK_MESSAGE(told.contains("an API server would refuse an object, which is judged as it is") ==
                      !std::string(row.warning).empty(),
                  told);
    CHECK_MESSAGE(told.contains(row.warning), told);
  }
}

TEST_CASE("exit codes and errors") {
  const Folder folder;
  const std::string small = folder.write("small.json", kSmall);
  const std::string pods = folder.write(
      "pods.yaml",
      "kind: Pod\nmetadata: {name: given}\n---\nkind: Pod\nmetadata: {name: huge, namespace: big}\n"
      "spec: {containers: [{resources: {requests: {cpu: 99}}}]}\n");
  const std::string broken = folder.write(
      "broken.json", R"({"kind":"Node","metadata":{"name":"x"},"status":{"allocatable":{"cpu":"x"}}})");
  const std::string cut = folder.write("cut.json", kSmall.substr(0, 100));
  const std::string all_run =
      folder.write("run.json", R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"x"}},
        {"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"x"}}]})");
  const std::string no_pods = folder.write("nodes.json", R"({"kind":"Node","metadata":{"name":"x"}})");
  const std::string bad_policy =
      folder.write("policy.json", R"({"kind":"Policy","predicates":[{"name":"NoDiskConflicts"}]})");
  struct Row {
    const char* sentence;
    std::vector<std::string> words;
    int code;
    std::string out;
    std::string err;
  };
  const Row rows[] = {
      {"a pod that fits", {"--cluster", small, "default/waits"}, kDone, "default/waits", ""},
      {"a name is in default", {"--cluster", small, "waits"}, kDone, "default/waits", ""},
      {"a pod that runs", {"--cluster", small, "runs"}, kDone, "default/runs", ""},
      {"the pods of a file", {"--cluster", small, "--pods", pods}, kAnswerIsNo, "big/huge", ""},
      {"one pod of a file", {"--cluster", small, "given", "--pods", pods}, kDone, "default/given", ""},
      {"a pod that is not in the file",
       {"--cluster", small, "gven", "--pods", pods},
       kBadInput,
       "",
       "pod \"default/gven\" is not in the files of --pods (did you mean \"default/given\"?)"},
      {"one that fits on none of the nodes named",
       {"--cluster", small, "waits", "--nodes", "a"},
       kAnswerIsNo,
       "Insufficient cpu",
       ""},
      {"scores of some nodes are among these",
       {"--cluster", small, "waits", "--nodes", "b*"},
       kDone,
       "Only this node was asked about: its score is by itself.",
       ""},
      {"a pod of -n", {"--cluster", small, "-n", "default", "pod/waits"}, kDone, "default/waits", ""},
      {"a pod of another namespace",
       {"--cluster", small, "-n", "shop", "waits"},
       kBadInput,
       "",
       "pod \"shop/waits\" is not in the cluster (did you mean \"default/waits\"?)"},
      {"a pod of --pods in another namespace",
       {"--cluster", small, "huge", "--pods", pods},
       kBadInput,
       "",
       "pod \"default/huge\" is not in the files of --pods (did you mean \"big/huge\"?)"},
      {"a label that no node has",
       {"--cluster", small, "-l", "pool=spot"},
       kBadInput,
       "",
       "-l: no node has pool=spot"},
      {"an unknown pod",
       {"--cluster", small, "default/wait"},
       kBadInput,
       "",
       "pod \"default/wait\" is not in the cluster (did you mean \"default/waits\"?)"},
      {"an unknown node",
       {"--cluster", kSample, "--nodes", "node-00001,nod-00002"},
       kBadInput,
       "",
       "--nodes: node \"nod-00002\" is not in the cluster (did you mean \"node-00002\""},
      {"no cluster", {}, kBadInput, "", "no cluster: give --cluster FILE"},
      {"no such file",
       {"--cluster", "/no/such/file.json"},
       kBadInput,
       "",
       "winnow explain: /no/such/file.json: "},
      {"a folder without files",
       {"--cluster", std::string(WINNOW_ROOT) + "/predicates"},
       kBadInput,
       "",
       "/predicates: a folder without a .json, .yaml or .yml file"},
      {"a wrong quantity",
       {"--cluster", broken},
       kBadInput,
       "",
       "broken.json: status.allocatable.cpu: \"x\" is not a quantity"},
      {"a file that is cut off", {"--cluster", cut}, kBadInput, "", "cut.json: line 2, column"},
      {"a file of pods without a pod",
       {"--cluster", small, "--pods", no_pods},
       kBadInput,
       "",
       "--pods: no pod in "},
      {"no such policy", {"--cluster", small, "--config", "/no/policy"}, kBadInput, "", "/no/policy: "},
      {"a wrong policy", {"--cluster", small, "--config", bad_policy}, kBadInput, "", "NoDiskConflict"},
      {"a bad gate",
       {"--cluster", small, "--feature-gates", "ExactV116=maybe"},
       kBadInput,
       "",
       "--feature-gates: "},
      {"an unknown gate",
       {"--cluster", small, "--feature-gates", "ExactV117=true"},
       kBadInput,
       "",
       "--feature-gates: "},
      {"a gate", {"--cluster", small, "--feature-gates", "ExactV116=true"}, kDone, "default/waits", ""},
      {"an output that is none", {"--cluster", small, "-o", "yaml"}, kBadInput, "", "yaml"},
      {"a flag that is none", {"--cluster", small, "--clutser", small}, kBadInput, "", "--clutser"},
      {"a scale that is none", {"--cluster", small, "--score-scale", "worst"}, kBadInput, "", "worst"},
      {"a seed that is none", {"--cluster", small, "--seed", "x"}, kBadInput, "", "--seed: \"x\""},
      {"help", {"--help"}, kDone, "Example: winnow explain", ""},
      {"nothing is pending", {"--cluster", all_run}, kDone, "", "no pod of the cluster is pending"},
      {"pods are forgotten", {"--cluster", no_pods}, kDone, "", "nodes.json: the dump has no Pod: add pods"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::vector<std::string> words = {"explain"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Outcome outcome = classic_winnow(words);
    CHECK(outcome.code == row.code);
    CHECK_MESSAGE(outcome.out.contains(row.out), outcome.out);
    CHECK_MESSAGE(outcome.err.contains(row.err), outcome.err);
    if (row.code == kBadInput) CHECK(outcome.out.empty());
    if (row.err.empty()) CHECK(outcome.err.empty());
    if (row.err.contains(" is not ")) CHECK(std::ranges::count(outcome.err, '\n') == 1);
  }
  CHECK(classic_winnow({}).code == kBadInput);
  CHECK(classic_winnow({"--version"}).code == kDone);
  CHECK(classic_winnow({"explian"}).code == kBadInput);
}

TEST_CASE("one cluster, however it is written") {
  const Folder folder;
  const std::string expected =
      classic_winnow({"explain", "--cluster", folder.write("c.json", kSmall), "-o", "json"}).out;
  CHECK(expected.starts_with(
      R"({"pod":"default/waits","rules":"v1.16, default provider","feasible":1,"selected":"b","summary":[{"rule":"GeneralPredicates",)"));
  const std::string yaml =
      "kind: Node\nmetadata: {name: b}\nstatus: {allocatable: {cpu: 2, pods: 10}}\n---\n"
      "kind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: '1', pods: '10'}}\n---\n"
      "kind: PodList\nitems:\n- metadata: {name: waits}\n  spec: {containers: [{resources: {requests: {cpu: "
      "1500m}}}]}\n"
      "- metadata: {name: runs}\n  spec: {nodeName: a}\n";
  struct Row {
    const char* sentence;
    std::vector<std::string> files;
  };
  const Row rows[] = {
      {"YAML", {folder.write("c.yaml", yaml)}},
      {"gzip", {folder.write_gzip("c.json.gz", kSmall)}},
      {"gzip under another name", {folder.write_gzip("c.txt", yaml)}},
      {"two files, of which the second says it all again",
       {folder.write("d.json", kSmall), folder.write("d.yaml", yaml)}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::vector<std::string> words = {"explain", "-o", "json", "--cluster"};
    words.insert(words.end(), row.files.begin(), row.files.end());
    CHECK(classic_winnow(words).out == expected);
  }
  SUBCASE("standard input") {
    const std::string file = folder.write("in.json", kSmall);
    const int before = ::dup(STDIN_FILENO);
    const int in = ::open(file.c_str(), O_RDONLY);
    REQUIRE(in >= 0);
    ::dup2(in, STDIN_FILENO);
    CHECK(classic_winnow({"explain", "-o", "json", "--cluster", "-"}).out == expected);
    ::dup2(before, STDIN_FILENO);
    ::close(in);
    ::close(before);
  }
}

TEST_CASE("with a policy, every rule of it is there for every node") {
  const std::string policy = std::string(WINNOW_ROOT) + "/manifests/policy.yaml";
  const Outcome outcome =
      classic_winnow({"explain", "--cluster", kSample, "--config", policy, "-o", "json", "--seed", "3"});
  REQUIRE(outcome.lines.size() == 5);
  for (const std::string& line : outcome.lines) {
    for (std::size_t n = 0; n < json_size(line, "nodes"); ++n) {
      const std::string at = "nodes." + std::to_string(n) + '.';
      CHECK(json_size(line, at + "filters") == 5);
      CHECK(json_size(line, at + "scores") == (json_at(line, at + "fits") == "true" ? 8 : 0));
    }
  }
  CHECK(outcome.out.contains("NotRetiring"));
  CHECK(outcome.out.contains("PrefersLocalDisks"));
}

TEST_CASE("the command says what the service answers") {
  const RunningService service(sample_cache());
  const Outcome outcome = classic_winnow({"explain", "--cluster", kSample, "-o", "json"});
  for (const std::string& line : outcome.lines) {
    const std::string pod = json_at(line, "pod");
    const auto slash = pod.find('/');
    const std::string body =
        R"({"Namespace":)" + pod.substr(0, slash) + R"(","Name":")" + pod.substr(slash + 1) + "}";
    CHECK(service.post("/explain?facts=true", body).body == line + '\n');
  }
}

TEST_CASE("--server: a Winnow that runs is asked for its rules, and what differs is a warning") {
  const Folder folder;
  const std::string small = folder.write("small.json", kSmall);
  const std::string policy = folder.write(
      "p.json", R"({"kind":"Policy","apiVersion":"v1","predicates":[{"name":"PodFitsResources"}]})");
  const RunningService service(cache_of_size(1));
  const std::string url = "http://127.0.0.1:" + std::to_string(service.port());
  const auto explain = [&](const std::string& server, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"explain", "--cluster", small, "waits", "--server", server};
    words.insert(words.end(), more.begin(), more.end());
    return classic_winnow(words);
  };
  const std::string rules = "winnow explain: rules: ";
  const Outcome same = explain(url);
  CHECK(same.code == kDone);
  CHECK(same.err == rules + "v1.16, default provider\n");

  const Outcome other = explain(url, {"--config", policy});
  CHECK(other.code == kDone);
  CHECK(other.err.starts_with(rules + policy + " (Policy)\nwinnow explain: warning: the Winnow at " + url +
                              " answers by other rules: only there: GeneralPredicates, "));
  CHECK(std::ranges::count(other.err, '\n') == 2);

  // The answer decides about the exit code.
  const Outcome nobody = explain("http://127.0.0.1:1", {"--nodes", "a"});
  CHECK(nobody.code == kAnswerIsNo);
  CHECK(nobody.err.contains(
      "\nwinnow explain: warning: --server: its rules are not known: http://127.0.0.1:1: "));
  CHECK(std::ranges::count(nobody.err, '\n') == 2);
  CHECK(nobody.out.contains("Insufficient cpu"));

  const Outcome wrong = explain("127.0.0.1:10290");
  CHECK(wrong.code == kBadInput);
  CHECK(wrong.err.starts_with("winnow explain: --server: \"127.0.0.1:10290\" is not a server's URL"));
}

TEST_CASE("a live cluster: by which rules it answers is told") {
  // Has a node and a pod, of everything else nothing; a watch ends at once.
  const http::test::Running api([](http::Request& request, http::Response& response) {
    if (request.query.contains("watch=")) return;
    for (const ResourceKind kind : kAllKinds) {
      const live::Resource resource = live::resource_of(kind);
      if (request.path != resource.path) continue;
      response.body =
          R"({"kind":")" + resource.kind + R"(List","metadata":{"resourceVersion":"5"},"items":[)";
    }
    if (request.path.ends_with("/nodes"))
      response.body +=
          R"({"metadata":{"name":"a","resourceVersion":"1"},"status":{"allocatable":{"cpu":"2","pods":"9"}}})";
    if (request.path.ends_with("/pods"))
      response.body +=
          R"({"metadata":{"name":"waits","namespace":"default","uid":"u","resourceVersion":"2"}})";
    response.body += "]}";
  });
  const std::string url = "http://127.0.0.1:" + std::to_string(api.port);
  const Outcome outcome = classic_winnow({"explain", "waits", "--master", url, "-o", "json"});
  CHECK(outcome.code == kDone);
  CHECK(outcome.out.starts_with(
      R"({"pod":"default/waits","rules":"v1.16, default provider","feasible":1,"selected":"a","nodes":[)"));
  CHECK(outcome.err.contains("winnow explain: rules: v1.16, default provider\n"));
}

TEST_CASE("what is known of a pod's place and of preemption, from files") {
  const Folder folder;
  const std::string cluster = folder.write("c.yaml", R"(
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '2', pods: '9'}}
---
kind: Pod
metadata: {name: low}
spec: {nodeName: a, priority: 1, containers: [{resources: {requests: {cpu: '2'}}}]}
---
kind: Pod
metadata: {name: high}
spec: {priority: 9, containers: [{resources: {requests: {cpu: '2'}}}]}
status: {nominatedNodeName: a}
)");
  const std::string json = classic_winnow({"explain", "--cluster", cluster, "high", "low", "-o", "json"}).out;
  CHECK(json.contains(
      R"("selected":null,"nominated":"a","preemption":{"node":"a","victims":["default/low"],"violations":0},")"));
  const Outcome table = classic_winnow({"explain", "--cluster", cluster, "high", "low"});
  CHECK(table.out.contains(
      "\n  Nominated for a.\n  preemption: by these rules it would evict default/low on a\n"));
  // A pod of higher priority waits for the node.
  CHECK(json.contains(
      R"({"pod":"default/low","rules":"v1.16, default provider","feasible":0,"selected":null,"node":"a",)"
      R"("held":[{"node":"a","pod":"default/high","by":"otherNomination","tried":"never",)"
      R"("milliCPU":2000}],")"));
  CHECK(table.out.contains("  Held: 2 cpu on a are held for default/high, nominated, never tried.\n"));
  CHECK(table.out.contains("default/low is on a; asked anew it would fit nowhere now: 0/1"));
}

TEST_CASE("a pod with scheduling gates is asked about, and its gates are told") {
  const Folder folder;
  const std::string cluster = folder.write("c.yaml", R"(
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: '2', pods: '9'}}
---
kind: Pod
metadata: {name: gated}
spec: {schedulingGates: [{name: x.dev/quota}, {name: x.dev/wait}], containers: [{name: c}]}
)");
  CHECK(classic_winnow({"explain", "--cluster", cluster, "gated", "-o", "json"})
            .out.starts_with(
                R"({"pod":"default/gated","rules":"v1.16, default provider","feasible":1,"selected":"a",)"
                R"("gates":["x.dev/quota","x.dev/wait"],"nodes":[)"));
  CHECK(classic_winnow({"explain", "--cluster", cluster, "gated"})
            .out.starts_with("default/gated → a (1 of 1 node fits)\n"
                             "  It waits for its scheduling gates: x.dev/quota, x.dev/wait.\n"));
}

TEST_CASE("output that cannot be written is an error") {
  const Folder folder;
  const std::string small = folder.write("small.json", kSmall);
  std::ofstream full("/dev/full");
  if (!full) return;
  std::streambuf* const before = std::cout.rdbuf(full.rdbuf());
  CommonFlags common;
  common.cluster = {small};
  int code = 0;
  {
    const Captured err(std::cerr);
    code = explain_pods(common, {});
  }
  std::cout.rdbuf(before);
  std::cout.clear();
  CHECK(code == kBadInput);
}

}  // namespace
}  // namespace winnow::test
