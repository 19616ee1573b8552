// Amounts by domain, kept up to date row by row: what rules that read the cluster keep between requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/api/selector.h"
#include "cluster/state/pool.h"
#include "cluster/state/row_values.h"

namespace winnow {

/// What a short text takes, roughly.
inline constexpr std::size_t kBytesOfText = 48;

/// What a selector takes. A rough figure.
inline std::size_t bytes_of(const Selector& selector) {
  std::size_t texts = 0;
  for (const Requirement& one : selector.requirements()) texts += 2 + one.values.size();
  return texts * kBytesOfText;
}

/// What the nodes add to the domains of one topology key. Domains have numbers of its own, which hold as long
/// as a domain has a node. Used by one thread at a time.
class DomainCounts {
 public:
  /// What a node adds.
  struct Part {
    std::int64_t amount = 0;
    bool counts = false;  ///< Whether the domain counts because of this node.
    bool operator==(const Part&) const = default;
  };
  struct Domain {
    std::int64_t sum = 0;
    std::uint32_t rows = 0;      ///< Nodes with the label's value; 0: the number is free.
    std::uint32_t counting = 0;  ///< Those that count.
    NodeId rows_xor = 0;         ///< Of all of them: the node itself, if it is the only one.
  };

  /// Sets a node's label and its part. @param value  kNone: it lacks the label, and has no part.
  /// @return the domains that have changed; kNone for none.
  std::pair<std::uint32_t, std::uint32_t> set(NodeId row, Symbol value, Part part);

  /// The node's domain; kNone for one that lacks the label, or was never set.
  std::uint32_t domain_of(NodeId row) const { return row < row_domains_.size() ? row_domains_[row] : kNone; }
  /// By row, of the first rows: the others were never set.
  std::span<const std::uint32_t> row_domains() const { return row_domains_; }
  /// By number.
  std::span<const Domain> domains() const { return domains_; }
  const Domain& operator[](std::uint32_t domain) const { return domains_[domain]; }
  /// The number of domains that have nodes.
  std::size_t in_use() const { return by_value_.size(); }
  /// A rough figure.
  std::size_t bytes() const;

 private:
  std::uint32_t number_of(Symbol value);
  void leave(NodeId row);

  std::vector<std::uint32_t> row_domains_;
  std::vector<Part> parts_;  ///< By row.
  std::vector<Domain> domains_;
  std::vector<Symbol> values_;  ///< By domain.
  std::unordered_map<Symbol, std::uint32_t> by_value_;
  std::vector<std::uint32_t> free_;
};

/// The nodes whose answers may have changed. See Predicate::moved().
class MovedNodes {
 public:
  void add(NodeId node) { nodes_.push_back(node); }
  void add(const DomainCounts::Domain& domain) {
    if (domain.rows == 1)
      nodes_.push_back(domain.rows_xor);
    else if (domain.rows > 1)
      all_ = true;
  }
  void add_all() { all_ = true; }
  void clear() {
    nodes_.clear();
    all_ = false;
  }
  /// Null: all nodes.
  const std::vector<NodeId>* nodes() const { return all_ ? nullptr : &nodes_; }

 private:
  std::vector<NodeId> nodes_;
  bool all_ = false;
};

/// A mark for each domain of a DomainCounts.
class DomainMarks {
 public:
  bool operator[](std::uint32_t domain) const { return marks_[domain] != 0; }
  std::size_t marked() const { return marked_; }
  /// Sets a domain's mark. Its nodes have moved if it is another one.
  void set(const DomainCounts& counts, std::uint32_t domain, bool mark, MovedNodes& moved);
  std::size_t bytes() const { return marks_.capacity(); }

 private:
  std::vector<std::uint8_t> marks_;
  std::size_t marked_ = 0;
};

}  // namespace winnow
