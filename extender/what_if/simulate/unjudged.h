// What a simulation has left out of account: of its pods, and objects whose pods it cannot make.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cluster/expand/expand.h"

namespace winnow {

class Engines;
class State;

struct Unjudged {
  struct Line {
    std::string text;  ///< As not_judged() of extender/engine and PodSet::not_judged() have it.
    std::size_t pods = 0;
    bool operator==(const Line&) const = default;
  };

  std::size_t pods = 0;     ///< Pods of which something is not judged.
  std::vector<Line> lines;  ///< In the order in which they were met. A pod counts in each of its lines.
  std::vector<LeftOut> objects;

  /// Counts pods that have all these texts. Nothing without a text.
  void add(const std::vector<std::string>& texts, std::size_t count);
  bool is_empty() const { return pods == 0 && objects.empty(); }
  bool operator==(const Unjudged&) const = default;
};

/// What the rules leave out of account for the pod; see not_judged() of extender/engine. Nothing for a pod
/// that no profile is for.
std::vector<std::string> not_judged_of(const Engines& engines, const State& state, const Pod& pod);

/// What the first line of an answer says of it: ", 3 not judged in full, 1 object left out"; "" for nothing.
std::string count_unjudged(const Unjudged& unjudged);
/// What the lines below say, a sentence each.
std::vector<std::string> tell_unjudged(const Unjudged& unjudged);

}  // namespace winnow
