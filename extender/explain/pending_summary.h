// What keeps out the pods of a cluster that wait: a line for each cause, summed over the pods.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/quantity.h"

namespace winnow {

struct Explanation;

/// Counts pods by what keeps them out of most nodes. Used by one thread.
class PendingSummary {
 public:
  /// Counts a pod that waits.
  void add(const Explanation& explanation);
  std::size_t pods() const { return pods_; }

  /// A line for each cause, that of most pods first: "16 of 20 pods that wait lack cpu (NodeResourcesFit): 38
  /// cpu in all". Pods that fit, and those that an error or a gate holds, have lines of their own.
  std::vector<std::string> lines() const;

 private:
  struct Sum {
    std::size_t pods = 0;
    Quantity wanted;
  };
  std::size_t pods_ = 0;
  std::map<std::pair<std::string, std::string>, Sum>
      sums_;  ///< By what is said of them, and by the resource.
};

}  // namespace winnow
