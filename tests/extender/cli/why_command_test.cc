// winnow why, as an operator sees it: what it prints, and an exit code.
#include <doctest/doctest.h>

#include <format>
#include <iostream>
#include <sstream>

#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

struct Told {
  int code = -1;
  std::string out, err;
};

Told why(const WhyFlags& flags) {
  std::ostringstream out, err;
  std::streambuf* const was_out = std::cout.rdbuf(out.rdbuf());
  std::streambuf* const was_err = std::cerr.rdbuf(err.rdbuf());
  const int code = say_why(flags);
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
                          "and the pod is not bound yet\n"));
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
      CHECK(none.err == "winnow why: no decision about pod shop/web is kept there\n");
    }
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

  TEST_CASE("what cannot be asked") {
    const RunningService off(cache_of_size(1), default_rule_set(), {.answer = AnswerMode::kBest});
    const std::string url = std::format("http://127.0.0.1:{}", off.port());
    struct Row {
      const char* sentence;
      WhyFlags flags;
      std::string error;
    };
    const Row rows[] = {
        {"no server", {.pod = "a"}, "winnow why: no Winnow to ask: expected --server http://HOST:PORT\n"},
        {"a URL that is none", {.pod = "a", .server = {.url = "here"}}, "winnow why: --server: "},
        {"nobody there", {.pod = "a", .server = {.url = "http://127.0.0.1:1"}}, "winnow why: "},
        {"it keeps none",
         {.pod = "a", .server = {.url = url}},
         "is answered with 404: no decisions are kept: Winnow runs with --keep-decisions=0\n"},
        {"a pod that is no name",
         {.pod = "a/b/c", .server = {.url = url}},
         "is answered with 400: pod: \"a/b/c\" is not NAMESPACE/NAME\n"},
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
