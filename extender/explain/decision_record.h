// One decision about a pod and what became of it, with refusals counted by rule, and the best of the nodes.
//
// extender/explain keeps decisions. decision_log.h has the last ones and what became of them.
// decision_ring.h has where they are, how they are found, and how each is packed.
// This header also has what a call counts for a record: refusals, and the best nodes.
// decisions_text.h has the sentence for people, and which rules decided between two nodes.
// decisions_json.h has the query and the answer of GET /decisions.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/function_ref.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/rule.h"
#include "extender/engine/score_table.h"

namespace winnow {

struct Filtered;
struct RuleNames;
struct RuleSet;

/// Who asked for the decision. A later kind, whose results are its own, is a row here and in kDecisionVerbs.
enum class DecisionVerb : std::uint8_t { kFilter, kPrioritize, kPreempt, kBind, kNominate, kShadow };
inline constexpr std::size_t kDecisionVerbs = 6;
std::string_view to_string(DecisionVerb verb);  ///< The metric's label value: "filter".

/// What became of a decision.
enum class DecisionResult : std::uint8_t {
  kWaiting,     ///< Nothing is known yet.
  kBound,       ///< The pod is bound to the node, or where several fitted to some node.
  kElsewhere,   ///< The pod is bound to another node.
  kRefused,     ///< kube-scheduler did not follow: it said why, or asked again.
  kDeleted,     ///< The pod is gone, being deleted, or its name is another pod's.
  kBindFailed,  ///< The API server refused the binding.
  kWithdrawn,   ///< A nomination that ended otherwise.
  kNowhere,     ///< No node was found.
  kError,       ///< The call failed.
  // Of a shadow's decision, beside kRefused and kNowhere.
  kSame,   ///< kube-scheduler did the same: the same node, or none.
  kTie,    ///< It bound the pod to another node of the same total.
  kOther,  ///< It bound the pod to a node with a lower total, or to one that is refused here.
};
inline constexpr std::size_t kDecisionResults = 12;
std::string_view to_string(DecisionResult result);  ///< The metric's label value: "bind_failed".

/// The bounds of a record's parts.
inline constexpr std::size_t kBestNodes = 3;          ///< Nodes whose scores are kept.
inline constexpr std::size_t kMostScoredRules = 64;   ///< Rules; with more of them no scores are kept.
inline constexpr std::size_t kMostRefusalKinds = 16;  ///< Pairs of a rule and the reasons it gave a node.
inline constexpr std::size_t kMostKeptReasons = 16;   ///< Texts.
inline constexpr std::size_t kMostKeptReasonBytes = 1024;  ///< Of one text, and of all together but the last.
inline constexpr std::size_t kMostRefusingRules = 32;
inline constexpr std::size_t kMostKeptVictims = 8;
inline constexpr std::size_t kMostNameBytes =
    256;  ///< Of a node or a UID, and half of NAMESPACE/NAME. Longer ones are cut.
inline constexpr std::size_t kMostWordsBytes = 512;  ///< Of an error, or of what was said of the pod.
inline constexpr std::size_t kNearNodes = 3;         ///< Nodes whose causes are kept.
inline constexpr std::size_t kMostNearBytes = 3072;  ///< Of all these causes.
/// The most that a record and its ending take, so bounded.
inline constexpr std::size_t kMostRecordBytes = 12288;

/// A reason in upstream's words, and the number of nodes that it was given for.
struct KeptReason {
  std::string text;
  std::uint32_t nodes = 0;
};

/// The nodes that one rule was the first to refuse.
struct RefusedByRule {
  std::uint32_t rule = 0;  ///< An index of RuleNames::predicates.
  std::uint32_t nodes = 0;
  std::vector<KeptReason> reasons;  ///< A node may count for several.
  std::uint32_t other_reasons = 0;  ///< Nodes whose reasons were left out.
};

/// A rule that refuses a node, and why.
struct KeptRefusal {
  std::uint32_t rule = 0;  ///< An index of RuleNames::predicates.
  std::vector<Cause> causes;
};

/// A node that refuses a pod, with all rules that do.
struct NearNode {
  std::string node;
  std::vector<KeptRefusal> refusals;
};

/// A node's total, and the weighted score of every rule.
struct NodeTotal {
  std::string node;
  std::int64_t total = 0;
  std::vector<std::int64_t>
      scores;  ///< By RuleNames::priorities. Empty: nothing was scored, or too many rules.
};

/// A decision. A member that is added is packed too: see decision_ring.cc.
struct DecisionRecord {
  using Time = std::chrono::system_clock::time_point;

  std::string pod;  ///< NAMESPACE/NAME.
  std::string uid;
  std::string request_id;  ///< X-Request-ID of the call; of scores that joined a filter call: of that one.
  DecisionVerb verb = DecisionVerb::kFilter;
  Time time;
  std::chrono::milliseconds cache_age{0};  ///< Since the cache last changed.
  std::uint32_t nodes = 0;                 ///< Asked about, unknown ones too.
  std::uint32_t unknown_nodes = 0;         ///< Those that the cache did not have.
  std::uint32_t fits = 0;                  ///< Nodes that fit; for preempt, nodes that evictions free.
  std::uint32_t scored = 0;                ///< Nodes that were scored.
  std::shared_ptr<const RuleNames> rules;  ///< Null: no rule was asked.
  std::vector<RefusedByRule> refused;      ///< The most nodes first.
  /// Of a pod that fits nowhere: the nodes that are nearest to taking it. Empty: not looked for.
  std::vector<NearNode> nearest;
  /// The pick, and behind it the others by total. Empty: no single node was the result.
  std::vector<NodeTotal> best;
  bool given = false;                ///< Winnow answered with the pick alone. Else kube-scheduler chose.
  std::string error;                 ///< Why the call failed.
  std::vector<std::string> victims;  ///< On the pick: NAMESPACE/NAME, or the UID of a pod not known.
  std::uint32_t more_victims = 0;
  std::uint64_t resource_version = 0;  ///< Of the pod that was asked about; 0: unknown.
  /// Of a shadow: the rules that refuse the node where the pod was bound, in their order.
  std::vector<RefusedByRule> refused_there;
  bool nominated = false;  ///< Of a shadow: the pod was nominated for the pick, which was asked about alone.
  std::size_t known_refusal = 0;  ///< hash_of_refusal() of what the pod had when it was decided.
};

/// What became of a decision, as far as is known.
struct DecisionEnding {
  DecisionResult result = DecisionResult::kWaiting;
  DecisionRecord::Time time;  ///< When that was known.
  std::string node;           ///< Where the pod is bound.
  /// What kube-scheduler or an API server said. With kWaiting: the last condition, which may be of an earlier
  /// attempt.
  std::string said;

  std::size_t bytes() const { return sizeof *this + node.capacity() + said.capacity(); }
};

/// What is known of a decision as it is made: kNowhere and kError are ends, any other waits.
DecisionResult first_result(const DecisionRecord& record);

/// The reasons of a pod that fits nowhere, as kube-scheduler's event has them.
std::string nowhere_message(const DecisionRecord& record);

// How many nodes each rule refuses, counted in the loop that looks at the verdicts anyway.

/// Counts the nodes by rule and verdict. It makes no texts until told(), and allocates
/// only where there are more than kMostRefusalKinds. Used by one thread.
class RefusalCounts {
 public:
  /// Counts a node that this rule was the first to refuse.
  void add(std::uint16_t rule, Verdict verdict) {
    // Neighbours are often refused alike.
    if (last_ < used_ && kinds_[last_].is(rule, verdict)) {
      ++kinds_[last_].nodes;
      return;
    }
    add_other(rule, verdict);
  }

  /// The counts with the texts of the reasons, the rule with the most nodes first.
  /// @param filtered  the verdicts that were counted.
  std::vector<RefusedByRule> told(const Filtered& filtered) const;

 private:
  struct Kind {
    Verdict verdict;
    std::uint32_t nodes = 0;
    std::uint16_t rule = 0;

    bool is(std::uint16_t of, Verdict by) const { return rule == of && verdict == by; }
  };

  void add_other(std::uint16_t rule, Verdict verdict);

  std::array<Kind, kMostRefusalKinds> kinds_;
  std::size_t used_ = 0, last_ = 0;
  std::vector<std::uint32_t> left_out_;  ///< By rule: nodes of kinds for which there was no room.
};

// The best of the nodes that were scored, with every rule's part in their totals.

/// What was scored; see Scored in extender/engine/engine.h.
struct ScoredNodes {
  std::span<const std::int64_t> totals;  ///< By node.
  const ScoreTable& scores;
  const RuleSet& rules;
  FunctionRef<std::string_view(std::size_t)> name_of;  ///< By node; called for the best ones.
};

/// The pick, then the others by total, kBestNodes at most. Of equal totals the earlier node comes first.
/// @param picked  an index of the nodes; nothing: the best ones by total.
std::vector<NodeTotal> best_nodes(const ScoredNodes& scored, std::optional<std::size_t> picked);

}  // namespace winnow
