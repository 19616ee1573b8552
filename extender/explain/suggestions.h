// What would help a pod that fits nowhere: the smallest changes, each tried on the engine.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cluster/rule/cause.h"

namespace winnow {

/// A change that makes the pod fit, or two of them together. docs/explain.md has the kinds and their fields,
/// which are written as those of a Cause.
struct Suggestion {
  Cause change;
  std::string node;                ///< Where the pod goes then.
  std::size_t nodes = 0;           ///< How many of the nodes asked about it fits then.
  std::optional<Cause> also = {};  ///< The second change, where none helps by itself.

  bool operator==(const Suggestion&) const = default;
};

inline constexpr std::size_t kMostSuggestions = 5;

/// Why one more node of the cluster's own kinds is of no use.
struct NoNewNode {
  std::string rule;  ///< That refuses the pod on the nearest kind; "": the pods of DaemonSets are in the way.
  std::string text;  ///< What it lacks there, in words.
  bool is_size = false;                  ///< It asks for more than an empty node has.
  std::optional<Cause> cause = {};       ///< Of which the text is made. Not in JSON.
  std::vector<std::string> daemon_sets;  ///< Those whose pods come first, as "namespace/name".

  bool operator==(const NoNewNode&) const = default;
};

/// What would help, the smallest change first.
struct Help {
  std::vector<Suggestion> suggestions;  ///< At most kMostSuggestions.
  /// No node of the cluster's own kinds would hold the pod, were it empty.
  bool fits_no_empty_node = false;
  std::optional<NoNewNode> no_new_node = {};  ///< Told where all kinds were tried.
};

}  // namespace winnow
