#include "priorities/rules.h"

namespace winnow::priorities {

void normalize(std::span<std::int64_t> scores, std::int64_t max, bool reversed) {
  std::int64_t largest = 0;
  for (const std::int64_t score : scores) largest = std::max(largest, score);
  for (std::int64_t& score : scores) {
    if (score != 0 && largest != 0) score = max * score / largest;  // Most are 0: spare their division.
    if (reversed) score = largest == 0 ? max : max - score;
  }
}

}  // namespace winnow::priorities
