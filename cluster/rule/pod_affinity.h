// Numbers by domain (the nodes with one value of a label), and a pod's terms as InterPodAffinity reads them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/state/label_column.h"
#include "cluster/state/view.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

enum class TermKind : std::uint8_t;
struct AffinityTerm;
struct PodQuery;
struct PodSpec;
struct Request;

/// The domain of a node without the label: none, or the domain of the nodes whose label is empty.
enum class Unlabelled : std::uint8_t { kInNone, kInEmpty };

/// A number for each domain of one topology key, 0 at first. To read the number of a node's domain costs two
/// array reads. The view must outlive the object.
template <class Number>
class Domains {
 public:
  Domains(const View& view, std::string_view key, Unlabelled unlabelled = Unlabelled::kInNone)
      : domains_(view.domains(key)), numbers_(domains_.capacity()) {
    if (unlabelled == Unlabelled::kInNone) return;
    unlabelled_ = domains_.of_empty_value();
    if (unlabelled_ != kNone) return;
    unlabelled_ = domains_.capacity();
    numbers_.emplace_back();
  }

  /// Whether the node has the label.
  bool has(NodeId node) const { return domains_[node] != kNone; }
  /// The number of the node's domain; 0 for a node in none.
  Number operator[](NodeId node) const {
    const std::uint32_t domain = domain_of(node);
    return domain == kNone ? Number() : numbers_[domain];
  }
  /// The numbers of all domains. In one view, those of one key have the same order.
  std::span<Number> numbers() { return numbers_; }
  std::span<const Number> numbers() const { return numbers_; }
  /// The number of the node's domain, where it is kept; null for a node in none.
  const Number* find(NodeId node) const {
    const std::uint32_t domain = domain_of(node);
    return domain == kNone ? nullptr : &numbers_[domain];
  }
  /// The number of the node's domain, to be changed; null for a node in none.
  Number* at(NodeId node) {
    const std::uint32_t domain = domain_of(node);
    return domain == kNone ? nullptr : &numbers_[domain];
  }

 private:
  std::uint32_t domain_of(NodeId node) const {
    const std::uint32_t domain = domains_[node];
    return domain == kNone ? unlabelled_ : domain;
  }

  DomainIds domains_;
  std::uint32_t unlabelled_ = kNone;
  std::vector<Number> numbers_;  ///< By domain.
};

/// Domains of several topology keys. Each key is kept once, in the order of its first use.
template <class Number>
class DomainsByKey {
 public:
  explicit DomainsByKey(const View& view) : view_(view) {}

  /// The domains of a key, made at its first use. The reference is valid until another key is added.
  Domains<Number>& operator[](std::string_view key) { return keys_[place_of(key)].second; }
  /// The index of a key's domains in keys(). They are made at its first use.
  std::size_t place_of(std::string_view key) {
    // Most pods have one key or two.
    for (std::size_t i = 0; i < std::min(keys_.size(), kFew); ++i)
      if (keys_[i].first == key) return i;
    if (keys_.size() >= kFew)
      if (const auto known = places_.find(key); known != places_.end()) return known->second;
    keys_.emplace_back(key, Domains<Number>(view_, key));
    if (keys_.size() > kFew) places_.emplace(key, keys_.size() - 1);
    return keys_.size() - 1;
  }
  Domains<Number>& at(std::size_t place) { return keys_[place].second; }
  bool empty() const { return keys_.empty(); }
  const std::vector<std::pair<std::string, Domains<Number>>>& keys() const { return keys_; }

 private:
  static constexpr std::size_t kFew = 4;

  const View& view_;
  std::vector<std::pair<std::string, Domains<Number>>> keys_;
  TextMap<std::size_t> places_;  ///< Of the keys behind the first kFew.
};

// The (anti-)affinity terms of the pod that is to be placed, as today's InterPodAffinity plugin reads them.

/// Calls visit(term) for the pod's terms of one kind, with their namespace selectors resolved: a term covers
/// exactly `namespaces`, or every namespace if its namespace selector is everything. A selector finds a
/// namespace only if the view has its Namespace object. Upstream:
/// pkg/scheduler/framework/plugins/interpodaffinity/plugin.go mergeAffinityTermNamespacesIfNotEmpty v1.37.0.
void visit_own_terms(const Request& request, TermKind kind, FunctionRef<void(const AffinityTerm&)> visit);

/// The pods that match a term. @param own_term  from visit_own_terms().
PodQuery query_of(const AffinityTerm& own_term);

/// Upstream's error for the pod's invalid terms, of all kinds together; nothing if all are valid.
/// Upstream: pkg/scheduler/framework/types.go NewPodInfo v1.37.0.
std::optional<std::string> invalid_terms_error(const PodSpec& pod);

}  // namespace winnow
