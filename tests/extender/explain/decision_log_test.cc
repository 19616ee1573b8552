#include "extender/explain/decision_log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>

#include "tests/builders.h"
#include "tests/extender/explain/records.h"

namespace winnow::test::decision_log_test {
namespace {

using Words = std::vector<std::string>;

DecisionRecord nowhere(const std::string& name) { return decided(name); }

Pod event(const std::string& name, const std::string& node = "") {
  PodBuilder made = pod(name).uid("uid-" + name);
  if (!node.empty()) made.on(node);
  made.object().metadata.resource_version = "9";
  return made;
}
Pod refused(const std::string& name, const std::string& message) {
  Pod made = event(name);
  made.status.conditions = {{"PodScheduled", "False", "SchedulerError", message}};
  return made;
}

TEST_SUITE("decisions: the log") {
  TEST_CASE("what becomes of decisions") {
    using Log = DecisionLog;
    struct Row {
      const char* sentence;
      std::function<void(Log&)> happens;
      Words words;
    };
    const Row rows[] = {
        {"nothing is known yet", [](Log& log) { log.keep(chosen("a")); }, {"a filter waiting"}},
        {"a pod that fits nowhere is no longer waited for",
         [](Log& log) { log.keep(nowhere("a")); },
         {"a filter nowhere"}},
        {"a call that fails",
         [](Log& log) {
           DecisionRecord record = chosen("a");
           record.error = "no";
           log.keep(std::move(record));
         },
         {"a filter error"}},
        {"the watch shows the pod on the node",
         [](Log& log) { log.keep(chosen("a")), log.on_pod(event("a", "node-7")); },
         {"a filter bound"}},
        {"the watch shows it elsewhere",
         [](Log& log) { log.keep(chosen("a")), log.on_pod(event("a", "node-1")); },
         {"a filter elsewhere"}},
        {"without a pick any node will do",
         [](Log& log) {
           DecisionRecord record = decided("a");
           record.fits = 3;
           log.keep(std::move(record));
           log.on_pod(event("a", "node-1"));
         },
         {"a filter bound"}},
        {"an event of another pod",
         [](Log& log) { log.keep(chosen("a")), log.on_pod(event("b", "node-7")); },
         {"a filter waiting"}},
        {"the name is another pod's",
         [](Log& log) {
           log.keep(chosen("a"));
           Pod other = event("a");
           other.metadata.uid = "later";
           log.on_pod(other);
         },
         {"a filter deleted"}},
        {"an event that is older than the decision tells nothing of the pod's end",
         [](Log& log) {
           DecisionRecord record = chosen("a");
           record.resource_version = 10;
           log.keep(std::move(record));
           Pod before = event("a");
           before.metadata.uid = "earlier";
           log.on_pod(before);
           log.on_gone("default", "a", 9);
         },
         {"a filter waiting"}},
        {"the pod is gone",
         [](Log& log) { log.keep(chosen("a")), log.on_gone("default", "a", 9); },
         {"a filter deleted"}},
        {"the pod is being deleted",
         [](Log& log) {
           log.keep(chosen("a"));
           log.on_pod(PodBuilder("a").uid("uid-a").deleting());
         },
         {"a filter deleted"}},
        {"kube-scheduler says why it did not follow",
         [](Log& log) { log.keep(chosen("a")), log.on_pod(refused("a", "reserve: no")); },
         {"a filter refused"}},
        {"that no node fits may be of an earlier attempt",
         [](Log& log) { log.keep(chosen("a")), log.on_pod(refused("a", "0/5 nodes are available.")); },
         {"a filter waiting"}},
        {"what the pod had said already is no news",
         [](Log& log) {
           DecisionRecord record = chosen("a");
           record.known_refusal = hash_of_refusal(refused("a", "reserve: no").status.conditions);
           log.keep(std::move(record));
           log.on_pod(refused("a", "reserve: no"));
         },
         {"a filter waiting"}},
        {"a later call shows that the attempt failed",
         [](Log& log) { log.keep(chosen("a")), log.keep(chosen("a")); },
         {"a filter waiting", "a filter refused"}},
        {"a later call about another pod of that name",
         [](Log& log) {
           log.keep(chosen("a"));
           DecisionRecord other = chosen("a");
           other.uid = "later";
           log.keep(std::move(other));
         },
         {"a filter waiting", "a filter deleted"}},
        {"the scores join the filter call of the attempt",
         [](Log& log) {
           DecisionRecord record = decided("a");
           record.fits = 2;
           record.rules = nullptr;
           DecisionRecord scores = chosen("a", DecisionVerb::kPrioritize);
           scores.rules = nullptr;
           log.keep(std::move(record));
           log.keep_scores(std::move(scores));
         },
         {"a filter waiting"}},
        {"scores by other rules do not join",
         [](Log& log) {
           DecisionRecord record = decided("a");
           record.fits = 2;
           log.keep(std::move(record));
           log.keep_scores(chosen("a", DecisionVerb::kPrioritize));
         },
         {"a prioritize waiting", "a filter waiting"}},
        {"scores without a filter call",
         [](Log& log) { log.keep_scores(chosen("a", DecisionVerb::kPrioritize)); },
         {"a prioritize waiting"}},
        {"an eviction waits for its node while the pod is tried again",
         [](Log& log) {
           log.keep(nowhere("a"));
           log.keep(chosen("a", DecisionVerb::kPreempt));
           log.keep(chosen("a"));
           log.on_pod(event("a", "node-7"));
         },
         {"a filter bound", "a preempt bound", "a filter nowhere"}},
        {"a binding that is refused is the end of the choice too",
         [](Log& log) {
           log.keep(chosen("a"));
           log.keep(chosen("a", DecisionVerb::kBind));
           log.on_bind_failed("default", "a", "uid-a", "409");
         },
         {"a bind bind_failed", "a filter bind_failed"}},
        {"a binding that is made",
         [](Log& log) {
           log.keep(chosen("a"));
           log.keep(chosen("a", DecisionVerb::kBind));
           log.on_bound("default", "a", "uid-a", "node-7");
         },
         {"a bind bound", "a filter bound"}},
        {"a binding of another pod of that name",
         [](Log& log) { log.keep(chosen("a")), log.on_bound("default", "a", "other", "node-7"); },
         {"a filter waiting"}},
        {"a call about a nominated pod does not end the nomination",
         [](Log& log) { log.keep(chosen("a", DecisionVerb::kNominate)), log.keep(chosen("a")); },
         {"a filter waiting", "a nominate waiting"}},
        {"a nomination that is refused",
         [](Log& log) {
           log.keep(chosen("a", DecisionVerb::kNominate));
           log.on_nomination_ended("default", "a", "uid-a", true, "0/5");
         },
         {"a nominate refused"}},
        {"a nomination that is withdrawn, when the choice of a call stands",
         [](Log& log) {
           log.keep(chosen("a", DecisionVerb::kNominate)), log.keep(chosen("a"));
           log.on_nomination_ended("default", "a", "uid-a", false, "cleared");
         },
         {"a filter waiting", "a nominate withdrawn"}},
        {"what has ended stays so",
         [](Log& log) {
           log.keep(chosen("a"));
           log.on_pod(event("a", "node-7"));
           log.on_gone("default", "a", 9);
         },
         {"a filter bound"}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      DecisionLog log(10);
      row.happens(log);
      CHECK(words_of(log) == row.words);
      CHECK(words_of(log, "default/a") == row.words);
      std::uint64_t ended = 0;
      for (const std::uint64_t count : log.figures().ended) ended += count;
      CHECK(ended == static_cast<std::uint64_t>(std::ranges::count_if(
                         row.words, [](const std::string& one) { return !one.ends_with(" waiting"); })));
    }
  }

  TEST_CASE("what is put aside is there for everyone who looks or tells") {
    struct Row {
      const char* sentence;
      std::function<void(DecisionLog&)> happens;
      Words words;
    };
    const Row rows[] = {
        {"a reader", [](DecisionLog&) {}, {"a filter waiting"}},
        {"the watch", [](DecisionLog& log) { log.on_pod(event("a", "node-7")); }, {"a filter bound"}},
        {"the pod's end", [](DecisionLog& log) { log.on_gone("default", "a", 9); }, {"a filter deleted"}},
        {"a binding",
         [](DecisionLog& log) { log.on_bound("default", "a", "uid-a", "node-7"); },
         {"a filter bound"}},
        {"a decision that is kept at once",
         [](DecisionLog& log) { log.keep(chosen("a", DecisionVerb::kBind)); },
         {"a bind waiting", "a filter waiting"}},
        {"one with its end",
         [](DecisionLog& log) {
           log.keep_ended(chosen("a", DecisionVerb::kShadow), {.result = DecisionResult::kSame});
         },
         {"a shadow same", "a filter waiting"}},
        {"scores by other rules",
         [](DecisionLog& log) { log.keep_scores(chosen("a", DecisionVerb::kPrioritize)); },
         {"a prioritize waiting", "a filter waiting"}},
        {"what is put aside after it",
         [](DecisionLog& log) { log.put_aside(chosen("a")); },
         {"a filter waiting", "a filter refused"}},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      DecisionLog log(10);
      log.put_aside(chosen("a"));
      row.happens(log);
      CHECK(words_of(log) == row.words);
    }
    DecisionLog log(10);
    log.put_aside(chosen("a"));
    CHECK(log.figures().kept == 1);
    log.put_aside(chosen("b"));
    log.take_in();
    log.take_in();
    CHECK(log.figures().made[0] == 2);
  }

  TEST_CASE("scores that are put aside join the filter call before them") {
    DecisionLog log(10);
    DecisionRecord filtered = decided("a");
    filtered.fits = 2;
    DecisionRecord scores = chosen("a", DecisionVerb::kPrioritize);
    scores.rules = filtered.rules;
    log.put_aside(std::move(filtered));
    log.put_scores_aside(std::move(scores));
    CHECK(words_of(log) == Words{"a filter waiting"});
    CHECK(all_of(log).front().record->best.size() == 2);
  }

  TEST_CASE("many that are put aside are all kept, in order") {
    DecisionLog log(1000);
    for (int i = 0; i < 200; ++i) log.put_aside(chosen("p" + std::to_string(i)));
    const auto all = all_of(log);
    REQUIRE(all.size() == 200);
    for (std::size_t i = 0; i < 200; ++i) CHECK(all[i].record->pod == "default/p" + std::to_string(199 - i));
  }

  TEST_CASE("what was said is kept until a later call shows the end") {
    DecisionLog log(10);
    log.keep(chosen("a"));
    log.on_pod(refused("a", "0/5 nodes are available."));
    CHECK(all_of(log).front().ending->said == "0/5 nodes are available.");
    log.keep(chosen("a"));
    CHECK(all_of(log).back().ending->said == "0/5 nodes are available.");
    CHECK(all_of(log).back().result() == DecisionResult::kRefused);
  }

  TEST_CASE("joined scores are those of the prioritize call") {
    DecisionLog log(10);
    DecisionRecord filtered = decided("a");
    filtered.fits = 4;
    const auto rules = filtered.rules;
    log.keep(std::move(filtered));
    const std::size_t before = log.figures().bytes;
    DecisionRecord scores = chosen("a", DecisionVerb::kPrioritize);
    scores.rules = rules;
    log.keep_scores(std::move(scores));
    const auto all = all_of(log);
    REQUIRE(all.size() == 1);
    CHECK(all[0].record->fits == 4);
    CHECK(all[0].record->scored == 2);
    CHECK(all[0].record->best.size() == 2);
    CHECK(log.figures().bytes == pack(*all[0].record).size());
    CHECK(log.figures().bytes > before);
  }

  TEST_CASE("the ring begins anew, and drops the oldest") {
    for (const std::size_t most : {1, 2, 3, 200}) {
      CAPTURE(most);
      DecisionLog log(most);
      for (std::size_t i = 0; i < 3 * most + 1; ++i) log.keep(chosen("p" + std::to_string(i)));
      const auto all = all_of(log);
      REQUIRE(all.size() == most);
      std::size_t bytes = 0;
      for (std::size_t i = 0; i < most; ++i) {
        CHECK(all[i].record->pod == "default/p" + std::to_string(3 * most - i));
        bytes += pack(*all[i].record).size() + (all[i].ending ? all[i].ending->bytes() : 0);
      }
      CHECK(log.figures().kept == most);
      CHECK(log.figures().bytes == bytes);
      CHECK(log.figures().made[0] == 3 * most + 1);
      CHECK(all_of(log, "default/p0").empty());
      CHECK(all_of(log, "default/p" + std::to_string(3 * most)).size() == 1);
    }
  }

  TEST_CASE("one pod that is tried again and again is a chain that ends where the ring does") {
    DecisionLog log(5);
    for (int i = 0; i < 12; ++i) {
      log.keep(chosen("a"));
      log.keep(chosen("other-" + std::to_string(i)));
    }
    CHECK(words_of(log, "default/a") == Words{"a filter waiting", "a filter refused"});
    log.on_pod(event("other-0", "node-7"));  // Dropped long ago.
    log.on_pod(event("a", "node-7"));
    CHECK(words_of(log, "default/a") == Words{"a filter bound", "a filter refused"});
  }

  TEST_CASE("large decisions leave room for fewer") {
    DecisionLog log(10);
    DecisionRecord large = chosen("a");
    large.victims.assign(kMostKeptVictims, std::string(kMostNameBytes, 'v'));
    for (int i = 0; i < 32; ++i) large.refused.push_back({0, 1, {{std::string(400, 'r'), 1}}, 0});
    const std::size_t one = pack(large).size();
    REQUIRE(one > DecisionLog::kBytesADecision);
    for (int i = 0; i < 30; ++i) {
      log.keep(large);
      CHECK(log.figures().bytes <= 10 * DecisionLog::kBytesADecision + kMostWordsBytes * 2);
    }
    CHECK(log.figures().kept < 10);
    CHECK(log.figures().kept >= 1);
  }

  TEST_CASE("the nearest nodes join their decision, wherever it is by then") {
    const std::vector<NearNode> near = {{"n1", {{0, {Cause{"taint"}.with("taint", "a=b:NoSchedule")}}}}};
    const auto nearest_of = [](const KeptDecision& decision) {
      return decision.record->nearest.empty() ? "" : decision.record->nearest.front().node;
    };
    for (const bool is_read : {false, true}) {
      CAPTURE(is_read);
      DecisionLog log(3);
      DecisionRecord record = decided("web");
      const DecisionName name = DecisionName::of(record);
      log.put_aside(record);
      record.time += std::chrono::seconds(1);
      log.put_aside(record);
      if (is_read) log.take_in();
      log.add_nearest(name, near);
      const auto all = all_of(log);
      REQUIRE(all.size() == 2);
      CHECK(nearest_of(all[0]) == "");
      CHECK(nearest_of(all[1]) == "n1");
      CHECK(all[1].record->nearest.front().refusals.front().causes == near[0].refusals[0].causes);
      CHECK(log.figures().bytes == pack(*all[0].record).size() + pack(*all[1].record).size());
    }
    DecisionLog log(1);
    const DecisionRecord dropped = decided("web");
    log.keep(dropped);
    log.keep(decided("other"));
    log.add_nearest(DecisionName::of(dropped), near);
    CHECK(nearest_of(all_of(log).front()) == "");
  }

  TEST_CASE("texts of others are cut") {
    DecisionLog log(3);
    DecisionRecord record = chosen(std::string(5000, 'n'));
    record.uid = std::string(5000, 'u');
    record.error = std::string(5000, 'e');
    log.keep(std::move(record));
    CHECK(pack(*all_of(log).front().record).size() < 2000);
    log.keep(chosen("a"));
    log.on_pod(refused("a", std::string(1 << 20, 'm')));
    CHECK(all_of(log).front().ending->said.size() == kMostWordsBytes + std::string("…").size());
  }

  TEST_CASE("calls, the watch, readers and scrapes at once") {
    DecisionLog log(64);
    std::atomic<bool> done = false;
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
          for (int i = 0; i < 400; ++i) {
            const std::string name = "p" + std::to_string((i * 7 + t) % 50);
            DecisionRecord record = decided(name);
            record.fits = 2;
            const auto rules = record.rules;
            log.put_aside(std::move(record));
            DecisionRecord scores = chosen(name, DecisionVerb::kPrioritize);
            scores.rules = rules;
            log.put_scores_aside(std::move(scores));
            if (i % 3 == 0) log.take_in();
            log.on_pod(event(name, i % 2 == 0 ? "node-7" : ""));
            if (i % 5 == 0) log.on_gone("default", name, 0);
          }
        });
      threads.emplace_back([&] {
        while (!done) {
          std::size_t seen = 0;
          for (const KeptDecision& decision : all_of(log)) {
            if (!decision.record || decision.record->pod.empty()) ++wrong;
            ++seen;
          }
          if (log.figures().kept > 64 || seen > 64 + 1200 * 2) ++wrong;
        }
      });
      for (std::size_t t = 0; t < 3; ++t) threads[t].join();
      done = true;
    }
    CHECK(wrong == 0);
    std::size_t bytes = 0;
    for (const KeptDecision& decision : all_of(log))
      bytes += pack(*decision.record).size() + (decision.ending ? decision.ending->bytes() : 0);
    CHECK(log.figures().bytes == bytes);
  }
}

}  // namespace
}  // namespace winnow::test::decision_log_test
