// The labels that nodes or pods have, and what is said where none of them is as asked.
#pragma once

#include <cstddef>
#include <map>
#include <ranges>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/state/pod_groups.h"
#include "cluster/text/words.h"

namespace winnow {

class Selector;
class State;
struct Requirement;

/// did_you_mean(), unless there are so many known names that the search would take long.
template <class Names>
std::string near_hint(std::string_view name, const Names& known) {
  constexpr std::size_t kMostCompared = 300;
  if (known.size() > kMostCompared) return {};
  return did_you_mean(name,
                      std::vector<std::string_view>(std::ranges::begin(known), std::ranges::end(known)));
}

/// The labels of some objects: the values of each key. The texts must outlive it.
class KnownLabels {
 public:
  void add(std::string_view key, std::string_view value) { values_[key].insert(value); }

  bool has(std::string_view key) const { return values_.contains(key); }
  /// Whether an object meets the requirement. One for the absence of a key or a value is always met.
  bool meet(const Requirement& requirement) const;

  // What is said where no object is as asked. @param who  "no node".

  /// `no node has a label poool (did you mean "pool"?)`
  std::string no_key(std::string_view who, std::string_view key) const;
  /// `no node has pool=genral (did you mean "general"?)`
  std::string unmet(std::string_view who, const Requirement& requirement) const;
  /// The first requirement that is unmet; where each of them is met alone, `no pod matches app=web,tier=db`.
  std::string unmatched(std::string_view who, const Selector& selector) const;

 private:
  std::map<std::string_view, std::set<std::string_view>> values_;
};

/// The pods of a state, as selectors find them. The state must outlive it.
class MatchedPods {
 public:
  explicit MatchedPods(const State& state);

  /// Why the query finds no pod, in words; "" if it finds one. Each query is asked once.
  const std::string& why_none(const PodQuery& query);
  /// The number of pods that the query finds.
  std::size_t count(const PodQuery& query) const;

 private:
  std::string say_none(const PodQuery& query) const;

  const State& state_;
  std::vector<std::size_t> sizes_;  ///< The number of pods, by GroupId.
  std::set<std::string_view> namespaces_;
  std::unordered_map<PodQuery, std::string, PodQueryHash> told_;
};

}  // namespace winnow
