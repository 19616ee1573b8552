#include "extender/reuse/node_totals.h"

#include <algorithm>

namespace winnow {
namespace {

/// The highest of some numbers. Without its place it takes half the time, and four at once do not wait for
/// each other.
std::int64_t highest_of(std::span<const std::int64_t> numbers) {
  std::int64_t a = numbers.front(), b = a, c = a, d = a;
  std::size_t i = 0;
  for (; i + 4 <= numbers.size(); i += 4) {
    a = std::max(a, numbers[i]);
    b = std::max(b, numbers[i + 1]);
    c = std::max(c, numbers[i + 2]);
    d = std::max(d, numbers[i + 3]);
  }
  for (; i < numbers.size(); ++i) a = std::max(a, numbers[i]);
  return std::max(std::max(a, b), std::max(c, d));
}

}  // namespace

std::span<const std::int64_t> NodeTotals::block(std::size_t number) const {
  const std::span<const std::int64_t> all(values_);
  const std::size_t begin = number * kBlock;
  return all.subspan(begin, std::min(kBlock, all.size() - begin));
}

std::int64_t NodeTotals::highest() const { return highest_of(peaks_.empty() ? values_ : peaks_); }

std::vector<std::size_t> NodeTotals::find_highest(std::size_t most) const {
  std::vector<std::size_t> places;
  if (values_.empty()) return places;
  const std::int64_t best = highest();
  const std::size_t blocks = (values_.size() + kBlock - 1) / kBlock;
  for (std::size_t number = 0; number < blocks; ++number) {
    if (!peaks_.empty() && peaks_[number] != best) continue;
    const std::span<const std::int64_t> totals = block(number);
    for (std::size_t i = 0; i < totals.size(); ++i) {
      if (totals[i] != best) continue;
      places.push_back(number * kBlock + i);
      if (places.size() == most) return places;
    }
  }
  return places;
}

void NodeTotals::keep_highest() {
  if (peaks_.empty()) keep_highest_from(0);
}

void NodeTotals::keep_highest_from(std::size_t place) {
  std::vector<std::int64_t>& peaks = peaks_.edit();
  peaks.resize((values_.size() + kBlock - 1) / kBlock);
  for (std::size_t number = place / kBlock; number < peaks.size(); ++number)
    peaks[number] = highest_of(block(number));
}

void NodeTotals::set(std::size_t place, std::int64_t total) {
  if (values_[place] == total) return;
  const std::int64_t before = std::exchange(values_.edit()[place], total);
  std::vector<std::int64_t>& peaks = peaks_.edit();
  std::int64_t& peak = peaks[place / kBlock];
  if (total >= peak)
    peak = total;
  else if (before == peak)
    peak = highest_of(block(place / kBlock));
}

void NodeTotals::insert(std::size_t place, std::int64_t total) {
  std::vector<std::int64_t>& values = values_.edit();
  values.insert(values.begin() + static_cast<std::ptrdiff_t>(place), total);
  keep_highest_from(place);
}

void NodeTotals::erase(std::size_t place) {
  std::vector<std::int64_t>& values = values_.edit();
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(place));
  keep_highest_from(place);
}

}  // namespace winnow
