// Asks one rule about nodes, and gives the answer in words.
#pragma once

#include <map>
#include <string>

#include "cluster/rule/arguments.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow::test {

/// v1.16.15 to the letter (ExactV116), and Winnow's defaults.
inline constexpr State::Options kExact{Accounting::kV116, true};
inline constexpr State::Options kDefaults{Accounting::kToday, false};
/// For today's plugins.
inline constexpr State::Options kPlugins{Accounting::kToday, false, Generation::kToday};

/// The rule of a name, of either generation: no two share one.
priorities::Record priority(std::string_view name);

/// Arguments for a classic rule that takes this one in a Policy, about one label; none for null.
Arguments arguments_for(const PolicyArgument* argument, const std::string& label);

/// By node name: "fits", or how it does not and why, reasons joined with ", ":
/// "unschedulable: Insufficient cpu", "unresolvable: node(s) didn't match node selector".
std::map<std::string, std::string> judge(std::string_view predicate, const View& view, const Pod& pod,
                                         const Arguments& arguments = {});
/// The same, where there is one node.
std::string judge_one(std::string_view predicate, const View& view, const Pod& pod,
                      const Arguments& arguments = {});

/// A row of a predicate's table: a pod, a node, the pods that are on it, and what is said of it.
struct Placement {
  std::string sentence;
  Pod pod;
  Node node;
  std::vector<Pod> there;  ///< Whatever node they name, they are on this one.
  std::string verdict;
};
void check_verdicts(std::string_view predicate, std::span<const Placement> rows,
                    const Arguments& arguments = {}, const State::Options& options = kExact);
/// Of a plugin of today's.
void check_plugin_verdicts(std::string_view plugin, std::span<const Placement> rows,
                           const Arguments& arguments = {});

/// By node name. `error` is what failed the call; then there are no scores.
struct Scores {
  std::map<std::string, std::int64_t> raw, scores;
  std::string error;
  bool skipped = false;  ///< The rule had nothing to say; every score is then 0.
};
/// @param nodes  those that are scored; all of the view's if empty.
Scores score(const priorities::Record& priority, const View& view, const Pod& pod,
             const Arguments& arguments = {}, const std::vector<std::string>& nodes = {});
Scores score(std::string_view priority, const View& view, const Pod& pod,
             const std::vector<std::string>& nodes = {});

/// A row of a priority's table: a pod, nodes, the pods that run, and the scores of all nodes, by name.
struct Ranking {
  std::string sentence;
  Pod pod;
  std::vector<Node> nodes;
  std::vector<Pod> there;
  std::map<std::string, std::int64_t> scores;
};
void check_scores(const priorities::Record& priority, std::span<const Ranking> rows,
                  const Arguments& arguments = {}, const State::Options& options = kExact);
void check_scores(std::string_view priority, std::span<const Ranking> rows,
                  const State::Options& options = kExact);
/// Of a plugin of today's.
void check_plugin_scores(std::string_view plugin, std::span<const Ranking> rows,
                         const Arguments& arguments = {});

}  // namespace winnow::test
