#include "extender/engine/select.h"

#include <algorithm>
#include <limits>

#include "cluster/api/quantity.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"
#include "extender/reuse/node_totals.h"

namespace winnow {
namespace {

std::vector<std::int64_t> by_best(std::span<const std::int64_t> totals) {
  std::vector<std::int64_t> answers(totals.size(), kMaxAnswer);
  const auto [low, high] = std::ranges::minmax_element(totals);
  if (totals.empty() || *low == *high) return answers;
  // Totals may be anywhere in an int64, so their differences need more bits.
  const Int128 range = Int128{*high} - *low;
  if (range <= std::numeric_limits<std::uint32_t>::max()) {  // As a rule: a division of 128 bits is a call.
    const auto narrow = static_cast<std::uint64_t>(range);
    for (std::size_t i = 0; i < totals.size(); ++i)
      answers[i] =
          static_cast<std::int64_t>(kMaxAnswer * static_cast<std::uint64_t>(totals[i] - *low) / narrow);
    return answers;
  }
  for (std::size_t i = 0; i < totals.size(); ++i)
    answers[i] = static_cast<std::int64_t>(kMaxAnswer * (Int128{totals[i]} - *low) / range);
  return answers;
}

std::vector<std::int64_t> by_mean(const Scored& scored, const RuleSet& rules) {
  const std::size_t n = scored.totals.size();
  std::vector<Int128> sums(n, 0);
  Int128 weights = 0;
  for (std::size_t rule = 0; rule < rules.priorities.size(); ++rule) {
    const std::vector<std::int64_t> row = scored.scores.of(rule);
    if (std::ranges::adjacent_find(row, std::ranges::not_equal_to()) == row.end()) continue;
    const Int128 weight = rules.priorities[rule].weight;
    weights += weight;
    for (std::size_t i = 0; i < n; ++i) sums[i] += weight * row[i];
  }
  std::vector<std::int64_t> answers(n, kMaxAnswer);
  if (weights == 0) return answers;
  if (rules.generation == Generation::kToday) weights *= kMaxNodeScore / kMaxAnswer;
  for (std::size_t i = 0; i < n; ++i) {
    const auto mean = static_cast<std::int64_t>((2 * sums[i] + weights) / (2 * weights));
    answers[i] = std::clamp<std::int64_t>(mean, 0, kMaxAnswer);
  }
  return answers;
}

}  // namespace

std::vector<std::int64_t> scale_answers(const Scored& scored, const RuleSet& rules, ScoreScale scale) {
  return scale == ScoreScale::kBest ? by_best(scored.totals) : by_mean(scored, rules);
}

Draw::Draw(std::uint64_t seed, std::string_view pod_uid) : state_(seed) {
  // FNV-1a. The draw must not depend on the hash of the standard library, which may change.
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : pod_uid) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  state_ ^= hash;
}

std::uint64_t Draw::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// A number that is fair modulo n: each remainder has the same chance.
std::uint64_t Draw::next_for(std::uint64_t n) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  std::uint64_t number = next();
  // The limit below is kMost - n + 1 or more, so it need not be worked out.
  if (number < kMost - n) [[likely]]
    return number;
  // 2^64 is not a multiple of n. Numbers from the incomplete last range would favour low results.
  const std::uint64_t limit = kMost - kMost % n;
  while (number >= limit) number = next();
  return number;
}

std::optional<std::size_t> select_host(std::span<const std::int64_t> totals, Draw& draw) {
  if (totals.empty()) return std::nullopt;
  std::size_t selected = 0;
  std::uint64_t ties = 1;
  for (std::size_t i = 1; i < totals.size(); ++i) {
    if (totals[i] > totals[selected]) {
      selected = i;
      ties = 1;
    } else if (totals[i] == totals[selected] && draw.below(++ties) == 0) {
      selected = i;
    }
  }
  return selected;
}

// As if select_host() were asked about 0 for the others and 1 for the equals: among the others before the
// first equal one it draws too.
std::size_t draw_equal(std::size_t before, std::size_t equals, Draw draw) {
  for (std::size_t ties = 2; ties <= before; ++ties) draw.skip_below(ties);
  std::size_t selected = 0;
  for (std::size_t i = 1; i < equals; ++i)
    if (draw.below(i + 1) == 0) selected = i;
  return selected;
}

std::optional<std::size_t> draw_best(const NodeTotals& totals, Draw draw) {
  const std::vector<std::size_t> equals = totals.places_of_highest();
  if (equals.empty()) return std::nullopt;
  return equals[draw_equal(equals.front(), equals.size(), draw)];
}

}  // namespace winnow
