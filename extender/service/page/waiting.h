// The pods that wait, grouped by why, as the page shows them.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "cluster/mutex.h"

namespace winnow {

struct ActiveConfig;
class PendingSummary;
struct ExplainOptions;

/// Answers who waits for what. Pods that rules cannot tell apart are judged once, in a thread of its own that
/// gives way to all others: no call of kube-scheduler waits for a viewer. What was found is kept for some
/// seconds, so that many viewers cost no more than one. Thread-safe.
class WaitingGroups {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// How long an answer is kept. A judgement of one pod over 5,000 nodes takes some milliseconds.
  static constexpr std::chrono::seconds kKept{5};
  /// When nobody has asked for so long after that, the answer is too old to be shown even once.
  static constexpr std::chrono::seconds kForgotten{30};
  /// The most time that one round may judge; the rest is counted as not judged.
  static constexpr std::chrono::milliseconds kMayTake{500};
  /// The same for json_for(), which has the thread of a call.
  static constexpr std::chrono::milliseconds kMayTakeAtOnce{100};
  static constexpr std::size_t kMostNames = 20;
  static constexpr std::size_t kMostSums = 12;

  /// {"groups":[{"reason":TEXT,"count":N,"fits":BOOL,"pods":["NAMESPACE/NAME",…]},…],"more":N,
  /// "summary":[TEXT,…],"pending":N,"judged":N}
  /// The largest group comes first. `reason` is as in kube-scheduler's event, or says what the pod waits for;
  /// a long one ends in "…". `pods` has kMostNames at most. Groups for which there is no room below 200 kB
  /// are left out, and `more` counts their pods. Pods that were not judged in time are in no group: `judged`
  /// is less than `pending` then. `summary` has the pods by what keeps them out (PendingSummary), kMostSums
  /// lines at most.
  /// Never waits for a judgement: it answers what the last round has found, and has the next one begin when
  /// that is old. Before the first one, and after kForgotten, there are no groups and none are judged.
  std::string json(const ActiveConfig& active, const ExplainOptions& options,
                   Time now = std::chrono::steady_clock::now());
  /// The same for one node alone, at once: which of the pods that wait fit there. Nothing is kept.
  static std::string json_for(const ActiveConfig& active, const ExplainOptions& options,
                              const std::string& node);

 private:
  struct Group {
    std::string reason;
    std::size_t count = 0;
    bool fits = false;
    std::vector<std::string> pods;
  };
  using Nodes = std::optional<std::vector<std::string>>;
  static std::string judge(const ActiveConfig& active, const ExplainOptions& options, const Nodes& nodes,
                           std::chrono::milliseconds longest, const std::stop_token& stop);
  static std::string written(const std::vector<const Group*>& order);
  static std::string written(const PendingSummary& summary);
  void judge_all(const ActiveConfig& active, const ExplainOptions& options, const std::stop_token& stop);

  Mutex mutex_;
  std::string kept_ WINNOW_GUARDED_BY(mutex_);
  Time until_ WINNOW_GUARDED_BY(mutex_){};
  bool judging_ WINNOW_GUARDED_BY(mutex_) = false;
  std::jthread thread_ WINNOW_GUARDED_BY(mutex_);  ///< Of the last round. Last member, so that it ends first.
};

}  // namespace winnow
