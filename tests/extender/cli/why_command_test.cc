// winnow why, as an operator sees it: what it prints, and an exit code.
#include <doctest/doctest.h>

#include <format>
#include <iostream>
#include <sstream>

#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "tests/cluster/client/transport/temp_folder.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

struct Told {
  int code = -1;
  std::string out, err;
};

Told why(const WhyFlags& flags, const CommonFlags& common = {}) {
  std::ostringstream out, err;
  std::streambuf* const was_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const was_err = std::cerr.rdbuf(err.rdbuf());
  const int code = say_why(common, flags);
  std::cout.rdbuf(was_out);
  std::cerr.rdbuf(was_err);
  return {code, out.str(), err.str()};
}

/// A service that keeps so many decisions; 0: none.
struct KeepingService : RunningService {
  explicit KeepingService(std::size_t most)
      : RunningService(cache_of_size(2), default_rule_set(), {.answer = AnswerMode::kBest}, {},
                       most > 0 ? keeping_decisions(most) : ExtenderServices()) {}
};

TEST_SUITE("why command") {
  TEST_CASE("what a Winnow has decided") {
    const KeepingService service(10);
    service.post("/filter", args_with_names({"n1"}));
    service.post("/filter", args_with_names({"n0", "gone"}));
    WhyFlags flags{.pod = "web", .server = {.url = std::format("http://127.0.0.1:{}", service.port())}};
    const Told told = why(flags);
    CHECK(told.code == kDone);
    CHECK(told.err.empty());
    CHECK(
        told.out.contains(" filter: Winnow chose n0, the only one of 2 nodes that fits; nothing was scored, "
                          "and the pod is not bound yet (request "));
    CHECK(
        told.out.contains(" filter: Winnow chose n1, the only one of 1 node that fits; nothing was scored, "
                          "but kube-scheduler asked again "));
    CHECK(std::ranges::count(told.out, '\n') == 2);
    SUBCASE("the newest alone") {
      flags.limit = 1;
      CHECK(std::ranges::count(why(flags).out, '\n') == 1);
    }
    SUBCASE("as JSON: what GET /decisions answers") {
      flags.json = true;
      CHECK(why(flags).out == service.get("/decisions?pod=default/web&limit=10").body);
    }
    SUBCASE("about another pod") {
      flags.pod = "shop/web";
      const Told none = why(flags);
      CHECK(none.code == kAnswerIsNo);
      CHECK(none.out.empty());
      CHECK(none.err ==
            "winnow why: no decision about pod shop/web is kept there (did you mean \"default/web\"?); --now "
            "says "
            "how things stand\n");
    }
    SUBCASE("about a pod of -n") {
      CHECK(why(flags, {.pod_namespace = "default"}).code == kDone);
      CHECK(why(flags, {.pod_namespace = "shop"}).code == kAnswerIsNo);
    }
  }

  TEST_CASE("what nodes' names share is left out and told; -o wide has them whole") {
    auto cache = std::make_unique<ClusterCache>(State::Options{});
    cache->write([](State& state) {
      for (const char* name : {"a.pool.example.com", "b.pool.example.com"})
        state.set_node(node(name).cpu("2").memory("1Gi").pods("9"));
      state.set_pod(pod("web").in("default").cpu("1"));
    });
    const RunningService service(std::move(cache), default_rule_set(), {.answer = AnswerMode::kBest}, {},
                                 keeping_decisions(10));
    service.post("/filter", args_with_names({"a.pool.example.com", "b.pool.example.com"}));
    WhyFlags flags{.pod = "web", .server = {.url = std::format("http://127.0.0.1:{}", service.port())}};
    for (const bool now : {false, true}) {
      CAPTURE(now);
      flags.now = now;
      flags.width.reset();
      const Told text = why(flags);
      CHECK(text.code == kDone);
      CHECK_MESSAGE(text.out.ends_with("\nNames of nodes end in .pool.example.com.\n"), text.out);
      CHECK(text.out.find("pool.example.com") == text.out.rfind("pool.example.com"));
      flags.width = 0;
      const Told wide = why(flags);
      CHECK_FALSE(wide.out.contains("Names of nodes"));
      CHECK(wide.out.contains(now ? "the best is a.pool.example.com" : ".pool.example.com"));
      CHECK_MESSAGE(wide.out.size() > text.out.size() - 40, text.out);
    }
    flags.now = false;
    flags.width = 40;
    std::istringstream lines(why(flags).out);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 40, line);
    flags.json = true;
    CHECK(why(flags).out.contains(R"("node":"b.pool.example.com")"));
  }

  TEST_CASE("places that keep the pod out now stand behind what was decided") {
    auto cache = cache_of_size(1);
    cache->write([](State& state) {
      Pod waits = pod("g0").in("default").cpu("9999");
      waits.status.nominated_node_name = "n0";
      waits.status.nominated_by = "winnow-nominator";
      state.set_pod(waits);
      state.set_pod(pod("web").in("default").cpu("1"));
    });
    const RunningService service(std::move(cache), default_rule_set(), {.answer = AnswerMode::kBest}, {},
                                 keeping_decisions(10));
    service.post("/filter", args_with_names({"n0"}));
    const WhyFlags flags{.pod = "web", .server = {.url = std::format("http://127.0.0.1:{}", service.port())}};
    CHECK_MESSAGE(why(flags).out.ends_with(
                      "\nheld now: 9999 cpu on n0 are held for default/g0, nominated, never tried\n"),
                  why(flags).out);
  }

  TEST_CASE("--now says how things stand, by a Winnow that runs or by the cluster itself") {
    auto cache = cache_of_size(2);
    cache->write([](State& state) { state.set_pod(pod("web").in("shop").cpu("9999")); });
    const RunningService service(std::move(cache), default_rule_set(), {.answer = AnswerMode::kBest});
    const WhyFlags asks{.pod = "shop/web",
                        .now = true,
                        .server = {.url = std::format("http://127.0.0.1:{}", service.port())}};
    const Told asked = why(asks);
    CHECK(asked.code == kDone);
    CHECK_MESSAGE(asked.out.starts_with("shop/web fits none of 2 nodes.\n  2 nodes: Insufficient cpu. "),
                  asked.out);
    const live::test::TempFolder folder;
    const std::string file = folder.write("c.json", R"({"kind":"List","items":[
      {"kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"1","pods":"9"}}},
      {"kind":"Pod","metadata":{"name":"web","namespace":"shop"},
       "spec":{"containers":[{"resources":{"requests":{"cpu":"2"}}}]}}]})");
    const Told read = why({.pod = "web", .now = true}, {.cluster = {file}, .pod_namespace = "shop"});
    CHECK(read.code == kDone);
    CHECK_MESSAGE(read.out.starts_with("shop/web fits none of 1 node.\n  1 node: Insufficient cpu. "),
                  read.out);
    CHECK(why({.pod = "web", .now = true, .json = true}, {.cluster = {file}, .pod_namespace = "shop"})
              .out.starts_with(R"({"pod":"shop/web","nodes":1,"feasible":0,)"));
    CHECK_MESSAGE(
        read.out.contains("\n    wants 2 cpu: none of them is large enough, the largest has 1 (a)\n"),
        read.out);
    CHECK_MESSAGE(read.out.contains("  ask for 1 cpu, not 2: it goes to a\n"), read.out);
    const std::string json =
        why({.pod = "web", .now = true, .json = true}, {.cluster = {file}, .pod_namespace = "shop"}).out;
    for (const char* const member : {R"("causes":[{"nodes":1,"rule":"NodeResourcesFit","text":"wants 2 cpu)",
                                     R"("preemption":{)", R"("suggestions":[)", R"("keptOut":{)"})
      CHECK_MESSAGE(json.contains(member), json);
    const Told elsewhere = why({.pod = "web", .now = true}, {.cluster = {file}});
    CHECK(elsewhere.code == kBadInput);
    CHECK(elsewhere.err ==
          "winnow why: pod \"default/web\" is not in the cluster (did you mean \"shop/web\"?)\n");
  }

  TEST_CASE("what cannot be asked") {
    const RunningService off(cache_of_size(1), default_rule_set(), {.answer = AnswerMode::kBest});
    const std::string url = std::format("http://127.0.0.1:{}", off.port());
    struct Row {
      const char* sentence;
      WhyFlags flags;
      std::string error;
    };
    const Row rows[] = {
        {"no server",
         {.pod = "a"},
         "winnow why: no Winnow to ask: expected --server http://HOST:PORT, or --now and a cluster\n"},
        {"a URL that is none", {.pod = "a", .server = {.url = "here"}}, "winnow why: --server: "},
        {"nobody there", {.pod = "a", .server = {.url = "http://127.0.0.1:1"}}, "winnow why: "},
        {"it keeps none",
         {.pod = "a", .server = {.url = url}},
         "is answered with 404: no decisions are kept: Winnow runs with --keep-decisions=0\n"},
        {"a pod that is no name",
         {.pod = "a/b/c", .server = {.url = url}},
         "winnow why: \"a/b/c\": expected NAME, NAMESPACE/NAME or pod/NAME\n"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const Told told = why(row.flags);
      CHECK(told.code == kBadInput);
      CHECK(told.out.empty());
      CHECK_MESSAGE(told.err.contains(row.error), told.err);
      CHECK(std::ranges::count(told.err, '\n') == 1);
    }
  }
}

}  // namespace
}  // namespace winnow::test
