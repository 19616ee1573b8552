// The page's files, which CMake compiles in (assets.cc.in), a pod as people write it, and nodes by the page.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "cluster/function_ref.h"
namespace winnow {

class Explainer;
struct Explanation;

struct Asset {
  std::string_view path;  ///< "/", or "/page/overview.js"
  std::string_view content_type;
  std::string_view text;
};

/// All of them. The first is the page itself.
std::span<const Asset> assets();

// A pod as people write it.

/// Reads one object, YAML or JSON. @return it as JSON; or one line: "line 3, column 7: …", "expected a Pod".
/// @param look  called now and then; what it throws ends the reading. Null: nothing is called.
std::expected<std::string, std::string> pod_as_json(std::string text, FunctionRef<void()> look = nullptr);

// A part of an explanation: as many nodes as a page shows.

/// Which nodes are wanted, and in which order.
struct NodePage {
  std::size_t from = 0;
  std::size_t limit = 0;
  std::string match;  ///< A part of the node's name; "": all.
  std::string by;     ///< A rule whose score orders them; "": the total.
};

/// Leaves the nodes of the page alone in an outline, and completes them: those that fit first, the best
/// first, then the others by the group of their refusal and by name. The held places go into the result.
/// @param explainer  who made the outline; null: nobody, and its nodes are as they stay.
/// @return {"from":N,"nodes":N,"of":N,"message":TEXT,"places":N,"held":[TEXT,…],
///   "failures":[{"rule":…,"reason":…,"nodes":N,"evictable":N,"causes":[TEXT,…]},…],
///   "causes":{NODE:{RULE:[TEXT,…],…},…},"more":N}:
///   the place of the first node on the page, how many nodes match, and how many there are; for a pod that
///   fits nowhere kube-scheduler's text, else ""; and the nodes that do not fit, by the first rule that
///   fails. `held` has a sentence for each of the places held on nodes that refuse the pod for these, 20 at
///   most, and `places` their number. `causes` are those of the page's nodes, in words. Beyond 20 kB the
///   message ends in "…", and failures of few nodes are left out: `more` counts their nodes.
std::string page_json(Explanation& outline, const NodePage& page, const Explainer* explainer);

}  // namespace winnow
