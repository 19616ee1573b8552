#include "extender/setup/sampling.h"

namespace winnow {
namespace {

/// A hash of a set of nodes, independent of their order.
std::uint64_t fingerprint(std::span<const NodeId> nodes) {
  std::uint64_t sum = 0;
  for (const NodeId node : nodes) {
    std::uint64_t mixed = (node + 1) * 0x9e3779b97f4a7c15;
    mixed ^= mixed >> 32;
    sum += mixed * 0xd6e8feb86659fd93;
  }
  return sum;
}

/// Whether kube-scheduler stops looking for nodes at this count, with some percentage. Its default, 50 less
/// one for each 125 nodes and at least 5, is one of these percentages.
bool is_enough(std::size_t count, std::size_t nodes) {
  if (count == Sampling::kLeast) return true;
  // The smallest percentage that gives at least the count. Upstream uses the integer part of nodes *
  // percentage / 100.
  const std::size_t percent = (count * 100 + nodes - 1) / nodes;
  return count > Sampling::kLeast && percent <= Sampling::kMostPercent && nodes * percent / 100 == count;
}

}  // namespace

bool Sampling::notice(std::span<const NodeId> asked, std::size_t nodes) {
  // A call with one node is about the node that the pod is nominated for. It shows nothing of the other
  // calls.
  if (asked.size() == 1) return false;
  const bool may_be = asked.size() < nodes && is_enough(asked.size(), nodes);
  const std::uint64_t set = may_be ? fingerprint(asked) : 0;
  const MutexLock lock(mutex_);
  if (!may_be || asked.size() != count_)
    in_a_row_ = may_be ? 1 : 0;
  else if (set != set_)
    ++in_a_row_;
  count_ = asked.size();
  set_ = set;
  return in_a_row_ >= kInARow;
}

}  // namespace winnow
