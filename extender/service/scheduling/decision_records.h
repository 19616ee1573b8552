// The records of decisions, made of what calls and the nominator find.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace winnow {

enum class DecisionVerb : std::uint8_t;
class Engine;
class RefusalCounts;
struct BestNode;
struct DecisionRecord;
struct FeasibleNodes;
struct Pod;
struct Request;
struct Scored;

/// A record with what is known of any decision about the pod. Its rules are to be set: Engines::rule_names().
/// @param changed  when the cache last changed.
DecisionRecord record_of(DecisionVerb verb, const Pod& pod, std::chrono::steady_clock::time_point changed);

/// What filtering the nodes for a pod has found. The cache is locked.
struct FilteredNodes {
  const Request& request;  ///< With the nodes that the cache has.
  const FeasibleNodes& nodes;
  const RefusalCounts& refusals;  ///< Those that find_feasible_nodes() has counted.
  std::size_t unknown_nodes = 0;  ///< Asked about, and not in the cache.
};

/// Adds where the pod fits, and why not elsewhere. Filtering that fails leaves its error.
void add_filtered(DecisionRecord& record, const FilteredNodes& filtered);

/// Adds why the nearest nodes refuse a pod that fits nowhere; nothing where it fits, or filtering fails. For
/// decisions that no client waits for: it takes as long as filtering some nodes.
void add_nearest(DecisionRecord& record, const FilteredNodes& filtered, const Engine& engine);

/// Adds the pick of pick_best() with its scores. @param given  Winnow answers with that node alone.
void add_best(DecisionRecord& record, const Request& request, const BestNode& best, const Engine& engine,
              bool given);

/// Adds the scores of a prioritize call. @param request  with the nodes that were scored.
/// @param picked  an index of them; nothing: the one with the highest total is shown first.
void add_scored(DecisionRecord& record, const Request& request, const Scored& scored, const Engine& engine,
                std::optional<std::size_t> picked);

/// Adds a node that was not scored as the result.
void add_only(DecisionRecord& record, std::string_view node, bool given);

}  // namespace winnow
