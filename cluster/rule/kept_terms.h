// Pods that (anti-)affinity terms count, by domain, kept up to date row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/domain_counts.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/row_values.h"

namespace winnow {

class State;
class View;

/// The weights of terms by the domains of their topology keys: a node adds, for each term, the term's weight
/// times the number of its pods that the term counts. Used by one thread at a time.
class KeptTerms {
 public:
  struct Key {
    DomainCounts counts;                 ///< A domain counts where any term counts a pod.
    std::vector<std::uint32_t> touched;  ///< The domains that the last follow() has changed.
  };

  /// More terms are too many to be kept: they are not added.
  static constexpr std::size_t kMost = 16;
  bool are_few() const { return terms_ <= kMost; }

  /// Adds a term that counts the pods of a query.
  void add(std::string_view key, const PodQuery& query, std::int64_t weight = 1);
  /// Adds a term of running pods, which counts the pods that have it.
  void add(std::string_view key, TermId term, std::int64_t weight = 1);

  /// Finds the numbers of pods, which hold until the state changes. @return false: the state does not count
  /// the pods of a query yet.
  bool find_pods(const State& state);
  /// Brings these rows up to date. Call find_pods() before.
  void follow(const View& view, std::span<const NodeId> rows);

  std::size_t size() const { return keys_.size(); }
  bool empty() const { return keys_.empty(); }
  const Key& operator[](std::size_t key) const { return keys_[key].of; }
  std::size_t bytes() const;

 private:
  struct Term {
    std::optional<PodQuery> query;
    TermId running = kNone;  ///< Where there is no query.
    std::int64_t weight = 1;
    std::span<const PodsOnNode> pods;
  };
  struct KeyTerms {
    std::string name;
    std::vector<Term> terms;
    Key of;
  };
  KeyTerms& at(std::string_view key);

  std::vector<KeyTerms> keys_;
  std::size_t terms_ = 0;
};

}  // namespace winnow
