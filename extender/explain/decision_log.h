// The last decisions, with what became of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/watch/pod_handler.h"
#include "cluster/function_ref.h"
#include "cluster/mutex.h"
#include "extender/explain/decision_record.h"
#include "extender/explain/decision_ring.h"

namespace winnow {

struct Pod;
struct PodCondition;

/// A decision as it was kept. `ending` may be null: no more is known than the record says.
struct KeptDecision {
  std::shared_ptr<const DecisionRecord> record;
  std::shared_ptr<const DecisionEnding> ending;

  DecisionResult result() const { return ending ? ending->result : first_result(*record); }
};

/// Which decision is meant.
struct DecisionName {
  std::string pod, uid;
  DecisionVerb verb = DecisionVerb::kFilter;
  DecisionRecord::Time time;

  static DecisionName of(const DecisionRecord& record) {
    return {record.pod, record.uid, record.verb, record.time};
  }
  bool operator==(const DecisionName&) const = default;
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

/// The last decisions. It is told of them by calls, and of what became of them by the watch and by the binds.
/// A decision ends once: with what the watch shows, or when a later decision shows that kube-scheduler did
/// not follow it. Without a watch it waits for ever. Thread-safe. The one mutex is held for
/// microseconds: while records are packed, or pointers copied.
class DecisionLog : public live::PodHandler {
 public:
  using Time = DecisionRecord::Time;
  /// The memory for each decision that may be kept, on average. Where decisions take more, the oldest ones go
  /// earlier.
  static constexpr std::size_t kBytesADecision = 4096;

  /// @param most  the number of decisions that are kept; at least 1.
  explicit DecisionLog(std::size_t most) : most_(most), ring_(most, most * kBytesADecision) {}

  /// Keeps a decision. Ends the earlier ones of this pod that it shows to be over.
  void keep(DecisionRecord record);
  /// Keeps a decision of which it is known already what became of it. @param ending  not with kWaiting.
  void keep_ended(DecisionRecord record, DecisionEnding ending);
  /// Keeps the scores of a prioritize call: with the filter call of the same attempt, if that is kept; else
  /// as a decision of their own.
  void keep_scores(DecisionRecord record);

  /// As keep() and keep_scores(), for a call whose answer should not wait: the record is put aside until
  /// take_in(), or until somebody reads the log or tells it more. What is seen is the same.
  void put_aside(DecisionRecord record);
  void put_scores_aside(DecisionRecord record);
  /// Keeps what was put aside, in that order.
  void take_in();
  /// Adds the nearest nodes to the kept decision of this pod, UID, verb and time. Does nothing where it has
  /// been dropped since.
  void add_nearest(const DecisionName& decision, std::vector<NearNode> nearest);

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
  void visit(std::string_view pod, FunctionRef<bool(const KeptDecision&)> visit);

  std::size_t most() const { return most_; }
  DecisionFigures figures();

 private:
  using Number = DecisionRing::Number;
  using Judge = FunctionRef<std::optional<DecisionEnding>(const DecisionRecord&)>;
  /// A decision that is put aside.
  struct Aside {
    DecisionRecord record;
    bool joins = false;  ///< Scores: see keep_scores().
  };
  /// More are not put aside: then they are kept at once.
  static constexpr std::size_t kMostAside = 64;

  void put_aside(Aside aside);
  void take_in_all() WINNOW_REQUIRES(mutex_);
  void add(const DecisionRecord& record, std::shared_ptr<const DecisionEnding> ending)
      WINNOW_REQUIRES(mutex_);
  void add_scores(const DecisionRecord& scores) WINNOW_REQUIRES(mutex_);
  bool join(const DecisionRecord& scores) WINNOW_REQUIRES(mutex_);
  void add_to_ring(const DecisionName& decision, std::vector<NearNode> nearest) WINNOW_REQUIRES(mutex_);
  void supersede(DecisionRing::OfPod& pod, DecisionVerb by, std::size_t uid) WINNOW_REQUIRES(mutex_);
  void end(DecisionRing::OfPod& pod, DecisionVerb verb, DecisionEnding ending) WINNOW_REQUIRES(mutex_);
  void count_end(DecisionResult result) WINNOW_REQUIRES(mutex_) {
    ++figures_.ended[static_cast<std::size_t>(result)];
  }
  void end_waiting(const std::string& pod, const Judge& judge);
  std::vector<DecisionRing::Kept> copy_back(std::string_view pod, Number& from);

  const std::size_t most_;
  Mutex mutex_;
  DecisionRing ring_ WINNOW_GUARDED_BY(mutex_);
  RecordMemory memory_ WINNOW_GUARDED_BY(mutex_);
  std::vector<Aside> aside_ WINNOW_GUARDED_BY(mutex_);  ///< In the order of the calls.
  DecisionFigures figures_ WINNOW_GUARDED_BY(mutex_);   ///< The totals alone.
};

}  // namespace winnow
