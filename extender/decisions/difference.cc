#include "extender/decisions/difference.h"

#include <algorithm>

#include "cluster/go_int.h"

namespace winnow {
namespace {

/// The smallest set of differences that together are at least `needed`. It is the smallest because it takes
/// the largest ones: any other of its size is less.
std::vector<RuleShare> largest_shares(std::span<const std::int64_t> differences, std::int64_t needed) {
  std::vector<RuleShare> shares;
  for (std::size_t rule = 0; rule < differences.size(); ++rule)
    if (differences[rule] > 0) shares.push_back({rule, differences[rule]});
  std::ranges::stable_sort(shares, std::ranges::greater(), &RuleShare::by);
  std::size_t taken = 0;
  for (; taken < shares.size() && needed > 0; ++taken) needed = wrap_subtract(needed, shares[taken].by);
  shares.resize(taken);
  return shares;
}

}  // namespace

std::vector<RuleShare> deciding_rules(std::span<const std::int64_t> winner,
                                      std::span<const std::int64_t> loser) {
  std::vector<std::int64_t> differences;
  std::int64_t lead = 0;
  for (std::size_t rule = 0; rule < winner.size() && rule < loser.size(); ++rule) {
    differences.push_back(wrap_subtract(winner[rule], loser[rule]));
    lead = wrap_add(lead, differences.back());
  }
  return largest_shares(differences, lead);
}

std::vector<RuleShare> turning_rules(std::int64_t lead, std::span<const std::int64_t> changes,
                                     bool tie_suffices) {
  return largest_shares(changes, tie_suffices ? lead : wrap_add(lead, 1));
}

}  // namespace winnow
