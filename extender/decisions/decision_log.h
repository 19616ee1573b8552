// The last decisions, with what became of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/live/pod_handler.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"
#include "extender/decisions/decision_record.h"
#include "extender/decisions/packed_record.h"

namespace winnow {

/// A decision as it was kept. `ending` may be null: no more is known than the record says.
struct KeptDecision {
  std::shared_ptr<const DecisionRecord> record;
  std::shared_ptr<const DecisionEnding> ending;

  DecisionResult result() const { return ending ? ending->result : first_result(*record); }
};

/// Figures for /metrics. The totals only grow.
struct DecisionFigures {
  std::size_t kept = 0;
  std::size_t bytes = 0;
  std::array<std::uint64_t, kDecisionVerbs> made{};
  std::array<std::uint64_t, kDecisionResults> ended{};
};

/// What the condition of a refused pod says, as a number; 0: the pod has none. See is_refusal().
std::size_t hash_of_refusal(const std::vector<PodCondition>& conditions);

/// The ring of the last decisions. It is told of them by calls, and of what became of them by the watch and
/// by the binds. A decision ends once: with what the watch shows, or when a later decision shows that
/// kube-scheduler did not follow it. Without a watch it waits for ever. Thread-safe. The one mutex is held
/// for copies of pointers and short texts.
class DecisionLog : public live::PodHandler {
 public:
  using Time = DecisionRecord::Time;
  /// The memory for each decision that may be kept, on average. Where decisions take more, the oldest ones go
  /// earlier.
  static constexpr std::size_t kBytesADecision = 4096;

  /// @param most  the number of decisions that are kept; at least 1.
  explicit DecisionLog(std::size_t most) : most_(most) {}

  /// Keeps a decision. Ends the earlier ones of this pod that it shows to be over.
  void keep(DecisionRecord record) { keep(std::move(record), nullptr); }
  /// Keeps a decision of which it is known already what became of it. @param ending  not with kWaiting.
  void keep_ended(DecisionRecord record, DecisionEnding ending);
  /// Keeps the scores of a prioritize call: with the filter call of the same attempt, if that is kept; else
  /// as a decision of their own.
  void keep_scores(DecisionRecord record);

  /// The pod is bound to the node, as an API server has told Winnow.
  void on_bound(std::string_view ns, std::string_view name, std::string_view uid, std::string_view node);
  /// Winnow's binding of the pod was refused.
  void on_bind_failed(std::string_view ns, std::string_view name, std::string_view uid,
                      std::string_view error);
  /// A nomination has come to nothing. @param refused  kube-scheduler has tried the pod. @param said  why.
  void on_nomination_ended(std::string_view ns, std::string_view name, std::string_view uid, bool refused,
                           std::string_view said);

  // From the watch.
  void on_pod(const Pod& pod) override;
  void on_gone(const std::string& ns, const std::string& name, std::uint64_t resource_version) override;
  void on_rewind() override {}

  /// Visits the decisions, the newest first, until `visit` returns false. One that is dropped meanwhile may
  /// be left out. The mutex is free during a visit.
  /// @param pod  NAMESPACE/NAME: its decisions alone; "": all.
  void visit(std::string_view pod, const std::function<bool(const KeptDecision&)>& visit) const;

  std::size_t most() const { return most_; }
  DecisionFigures figures() const;

 private:
  using Number = std::uint64_t;  ///< Of a decision, from 1 on; 0: none.
  struct Packed {
    PackedRecord record;
    std::shared_ptr<const RuleNames> rules;

    DecisionRecord unpacked() const { return unpack(record.text(), rules); }
  };
  struct Slot {
    Number number = 0;
    Number before = 0;      ///< The decision about this pod before.
    std::size_t bytes = 0;  ///< Of the record and its ending.
    Packed kept;
    std::shared_ptr<const DecisionEnding> ending;  ///< Null: no more is known than the record says.
  };
  /// The decisions about the pods of one name.
  struct OfPod {
    Number newest = 0;
    std::size_t uid = 0;  ///< The hash of that decision's UID: those that wait have the same.
    /// By verb, the one that has not ended; 0: none. A later one of the same verb ends it.
    std::array<Number, kDecisionVerbs> waiting{};
  };
  using Judge = std::function<std::optional<DecisionEnding>(const DecisionRecord&)>;

  bool has(Number number) const WINNOW_REQUIRES(mutex_);
  Slot& slot_of(Number number) WINNOW_REQUIRES(mutex_) { return slots_[number % most_]; }
  const Slot& slot_of(Number number) const WINNOW_REQUIRES(mutex_) { return slots_[number % most_]; }
  /// What is dropped: freed, or used again for the next one.
  struct Dropped {
    Slot slot;
    TextMap<OfPod>::node_type pod;  ///< Empty: the pod has a later decision.
  };
  Dropped drop_oldest() WINNOW_REQUIRES(mutex_);
  OfPod& pod_of(const std::string& name, TextMap<OfPod>::node_type& spare) WINNOW_REQUIRES(mutex_);
  void keep(DecisionRecord record, std::shared_ptr<const DecisionEnding> ending);
  void add(const DecisionRecord& record, Slot slot, Dropped& spare) WINNOW_REQUIRES(mutex_);
  void supersede(OfPod& pod, DecisionVerb by, std::size_t uid) WINNOW_REQUIRES(mutex_);
  void end(OfPod& pod, DecisionVerb verb, DecisionEnding ending) WINNOW_REQUIRES(mutex_);
  bool join(const DecisionRecord& scores);
  void count_end(DecisionResult result) WINNOW_REQUIRES(mutex_) {
    ++figures_.ended[static_cast<std::size_t>(result)];
  }
  void end_waiting(const std::string& pod, const Judge& judge);
  std::vector<Slot> copy_back(std::string_view pod, Number& from) const;

  const std::size_t most_;
  mutable Mutex mutex_;
  std::vector<Slot> slots_ WINNOW_GUARDED_BY(mutex_);  ///< By number modulo most_; grows to that size.
  Number last_ WINNOW_GUARDED_BY(mutex_) = 0;
  Number oldest_ WINNOW_GUARDED_BY(mutex_) = 1;
  TextMap<OfPod> pods_ WINNOW_GUARDED_BY(mutex_);  ///< By NAMESPACE/NAME.
  DecisionFigures figures_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow
