// Calls that are held, for tests that are the watch: what they write comes when a call has looked at the
// cache before, and never because some time is over.
#pragma once

#include <atomic>
#include <future>
#include <thread>

#include "cluster/function_ref.h"
#include "extender/engine/ruleset.h"
#include "tests/extender/service/small_clusters.h"

namespace winnow::test {

/// How often a cache was judged, by all services of this process.
inline std::atomic<int> looks = 0;

/// Until there are more than `before`, however long it takes.
inline void wait_for_look(int before) {
  while (looks <= before) looks.wait(before);
}

/// Has nothing to say, but counts; while the cache is locked.
inline std::unique_ptr<const Predicate> count_look(const Request&, const Arguments&) {
  ++looks;
  looks.notify_all();
  return nullptr;
}

/// The rules, and first of them one that counts.
inline RuleSet counting(RuleSet rules = default_rule_set()) {
  rules.predicates.insert(rules.predicates.begin(), {.name = "Counts", .bind = &count_look});
  return rules;
}

/// Longer than any test lasts.
inline constexpr std::chrono::milliseconds kVeryLong = std::chrono::seconds(30);

inline ExtenderOptions holding(std::chrono::milliseconds catch_up, AnswerMode answer = AnswerMode::kBest) {
  ExtenderOptions options;
  options.answer = answer;
  options.assume = true;
  options.catch_up = catch_up;
  options.request_timeout = std::chrono::minutes(5);  // Never what ends a call, on a slow machine either.
  return options;
}

/// The service beside its watch. With rules that count.
class HeldService : public RunningService {
 public:
  HeldService(std::unique_ptr<ClusterCache> cache, ExtenderOptions options,
              RuleSet rules = default_rule_set(), ExtenderServices services = {})
      : RunningService(std::move(cache), counting(std::move(rules)), std::move(options), {},
                       std::move(services)) {}

  /// A call that is being judged for the first time, or has been.
  std::future<Answer> begin(const std::string& path, const std::string& body) const {
    const int before = looks;
    auto call = std::async(std::launch::async, [this, path, body] { return post(path, body); });
    wait_for_look(before);
    return call;
  }
  /// As the watch does it.
  void watch(FunctionRef<void(State&)> events, bool for_others = true) {
    cache().write(events);
    cache().news().tell(for_others);
  }
  void watch_pods(FunctionRef<void(AssumedPods&)> events) {
    cache().write_pods(events);
    cache().news().tell(/*for_others=*/true);
  }
};

}  // namespace winnow::test
