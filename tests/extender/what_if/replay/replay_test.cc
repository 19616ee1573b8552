// A recording gives every answer again: every verb, every way to answer, and whatever the watch has brought.
#include "extender/what_if/replay/replay.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <format>
#include <new>
#include <random>

#include "cluster/text/gzip_lines.h"
#include "tests/extender/what_if/replay/recorded_service.h"

namespace winnow::test {
namespace {

using live::test::TempFolder;
using Names = std::vector<std::string>;

const Names kNodes = {"n-a", "n-b", "n-c", "n-d"};

/// The lines of a recording's file.
Names lines_of_file(const std::string& path) {
  auto reader = GzipReader::open(path).value();
  Names lines;
  for (std::string line; reader->next(line) == GzipReader::Next::kLine;) lines.push_back(line);
  return lines;
}

void write_lines(const TempFolder& folder, const std::string& name, const Names& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  folder.write(name, text);
}

/// A scheduler that asks about pods, and a watch that tells what has become of them.
class Scheduler {
 public:
  Scheduler(RecordedService& service, std::uint64_t seed) : service_(service), draws_(seed) {
    for (const std::string& name : kNodes) service.set_node(recorded_node(name, 3, zone_of(name)));
  }

  void step() {
    const std::string name = "p" + std::to_string(below(9));
    const int version = ++version_;
    switch (below(9)) {
      case 0:
      case 1:
        service_.set_pod(recorded_pod(name, version));
        break;
      case 2:
        service_.set_pod(recorded_pod(name, version, R"(,"nodeName":")" + kNodes[below(4)] + '"'));
        break;
      case 3:
        service_.remove_pod(recorded_pod(name, version));
        break;
      case 4:
        service_.set_node(recorded_node(kNodes[below(4)], 2 + static_cast<int>(below(3))));
        break;
      case 5:
        ask("/prioritize", args_with_names(kNodes, recorded_pod(name, version, drawn_terms())));
        break;
      case 6:
        ask("/explain", R"({"Pod":)" + recorded_pod(name, version, drawn_terms()) + "}");
        break;
      case 7:
        preempt(name, version);
        break;
      default:
        ask("/filter", args_with_names(kNodes, recorded_pod(name, version, drawn_terms())));
    }
  }
  void ask(const std::string& path, const std::string& body) {
    ++calls;
    CHECK(service_.post(path, body).status == 200);
  }
  std::uint64_t calls = 0;

 private:
  std::size_t below(std::size_t n) { return draws_() % n; }
  static std::string zone_of(const std::string& name) {
    return R"(,"topology.kubernetes.io/zone":")" + std::string(name < "n-c" ? "east" : "west") + '"';
  }
  void preempt(const std::string& name, int version) {
    std::string victims;
    for (const std::string& node : kNodes)
      victims +=
          std::format(R"({}"{}":{{"Pods":[],"NumPDBViolations":0}})", victims.empty() ? "" : ",", node);
    ask("/preempt", R"({"Pod":)" + recorded_pod(name, version, R"(,"priority":100)") +
                        R"(,"NodeNameToMetaVictims":{)" + victims + "}}");
  }
  std::string drawn_terms() {
    const std::string anti =
        R"(,"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":)"
        R"({"matchLabels":{"app":"web"}},"topologyKey":"kubernetes.io/hostname"}]}})";
    const std::string spread =
        R"(,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone",)"
        R"("whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"app":"web"}}}])";
    return Names{"", anti, spread, R"(,"nodeSelector":{"disk":"ssd"})"}[below(4)];
  }

  RecordedService& service_;
  std::mt19937_64 draws_;
  int version_ = 10;
};

}  // namespace

TEST_CASE("every answer is the same again: each verb, each way to answer, each generation of rules") {
  for (const AnswerMode answer : {AnswerMode::kComplete, AnswerMode::kBest, AnswerMode::kOne})
    for (const char* const config : {"", kTodaysConfig})
      for (const std::uint64_t seed : {1, 2, 3}) {
        const TempFolder folder;
        CAPTURE(static_cast<int>(answer));
        CAPTURE(config);
        CAPTURE(seed);
        std::uint64_t calls = 0;
        {
          RecordedService service(folder.path("r"),
                                  {.answer = answer,
                                   .seed = seed == 1 ? std::optional<std::uint64_t>(7) : std::nullopt,
                                   .config = config});
          Scheduler scheduler(service, seed);
          for (int i = 0; i < 250; ++i) scheduler.step();
          calls = scheduler.calls;
        }
        check_equal(play(folder.path("r")), calls);
      }
}

TEST_CASE("assumed pods count in the replay: without their lines answers differ") {
  const TempFolder folder;
  {
    RecordedService service(folder.path("r"), {.answer = AnswerMode::kBest, .seed = 7});
    for (const char* const name : {"n-a", "n-b"}) service.set_node(recorded_node(name, 1));
    for (int i = 0; i < 3; ++i) {
      const std::string pod = recorded_pod("p" + std::to_string(i), 10 + i);
      service.set_pod(pod);
      CHECK(service.post("/filter", args_with_names({"n-a", "n-b"}, pod)).status == 200);
    }
  }
  check_equal(play(folder.path("r")), 3);
  Names lines = lines_of_file(folder.path("r/recording-000001.jsonl.gz"));
  const std::size_t all = lines.size();
  std::erase_if(lines, [](const std::string& line) { return line.contains(R"("assumed")"); });
  REQUIRE(lines.size() == all - 2);
  lines.back() = std::format(R"({{"ends":{},"next":false}})", lines.size() - 1);
  write_lines(folder, "without", lines);
  const ReplayResult result = play(folder.path("without"));
  CHECK(result.error == "");
  CHECK(result.different > 0);
}

namespace {

/// Lists one object of the kind.
void list(RecordedService& service, ResourceKind kind, const std::string& json) {
  const auto sink = live::make_cache_sink(kind, service.cache(), [](auto, auto) {});
  sink->begin_list();
  sink->end_list("1");
  sink->set(json);
  sink->flush();
}

std::string named(const std::string& name, const std::string& more, const std::string& ns = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":")" + ns + R"(","uid":"u-)" + name +
         R"(","resourceVersion":"5"},)" + more + "}";
}

constexpr const char* kClaims = R"(,"resourceClaims":[{"name":"gpu","resourceClaimName":"gpu"}])";

/// A node with one device, and a claim that asks for one.
void list_devices(RecordedService& service) {
  service.set_node(recorded_node("n-a", 4));
  list(service, kind_of<DeviceClass>, named("gpu", R"("spec":{})"));
  list(service, kind_of<ResourceSlice>,
       named("n-a", R"("spec":{"driver":"d","pool":{"name":"n-a","generation":1,"resourceSliceCount":1},)"
                    R"("nodeName":"n-a","devices":[{"name":"gpu-0"}]})"));
  list(service, kind_of<ResourceClaim>,
       named("gpu",
             R"("spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu",)"
             R"("allocationMode":"ExactCount","count":1}}]}})",
             "shop"));
}

}  // namespace

TEST_CASE("devices that an assumed pod takes count in the replay: without them answers differ") {
  const TempFolder folder;
  {
    RecordedService service(folder.path("r"),
                            {.answer = AnswerMode::kBest, .seed = 7, .config = kTodaysConfig});
    list_devices(service);
    const std::string pod = recorded_pod("p", 10, kClaims);
    service.set_pod(pod);
    CHECK(service.post("/filter", args_with_names({"n-a"}, pod)).status == 200);
    const std::string other =
        service.post("/explain", R"({"Pod":)" + recorded_pod("q", 11, kClaims) + "}").body;
    CHECK_MESSAGE(other.contains("is in the process of being allocated"), other);
  }
  check_equal(play(folder.path("r")), 2);
  Names lines = lines_of_file(folder.path("r/recording-000001.jsonl.gz"));
  bool found = false;
  for (std::string& line : lines)
    if (const std::size_t at = line.find(R"(,"claims":)"); at != std::string::npos) {
      line = line.substr(0, at) + "}}";
      found = true;
    }
  REQUIRE(found);
  write_lines(folder, "without", lines);
  CHECK(play(folder.path("without")).different == 1);
}

TEST_CASE("kinds that the API does not give are recorded, and those that it gives again") {
  const TempFolder folder;
  {
    RecordedService service(folder.path("r"), {.config = kTodaysConfig});
    list_devices(service);
    const auto claims = live::make_cache_sink(kind_of<ResourceClaim>, service.cache(), [](auto, auto) {});
    const std::string asked = R"({"Pod":)" + recorded_pod("q", 11, kClaims) + "}";
    claims->begin_list();
    claims->end_list("");
    std::string body = service.post("/explain", asked).body;
    CHECK_MESSAGE(body.contains("notJudged"), body);
    claims->begin_list();
    claims->end_list("7");
    body = service.post("/explain", asked).body;
    CHECK_MESSAGE(!body.contains("notJudged"), body);
  }
  check_equal(play(folder.path("r")), 2);
  Names lines = lines_of_file(folder.path("r/recording-000001.jsonl.gz"));
  REQUIRE(std::erase_if(lines, [](const std::string& line) { return line.contains(R"("unread":)"); }) > 0);
  lines.back() = std::format(R"({{"ends":{},"next":false}})", lines.size() - 1);
  write_lines(folder, "without", lines);
  CHECK(play(folder.path("without")).different == 1);
}

TEST_CASE("a replay releases no pod by itself: a call may have looked before the recorded release") {
  const TempFolder folder;
  const std::string p = recorded_pod("p", 10), q = recorded_pod("q", 11);
  {
    RecordedService service(folder.path("r"), {.answer = AnswerMode::kBest, .seed = 7});
    service.set_node(recorded_node("n-a", 1));
    // The names come first, so the cache is locked before the pod is known.
    for (const std::string& pod : {p, q, p})
      CHECK(service.post("/filter", R"({"NodeNames":["n-a"],"Pod":)" + pod + "}").status == 200);
  }
  Names lines = lines_of_file(folder.path("r/recording-000001.jsonl.gz"));
  const auto line_with = [&](std::string_view begin) {
    const auto found =
        std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(begin); });
    REQUIRE(found != lines.end());
    return found;
  };
  // The call of q, as if it had looked between the second look of p and p's release.
  const Names of_q = {*line_with(R"({"look":2,)"), *line_with(R"({"answer":2,)")};
  std::erase_if(lines, [&](const std::string& line) { return std::ranges::contains(of_q, line); });
  const auto look = line_with(R"({"look":3,)");
  CHECK((look + 1)->contains(R"("gone")"));
  CHECK((look + 2)->contains(R"("released")"));
  lines.insert(look + 1, of_q.begin(), of_q.end());
  write_lines(folder, "moved", lines);
  check_equal(play(folder.path("moved")), 3);
}

TEST_CASE("an answer that was another is found, and what of it") {
  const TempFolder folder;
  {
    RecordedService service(folder.path("r"), {});
    for (const std::string& name : kNodes) service.set_node(recorded_node(name, name == "n-b" ? 0 : 4));
    for (int i = 0; i < 3; ++i)
      CHECK(
          service.post("/filter", args_with_names(kNodes, recorded_pod("p" + std::to_string(i), 9))).status ==
          200);
    CHECK(service.post("/prioritize", args_with_names(kNodes, recorded_pod("p4", 9))).status == 200);
  }
  Names lines = lines_of_file(folder.path("r/recording-000001.jsonl.gz"));
  for (std::string& line : lines) {
    if (line.starts_with(R"({"answer":2)"))
      line.replace(line.find("Insufficient cpu"), 16, "Insufficient pods");
    if (const auto score = line.find(R"(\"Score\":)"); line.starts_with(R"({"answer":4)"))
      line.replace(score + 10, 1, "3");
  }
  write_lines(folder, "changed", lines);
  const ReplayResult result = play(folder.path("changed"));
  CHECK(result.equal == 2);
  REQUIRE(result.different == 2);
  CHECK(result.differences[0].call == 2);
  CHECK(result.differences[0].pod == "shop/p1");
  CHECK(result.differences[0].lines ==
        Names{R"(FailedNodes.n-b: "Insufficient pods", now "Insufficient cpu")"});
  REQUIRE(result.differences[1].lines.size() == 1);
  CHECK(result.differences[1].lines[0].starts_with("n-a.Score: 3"));
  std::string report;
  append_report(report, result);
  CHECK(report.contains("call 2 /filter shop/p1 (changed, line "));
  CHECK(report.contains("\n2 equal, 2 different, 0 not compared\n"));
}

TEST_CASE("what was answered without the picture is not compared") {
  const TempFolder folder;
  {
    RecordedService service(folder.path("r"), {});
    service.set_node(recorded_node("n-a", 4));
    CHECK(service.post("/filter", "{").status == 400);
    CHECK(service.post("/filter", R"({"Pod":{"metadata":{"name":5}}})").status == 400);
    CHECK(service.post("/filter", args_with_names({"n-a"}, recorded_pod("p", 9))).status == 200);
    CHECK(
        service.post("/bind", R"({"PodName":"p","PodNamespace":"shop","PodUID":"u","Node":"n-a"})").status ==
        200);
  }
  const ReplayResult result = play(folder.path("r"));
  check_equal(result, 1);
  CHECK(result.calls == 4);
  CHECK(result.not_compared.at("answered without the picture") == 3);
}

TEST_CASE("each file of a recording can be played without those before, and the oldest go") {
  const TempFolder folder;
  std::uint64_t calls = 0;
  {
    // Files of 8 KiB.
    RecordedService service(folder.path("r"),
                            {.answer = AnswerMode::kBest, .config = kTodaysConfig, .bytes = 64UL << 10});
    Scheduler scheduler(service, 5);
    for (int i = 0; i < 4000; ++i) scheduler.step();
    calls = scheduler.calls;
  }
  Names files;
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("r"))) {
    files.push_back(entry.path().string());
    bytes += entry.file_size();
  }
  std::ranges::sort(files);
  REQUIRE(files.size() > 3);
  CHECK(!files.front().ends_with("recording-000001.jsonl.gz"));
  CHECK(bytes <= 64UL << 10);
  std::uint64_t played = 0;
  for (const std::string& file : files) {
    CAPTURE(file);
    const ReplayResult result = play(file);
    CHECK(result.error == "");
    CHECK(result.different == 0);
    played += result.equal;
  }
  CHECK(played > 0);
  const ReplayResult all = play(folder.path("r"));
  CHECK(all.error == "");
  CHECK(all.different == 0);
  CHECK(all.files == files.size());
  CHECK(all.equal >= played);
  CHECK(all.equal < calls);  // The oldest are gone.
}

TEST_CASE("two processes may record into one directory") {
  const TempFolder folder;
  for (int run = 0; run < 2; ++run) {
    RecordedService service(folder.path("r"),
                            {.answer = run == 0 ? AnswerMode::kComplete : AnswerMode::kOne});
    Scheduler scheduler(service, 5);
    scheduler.ask("/filter", args_with_names(kNodes, recorded_pod("p", 9)));
    scheduler.ask("/prioritize", args_with_names(kNodes, recorded_pod("p", 9)));
  }
  check_equal(play(folder.path("r")), 4);
}

TEST_CASE("a picture that is lost, and listed again") {
  const TempFolder folder;
  {
    RecordedService service(folder.path("r"), {.answer = AnswerMode::kBest, .seed = 3});
    Scheduler scheduler(service, 5);
    scheduler.ask("/filter", args_with_names(kNodes, recorded_pod("p", 9)));
    CHECK_THROWS(service.cache().write([](State&) { throw std::bad_alloc(); }));
    CHECK(service.post("/filter", args_with_names(kNodes, recorded_pod("q", 9))).status == 503);
    CHECK(service.recorder().ended() == "");
  }
  const ReplayResult result = play(folder.path("r"));
  check_equal(result, 1);
  CHECK(result.calls == 2);
}

}  // namespace winnow::test
