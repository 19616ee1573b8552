// What keeps pods out that wait: of one pod on the nodes nearest to taking it, and summed over the pods.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/quantity.h"
#include "extender/explain/explanation.h"

namespace winnow {

/// What keeps the pod out of the nodes that are nearest to taking it, as most of them say it. Nothing for a
/// pod that fits somewhere, or where no rule has told a cause.
std::optional<KeptOut> kept_out(const Explanation& explanation);

/// "meets a taint that it does not tolerate, and lacks memory (TaintToleration, NodeResourcesFit)"
std::string to_text(const KeptOut& kept_out);

/// Pods that wait for the same.
struct PendingSum {
  std::size_t pods = 0;
  std::string text;  ///< A line: see PendingSummary::sums().
};

/// Counts pods by what keeps them out. Used by one thread.
class PendingSummary {
 public:
  /// Counts a pod that waits.
  void add(const Explanation& explanation);
  std::size_t pods() const { return pods_; }

  /// A line for each cause, that of most pods first: "16 of 20 pending pods lack cpu (NodeResourcesFit);
  /// together they ask for 38 cpu". Pods that fit, and those that an error or a gate holds, have lines of
  /// their own.
  std::vector<PendingSum> sums() const;

 private:
  struct Sum {
    std::size_t pods = 0;
    std::string of_one, of_many;             ///< What is said of one pod, and of more.
    std::map<std::string, Quantity> wanted;  ///< By the resource that they lack.
  };
  Sum& sum_for(const std::string& of_one, const std::string& of_many);

  std::size_t pods_ = 0;
  std::map<std::string, Sum> sums_;  ///< By what is said of more.
};

}  // namespace winnow
