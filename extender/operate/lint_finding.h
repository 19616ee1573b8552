// A finding of lint.
#pragma once

#include <cstdint>
#include <string>

namespace winnow {

/// The kinds of findings, in the order in which they are listed.
enum class LintKind : std::uint8_t {
  kNodeLabels,     ///< A pod's nodeSelector or required node affinity that no node meets.
  kSpread,         ///< A topology spread constraint.
  kPodAffinity,    ///< A term of pod affinity or anti-affinity.
  kService,        ///< A Service that selects no pod.
  kBudget,         ///< A PodDisruptionBudget that selects no pod, or that blocks every drain.
  kRequests,       ///< A pending pod that is larger than every node.
  kToleration,     ///< A toleration for a taint that no node has.
  kPriorityClass,  ///< A class that preempts nobody.
};

struct LintFinding {
  LintKind kind{};
  std::string object;  ///< `Service shop/web`, or pods of one controller: `ReplicaSet shop/web-5d (3 pods)`.
  std::string field;   ///< The JSON path: `spec.nodeSelector`.
  std::string what;    ///< One line, with the value.

  /// `OBJECT: FIELD: WHAT`
  std::string text() const { return object + ": " + field + ": " + what; }
  bool operator==(const LintFinding&) const = default;
};

/// What is found of a pod, whose name is told beside it.
struct PodFinding {
  LintKind kind{};
  std::string field, what;
};

}  // namespace winnow
