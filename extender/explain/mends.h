// Changes that would take a refusal away: which ones suit a cause, and how each is made.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/rule/cause.h"
#include "cluster/state/row_values.h"

namespace winnow {

class View;
struct Node;
struct Pod;

/// A change to be tried, and how large it is: of two the smaller one is told first.
struct Mend {
  double size = 0;
  Cause change;
  std::string sort = {};  ///< Changes of one kind and sort differ in their amount, or their node.

  bool operator==(const Mend&) const = default;
};

/// Knows the changes that suit a cause. The view and the pod outlive it. Used by one thread.
class Mends {
 public:
  Mends(const View& view, const Pod& pod, Generation generation);

  /// The changes each of which would take the cause away, the smallest first. None: there is nothing that
  /// people should do.
  std::vector<Mend> of(const Cause& cause);
  /// The claims around the node of which one may give back what the pod lacks, the first of them.
  std::vector<Mend> of_devices(NodeId node);

 private:
  void add_request(const Cause& cause, std::vector<Mend>& found) const;
  void add_toleration(const Cause& cause, std::vector<Mend>& found) const;
  void add_skew(const Cause& cause, std::vector<Mend>& found) const;
  void add_label(const Cause& cause, std::vector<Mend>& found);
  void add_affinity(const Cause& cause, std::vector<Mend>& found) const;
  void add_anti_affinity(const Cause& cause, std::vector<Mend>& found) const;
  bool some_node_has(const std::string& key, const std::string& value);
  bool some_node_is_near(const std::string& key, const std::string& value);

  const View& view_;
  const Pod& pod_;
  const Generation generation_;
  const std::vector<NodeId> nodes_;
  std::map<std::pair<std::string, std::string>, bool> known_labels_;  ///< Whether some node has the label.
  std::map<std::pair<std::string, std::string>, bool> known_slips_;   ///< Whether some node has nearly it.
  std::size_t claims_told_ = 0;                                       ///< By of_devices().
};

/// Whether the node is changed, and not the pod.
bool changes_node(const Cause& change);
/// Whether a claim gives back its devices, and nothing else changes.
bool frees_devices(const Cause& change);
/// Makes a change of a node.
void make(const Cause& change, Node& node);
/// Makes a change of the pod. A request gets the container whose request it is.
/// @return false: it cannot be made.
bool make(Cause& change, Pod& pod);

}  // namespace winnow
