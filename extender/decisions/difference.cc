#include "extender/decisions/difference.h"

#include <algorithm>

#include "cluster/go_int.h"

namespace winnow {

// The set is the smallest one because it takes the largest differences: any other of its size takes less.
std::vector<RuleShare> deciding_rules(std::span<const std::int64_t> winner,
                                      std::span<const std::int64_t> loser) {
  std::vector<RuleShare> for_winner;
  std::int64_t lead = 0;
  for (std::size_t rule = 0; rule < winner.size() && rule < loser.size(); ++rule) {
    const std::int64_t by = wrap_subtract(winner[rule], loser[rule]);
    lead = wrap_add(lead, by);
    if (by > 0) for_winner.push_back({rule, by});
  }
  std::ranges::stable_sort(for_winner, std::ranges::greater(), &RuleShare::by);
  std::size_t taken = 0;
  for (; taken < for_winner.size() && lead > 0; ++taken) lead = wrap_subtract(lead, for_winner[taken].by);
  for_winner.resize(taken);
  return for_winner;
}

}  // namespace winnow
