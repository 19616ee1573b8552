// Notices flags and kube-scheduler's file that do not fit each other, from the calls that come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cluster/mutex.h"

namespace winnow {

enum class SetupProblem : std::uint8_t {
  kFilterNotCalled,   ///< Winnow is to filter, and is only asked for what comes behind it.
  kPrioritizeCalled,  ///< Winnow's filter gives one node, and somebody chooses among several.
  kBindNotCalled,     ///< Binding is on, and kube-scheduler binds by itself.
  kBindCalled,        ///< Binding is off.
  kWholeNodes,        ///< Calls carry nodes in place of their names.
};
inline constexpr std::size_t kSetupProblems = 5;

/// As a metric's label has it: "filter_not_called".
std::string_view to_string(SetupProblem problem);
/// What is wrong, in one sentence; and the line of kube-scheduler's configuration that is missing or wrong.
std::string_view meaning(SetupProblem problem);
std::string_view line_of(SetupProblem problem);

/// Counts calls, and tells of each problem once, when it is certain. What proves nothing does not count: that
/// filter is not called while kube-scheduler itself finds no node (it then preempts, and asks nobody else),
/// or that an ignorable extender whose filter failed is asked to prioritize. Thread-safe.
class SetupNotes {
 public:
  /// What Winnow was started with.
  struct Flags {
    bool best = false;   ///< --answer=best.
    bool picks = false;  ///< --answer=best or one, on a live cluster.
    bool binds = false;  ///< --enable-bind.
  };
  /// Calls, or pods, that make certain what a few could be by chance.
  static constexpr std::uint64_t kEnough = 20;

  explicit SetupNotes(Flags flags) : flags_(flags) {}

  // One for each call. @return the problem that it makes certain, if it is the first to.
  using Noticed = std::optional<SetupProblem>;
  /// @param good  it was answered, and not with an error.
  Noticed on_filter(bool good);
  Noticed on_prioritize();
  Noticed on_preempt();
  Noticed on_bind();
  /// Beside those: the call named nodes, or carried them whole.
  Noticed on_nodes(bool whole);

  /// Whether on_arrived() is worth asking for: pods may have been bound without a call.
  bool doubts_binding() const;
  /// @param pods  that went where Winnow said, as the watch shows; of all time.
  Noticed on_arrived(std::uint64_t pods);

  /// Whether the problem was noticed; those of calls that did not come end when one comes.
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
  std::uint64_t prioritizes_in_a_row_ WINNOW_GUARDED_BY(mutex_) =
      0;  ///< With no filter call among them that failed.
  std::uint64_t whole_in_a_row_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::array<bool, kSetupProblems> there_ WINNOW_GUARDED_BY(mutex_){};
  std::array<bool, kSetupProblems> told_ WINNOW_GUARDED_BY(mutex_){};
};

}  // namespace winnow
