// The two generations of rules, and how a state reads pods and nodes for each.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace winnow {

/// Classic: v1.16's predicates and priorities, configured by a Policy. Today: v1.37's plugins, configured by
/// a KubeSchedulerConfiguration. The error texts differ as well.
enum class Generation : std::uint8_t { kClassic, kToday };

/// The upstream arithmetic that counts a pod's requests.
enum class Accounting : std::uint8_t {
  kToday,             ///< kube-scheduler 1.37: sidecars, overhead, pod-level resources, in-place resize.
  kV116,              ///< v1.16.15 with default feature gates: only containers and init containers.
  kV116WithOverhead,  ///< v1.16.15 with the feature gate PodOverhead.
};

/// A number that nodes have as text, and that a rule asks for in its record. The text must be a number and
/// nothing else, as `0.85` or `12`; a node has no such number otherwise.
struct NodeFact {
  enum class From : std::uint8_t { kAnnotation, kLabel };
  From from = From::kAnnotation;
  std::string key;

  auto operator<=>(const NodeFact&) const = default;
};

/// `annotation KEY` or `label KEY`; and the fact of such a text. Any other text is an annotation's.
inline std::string text_of(const NodeFact& fact) {
  return (fact.from == NodeFact::From::kLabel ? "label " : "annotation ") + fact.key;
}
inline NodeFact fact_of(const std::string& text) {
  const auto from = text.starts_with("label ") ? NodeFact::From::kLabel : NodeFact::From::kAnnotation;
  return {from, text.substr(text.find(' ') + 1)};
}

/// What a state is made for. Rules of other options need a state of their own.
struct StateOptions {
  Accounting accounting = Accounting::kToday;
  bool exact_zones = false;  ///< See NodeTable.
  /// The generation whose reading of host ports, attached volumes and (anti-)affinity terms is indexed.
  Generation generation = Generation::kClassic;
  std::vector<NodeFact> facts = {};  ///< What the table of nodes keeps of them, each once.
  /// The fields that expressions read, as least_fields() has them: kept of each object that is set.
  std::vector<std::string> pod_fields = {};
  std::vector<std::string> node_fields = {};
  bool node_load = false;  ///< Keep what is measured of nodes, and what is on its way to them.

  bool operator==(const StateOptions&) const = default;
};

}  // namespace winnow
