// Internal to lint: what of a pod's fields cannot work as meant.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/rule/known_labels.h"
#include "cluster/state/view.h"
#include "extender/operate/lint_finding.h"

namespace winnow {

struct AffinityTerm;
struct Pod;
struct PodSpec;
struct Toleration;

/// Looks at one pod after the other. State and `pods` must outlive it.
class PodLint {
 public:
  PodLint(const State& state, MatchedPods& pods);

  std::vector<PodFinding> look_at(const Pod& pod);

 private:
  /// A resource that a pod requests, and what each node can give of it.
  struct Asked {
    std::string resource;
    std::int64_t amount;
    Column<std::int64_t> allocatable;
  };

  void tell(LintKind kind, std::string field, std::string what);
  void tell_of_key(LintKind kind, const std::string& path, const std::string& key);
  void look_at_node_labels(const PodSpec& pod);
  void look_at_spreading(const Pod& pod);
  void look_at_affinity(const Pod& pod);
  void look_at_term(const std::string& path, const AffinityTerm& written, const AffinityTerm& in_namespaces);
  void look_at_requests(const Pod& pod);
  std::vector<Asked> asked_by(const Pod& pod) const;
  std::string too_much(const Asked& asked, const std::vector<NodeId>& allowed) const;
  void look_at_tolerations(const PodSpec& pod);
  std::string hint_for(const Toleration& toleration) const;

  const State& state_;
  const View view_;
  const std::vector<NodeId> nodes_;
  MatchedPods& pods_;
  KnownLabels node_labels_;
  KnownLabels namespace_labels_;
  std::set<Taint> taints_;  ///< Of all nodes.
  std::vector<PodFinding> found_;
};

}  // namespace winnow
