// What calls show of kube-scheduler's configuration: wrong flags and settings, and a sample of the nodes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "cluster/mutex.h"
#include "cluster/state/row_values.h"

namespace winnow {

class ClusterCache;
class LiveMetrics;
struct ExtenderOptions;

/// kube-scheduler without percentageOfNodesToScore: 100 stops looking for nodes when it has found enough. It
/// continues from there with the next pod, and takes the found nodes for all that fit. If only an extender
/// refuses those, the pod stays pending although another node is free.
///
/// Sampling is detected by kInARow calls in a row that have the same number of nodes, each time other ones.
/// The number is less than the number of all nodes, and one at which kube-scheduler stops with some
/// percentage. Thread-safe.
///
/// Upstream: numFeasibleNodesToFind of pkg/scheduler/schedule_one.go, v1.37.0.
class Sampling {
 public:
  static constexpr std::size_t kLeast = 100;  ///< Upstream's minFeasibleNodesToFind.
  static constexpr std::size_t kMostPercent = 99;
  static constexpr int kInARow = 4;

  /// @param asked  the nodes of a filter call.
  /// @param nodes  the number of all nodes.
  /// @return whether this call completes such a row, or continues one.
  bool notice(std::span<const NodeId> asked, std::size_t nodes);

 private:
  Mutex mutex_;
  std::size_t count_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t set_ WINNOW_GUARDED_BY(mutex_) = 0;
  int in_a_row_ WINNOW_GUARDED_BY(mutex_) = 0;
};

// The warning that kube-scheduler sends a sample of the nodes only.

/// Counts the filter calls that show sampling, and logs the first one. Thread-safe.
class SamplingWarning {
 public:
  /// @param shown  the nodes of a filter call.
  /// @param nodes  the number of all nodes.
  /// @param mended  pods that only another node fits are nominated: nothing is to be warned of.
  void look_at(std::span<const NodeId> shown, std::size_t nodes, bool mended, LiveMetrics& metrics);

 private:
  Sampling sampling_;
  std::atomic<bool> warned_ = false;
};

// A detector of flags and kube-scheduler settings that contradict each other, from the calls that arrive.
//
// What calls show of kube-scheduler's configuration is all in this header: what is noticed here, and the
// sample of the nodes, which is noticed and said above.

/// A contradiction between Winnow's flags and the extender's entry in kube-scheduler's configuration.
enum class SetupProblem : std::uint8_t {
  kFilterNotCalled,   ///< Winnow should filter, and only the later verbs are called.
  kPrioritizeCalled,  ///< filter answers one node, and still prioritize is called.
  kBindNotCalled,     ///< Binding is on, and kube-scheduler binds by itself.
  kBindCalled,        ///< Binding is off, and bind is called.
  kWholeNodes,        ///< Calls have full nodes in place of node names.
};
inline constexpr std::size_t kSetupProblems = 5;

/// The problem as a metric's label value, such as "filter_not_called".
std::string_view to_string(SetupProblem problem);
/// One sentence that says what is wrong.
std::string_view meaning(SetupProblem problem);
/// The line of kube-scheduler's configuration that is missing or wrong.
std::string_view line_of(SetupProblem problem);

/// Counts calls, and reports each problem once, when it is certain. Thread-safe. Two things prove nothing:
/// - filter is not called while kube-scheduler itself finds no node. It then preempts, and calls only
///   preempt.
/// - an ignorable extender is asked to prioritize after its filter has failed.
class SetupNotes {
 public:
  /// The flags that the calls are compared with.
  struct Flags {
    bool best = false;   ///< --answer=best.
    bool picks = false;  ///< --answer=best or one, on a live cluster.
    bool binds = false;  ///< --enable-bind.
  };
  /// The number of calls, or of pods, from which on a problem is certain and not chance.
  static constexpr std::uint64_t kEnough = 20;

  explicit SetupNotes(Flags flags) : flags_(flags) {}

  // One function for each verb, to be called once a call.
  // @return the problem, if this call is the first that makes it certain.
  using Noticed = std::optional<SetupProblem>;
  /// @param good  whether the call was answered without an error.
  Noticed on_filter(bool good);
  Noticed on_prioritize();
  Noticed on_preempt();
  Noticed on_bind();
  /// In addition to those: whether the call had full nodes.
  Noticed on_nodes(bool whole);

  /// Whether on_arrived() should be called: pods may have been bound without a bind call.
  bool doubts_binding() const;
  /// @param pods  the number of assumed pods that the watch has shown on their node, since the start.
  Noticed on_arrived(std::uint64_t pods);

  /// Whether the problem is there. A problem of calls that do not arrive ends when one arrives.
  bool has(SetupProblem problem) const;

 private:
  bool filter_is_missing() const WINNOW_REQUIRES(mutex_);
  Noticed notice(SetupProblem problem, bool certain) WINNOW_REQUIRES(mutex_);
  bool& state(SetupProblem problem) WINNOW_REQUIRES(mutex_) {
    return there_[static_cast<std::size_t>(problem)];
  }

  const Flags flags_;
  mutable Mutex mutex_;
  std::uint64_t filters_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t prioritizes_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t preempts_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t binds_ WINNOW_GUARDED_BY(mutex_) = 0;
  /// Since filter was first called or last failed.
  std::uint64_t prioritizes_in_a_row_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t whole_in_a_row_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::array<bool, kSetupProblems> there_ WINNOW_GUARDED_BY(mutex_){};
  std::array<bool, kSetupProblems> told_ WINNOW_GUARDED_BY(mutex_){};
};

// The output of SetupNotes: warnings in the log, and metrics.

/// The options that SetupNotes compares calls with.
SetupNotes::Flags setup_flags(const ExtenderOptions& options);
/// Logs the problem as a warning, if there is one.
void warn_of(SetupNotes::Noticed problem);
/// If pods may have been bound without a bind call: counts the assumed pods that were confirmed, and warns.
/// Locks the cache for reading.
void warn_of_arrivals(SetupNotes& notes, const ClusterCache& cache);
/// Sets the series of all problems, for a scrape.
void show(const SetupNotes& notes, LiveMetrics& metrics);

}  // namespace winnow
