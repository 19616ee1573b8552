#include "cluster/state/pool.h"

namespace winnow {

bool find_labels(const Symbols& symbols, const StringMap& labels, LabelSet& set) {
  set.clear();
  for (const auto& [key, value] : labels) {
    const std::pair<Symbol, Symbol> label(symbols.find(key), symbols.find(value));
    if (label.first == kNone || label.second == kNone) return false;
    set.push_back(label);
  }
  std::ranges::sort(set);
  return true;
}

LabelSet acquire_labels(Symbols& symbols, const StringMap& labels) {
  LabelSet set;
  set.reserve(labels.size());
  for (const auto& [key, value] : labels) set.emplace_back(symbols.acquire(key), symbols.acquire(value));
  std::ranges::sort(set);
  return set;
}

void release_labels(Symbols& symbols, const LabelSet& labels) {
  for (const auto& [key, value] : labels) {
    symbols.release(key);
    symbols.release(value);
  }
}

}  // namespace winnow
