// Flags and kube-scheduler's file that do not fit each other, told from calls as they come in a good set-up.
#include "extender/service/setup_notes.h"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "extender/engine/engines.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test::setup_notes_test {
namespace {

constexpr SetupNotes::Flags kBest{.best = true, .picks = true, .binds = true};
constexpr SetupNotes::Flags kBestShipped{.best = true, .picks = true};
constexpr SetupNotes::Flags kOne{.picks = true};
constexpr SetupNotes::Flags kComplete{};

/// A call a letter: f(ilter), F(ilter, an error), p(rioritize), e(vict: preempt), b(ind), n(odes, whole),
/// N(ode names). @return what was noticed, in order.
std::vector<SetupProblem> calls(SetupNotes& notes, std::string_view letters, std::uint64_t times = 1) {
  std::vector<SetupProblem> noticed;
  const auto keep = [&](SetupNotes::Noticed problem) {
    if (problem) noticed.push_back(*problem);
  };
  for (std::uint64_t i = 0; i < times; ++i)
    for (const char letter : letters) {
      if (letter == 'f') keep(notes.on_filter(true));
      if (letter == 'F') keep(notes.on_filter(false));
      if (letter == 'p') keep(notes.on_prioritize());
      if (letter == 'e') keep(notes.on_preempt());
      if (letter == 'b') keep(notes.on_bind());
      if (letter == 'n') keep(notes.on_nodes(true));
      if (letter == 'N') keep(notes.on_nodes(false));
    }
  return noticed;
}

using Problems = std::vector<SetupProblem>;
using enum SetupProblem;

TEST_SUITE("setup notes") {
  TEST_CASE("calls in which nothing is wrong, however many") {
    struct Row {
      const char* sentence;
      SetupNotes::Flags flags;
      const char* first;
      const char* then;
    };
    const Row rows[] = {
        {"best as it ships: filter names one node, and kube-scheduler binds", kBestShipped, "", "Nf"},
        {"best: filter names one node, and binds follow", kBest, "", "Nfb"},
        {"best: binds of the Winnow before come first", kBest, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "Nfb"},
        {"best: kube-scheduler itself finds no node, and preempts", kBest, "", "e"},
        {"best, ignorable: filter fails, so that there is something to prioritize", kBest, "", "FNp"},
        {"scores alone: filter is never called", kOne, "", "Np"},
        {"everything: filter, then prioritize", kOne, "eeeeeeeeeeeeeeeeeeeeeeeee", "NfNp"},
        {"everything: preempt alone, while nothing fits in-tree", kOne, "", "e"},
        {"complete, with whole nodes", kComplete, "", "nfnp"},
        {"an autoscaler asks with whole nodes now and then", kOne, "", "nfNfNp"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      SetupNotes notes(row.flags);
      CHECK(calls(notes, row.first) == Problems());
      CHECK(calls(notes, row.then, 1000) == Problems());
    }
  }

  TEST_CASE("each problem is noticed when it is certain, and once") {
    struct Row {
      const char* sentence;
      SetupNotes::Flags flags;
      const char* call;
      std::uint64_t times;
      SetupProblem problem;
    };
    const Row rows[] = {
        {"best without filterVerb", kBest, "p", 20, kFilterNotCalled},
        {"everything without filterVerb: somebody was to be evicted", kOne, "ep", 20, kFilterNotCalled},
        {"best, and a second kube-scheduler without filterVerb", kBest, "fp", 20, kPrioritizeCalled},
        {"bindVerb, and no --enable-bind", kOne, "b", 1, kBindCalled},
        {"nodeCacheCapable is missing", kOne, "nf", 20, kWholeNodes},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      SetupNotes notes(row.flags);
      CHECK(calls(notes, row.call, row.times - 1) == Problems());
      CHECK_FALSE(notes.has(row.problem));
      CHECK(calls(notes, row.call) == Problems{row.problem});
      CHECK(notes.has(row.problem));
      CHECK(calls(notes, row.call, 100) == Problems());
    }
  }

  TEST_CASE("everything without filterVerb is noticed, too, when the first preempt comes late") {
    SetupNotes notes(kOne);
    CHECK(calls(notes, "p", 100) == Problems());
    CHECK(calls(notes, "e") == Problems{kFilterNotCalled});
  }

  TEST_CASE("a problem ends with the call that was missing") {
    SetupNotes notes(kBest);
    CHECK(calls(notes, "p", 20) == Problems{kFilterNotCalled});
    CHECK(calls(notes, "f") == Problems());
    CHECK_FALSE(notes.has(kFilterNotCalled));
    CHECK(calls(notes, "p", 19) == Problems());  // Those before say nothing of now.
    CHECK(notes.on_arrived(20) == kBindNotCalled);
    CHECK(calls(notes, "b") == Problems());
    CHECK_FALSE(notes.has(kBindNotCalled));
  }

  TEST_CASE("bind is missing when 20 pods have gone where Winnow said, and none was bound by it") {
    SetupNotes notes(kBest);
    CHECK_FALSE(notes.doubts_binding());
    calls(notes, "f", 20);
    CHECK(notes.doubts_binding());
    CHECK(notes.on_arrived(19) == std::nullopt);
    CHECK(notes.on_arrived(20) == kBindNotCalled);
    CHECK(notes.on_arrived(21) == std::nullopt);
    CHECK_FALSE(notes.doubts_binding());
    SUBCASE("not after a single bind") {
      SetupNotes binding(kBest);
      calls(binding, "fb", 20);
      CHECK_FALSE(binding.doubts_binding());
      CHECK(binding.on_arrived(1000) == std::nullopt);
    }
    SUBCASE("nor where Winnow does not bind") {
      for (const SetupNotes::Flags& flags : {kOne, kBestShipped}) {
        SetupNotes off(flags);
        calls(off, "f", 20);
        CHECK_FALSE(off.doubts_binding());
        CHECK(off.on_arrived(1000) == std::nullopt);
      }
    }
  }

  TEST_CASE("every problem has a word, a sentence, and a line of kube-scheduler's file") {
    for (std::size_t i = 0; i < kSetupProblems; ++i) {
      const auto problem = static_cast<SetupProblem>(i);
      CHECK_FALSE(to_string(problem).empty());
      CHECK(meaning(problem).contains(' '));
      CHECK(line_of(problem).contains(": "));
    }
  }
}

std::string series(SetupProblem problem) {
  return "winnow_setup_problems{problem=\"" + std::string(to_string(problem)) + "\"}";
}

ExtenderOptions deciding(AnswerMode answer) {
  ExtenderOptions options;
  options.answer = answer;
  options.assume = true;
  return options;
}

std::string pod_json(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"default","uid":"uid-)" + name +
         R"(","resourceVersion":"5"},"spec":{"containers":[{"name":"c"}]}})";
}

TEST_SUITE("setup notes of the service") {
  TEST_CASE("all are there from the first scrape on") {
    RunningService service(cache_of_size(2), default_rule_set(), deciding(AnswerMode::kBest));
    for (std::size_t i = 0; i < kSetupProblems; ++i)
      CHECK(service.metric(series(static_cast<SetupProblem>(i))) == 0);
  }

  TEST_CASE("prioritize under best") {
    RunningService service(cache_of_size(2), default_rule_set(), deciding(AnswerMode::kBest));
    for (int i = 0; i < 20; ++i) {
      CHECK(service.metric(series(kFilterNotCalled)) == 0);
      service.post("/prioritize", args_with_names({"n0", "n1"}));
      service.post("/prioritize", "no body of kube-scheduler's");
    }
    CHECK(service.metric(series(kFilterNotCalled)) == 1);
    service.post("/filter", args_with_names({"n0", "n1"}));
    CHECK(service.metric(series(kFilterNotCalled)) == 0);
  }

  TEST_CASE("preempt and prioritize, but never filter") {
    RunningService service(cache_of_size(2), default_rule_set(), deciding(AnswerMode::kOne));
    for (int i = 0; i < 20; ++i) service.post("/prioritize", args_with_names({"n0", "n1"}));
    CHECK(service.metric(series(kFilterNotCalled)) == 0);
    service.post("/preempt", R"({"Pod":{"metadata":{"name":"p","uid":"u"}},"NodeNameToMetaVictims":{}})");
    CHECK(service.metric(series(kFilterNotCalled)) == 1);
  }

  TEST_CASE("whole nodes") {
    RunningService service(cache_of_size(2), default_rule_set(), deciding(AnswerMode::kOne));
    const std::string body =
        R"({"Pod":{"metadata":{"name":"p","uid":"u"}},"Nodes":{"items":[{"metadata":{"name":"n0"}}]}})";
    for (int i = 0; i < 20; ++i) {
      CHECK(service.metric(series(kWholeNodes)) == 0);
      CHECK(service.post("/filter", body).status == 200);
    }
    CHECK(service.metric(series(kWholeNodes)) == 1);
  }

  TEST_CASE("bind, while it is off") {
    RunningService service(cache_of_size(2), default_rule_set(), deciding(AnswerMode::kOne));
    CHECK(service.metric(series(kBindCalled)) == 0);
    service.post("/bind", "{}");
    CHECK(service.metric(series(kBindCalled)) == 1);
  }

  TEST_CASE("pods that are bound where Winnow said, and not by it") {
    ExtenderOptions options = deciding(AnswerMode::kBest);
    options.binds = true;
    RunningService service(cache_of_size(1), default_rule_set(), options);
    for (int i = 0; i < 20; ++i) {
      const std::string name = "p" + std::to_string(i);
      const std::string pod = pod_json(name);
      service.cache().write_pods(
          [&](AssumedPods& pods) { pods.set(decode_pod(pod).value(), std::chrono::steady_clock::now()); });
      service.post("/filter", args_with_names({"n0"}, pod));
      CHECK(service.metric(series(kBindNotCalled)) == 0);
      service.cache().write_pods([&](AssumedPods& pods) {
        Pod bound = decode_pod(pod).value();
        bound.spec.node_name = "n0";
        pods.set(bound, std::chrono::steady_clock::now());
      });
    }
    service.post("/filter", args_with_names({"n0"}, pod_json("more")));
    CHECK(service.metric(series(kBindNotCalled)) == 1);
  }
}

}  // namespace
}  // namespace winnow::test::setup_notes_test
