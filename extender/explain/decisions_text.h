// A decision in one sentence for people, and the rules that decided between two nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace winnow {

struct KeptDecision;
struct NearNode;

/// "it went to node-7: 722 against 672 for node-1; NodeAffinity made the difference (+50), bound there 0.1 s
/// later", or "nowhere: 0/5 nodes are available: 3 Insufficient cpu." Its texts are the cluster's, so it is
/// to be made printable.
std::string decision_text(const KeptDecision& decision);
/// "node-3: wants 6 cpu: 4220m of 8 are free, 9 pods request 3780m; taint team=a:NoSchedule"
std::string to_text(const NearNode& node);

// The rules that decided between two nodes.

/// What one rule gives the winner more than the loser.
struct RuleShare {
  std::size_t rule = 0;  ///< An index of the scores.
  std::int64_t by = 0;

  bool operator==(const RuleShare&) const = default;
};

/// The smallest set of rules without whose difference the loser would have won or tied, the largest
/// difference first. Of equal differences the earlier rule counts. Empty where the winner's total is not the
/// larger one: no rule decided then.
/// @param winner, loser  the weighted scores by rule, as many of one as of the other.
std::vector<RuleShare> deciding_rules(std::span<const std::int64_t> winner,
                                      std::span<const std::int64_t> loser);

/// The smallest set of rules whose changes turn the choice between two nodes, the largest change first; of
/// equal changes the earlier rule counts. Empty where no change is needed. All rules with a change for the
/// newcomer, where these do not suffice.
/// @param lead  what the node chosen before had more than the newcomer.
/// @param changes  by rule: what the newcomer gains on that node.
/// @param tie_suffices  the newcomer is chosen where both have the same total.
std::vector<RuleShare> turning_rules(std::int64_t lead, std::span<const std::int64_t> changes,
                                     bool tie_suffices);

}  // namespace winnow
