#include "cluster/rule/domain_counts.h"

#include "cluster/go_math.h"

namespace winnow {

std::uint32_t DomainCounts::number_of(Symbol value) {
  const auto [it, is_new] = by_value_.try_emplace(value, static_cast<std::uint32_t>(domains_.size()));
  if (!is_new) return it->second;
  if (free_.empty()) {
    domains_.emplace_back();
    values_.push_back(value);
    return it->second;
  }
  it->second = free_.back();
  free_.pop_back();
  values_[it->second] = value;
  return it->second;
}

void DomainCounts::leave(NodeId row) {
  const std::uint32_t number = std::exchange(row_domains_[row], kNone);
  const Part part = std::exchange(parts_[row], {});
  Domain& domain = domains_[number];
  domain.sum = wrap_subtract(domain.sum, part.amount);
  domain.counting -= part.counts ? 1 : 0;
  domain.rows_xor ^= row;
  if (--domain.rows != 0) return;
  by_value_.erase(values_[number]);
  free_.push_back(number);
}

std::pair<std::uint32_t, std::uint32_t> DomainCounts::set(NodeId row, Symbol value, Part part) {
  if (row >= row_domains_.size()) {
    row_domains_.resize(row + 1, kNone);
    parts_.resize(row + 1);
  }
  const std::uint32_t before = row_domains_[row];
  if (before != kNone && values_[before] == value) {
    if (parts_[row] == part) return {kNone, kNone};
    const Part old = std::exchange(parts_[row], part);
    Domain& domain = domains_[before];
    domain.sum = wrap_add(domain.sum, wrap_subtract(part.amount, old.amount));
    domain.counting += (part.counts ? 1U : 0U) - (old.counts ? 1U : 0U);
    return {kNone, before};
  }
  if (before != kNone) leave(row);
  if (value == kNone) return {before, kNone};
  const std::uint32_t number = number_of(value);
  Domain& domain = domains_[number];
  domain.sum = wrap_add(domain.sum, part.amount);
  domain.counting += part.counts ? 1 : 0;
  domain.rows_xor ^= row;
  ++domain.rows;
  row_domains_[row] = number;
  parts_[row] = part;
  return {before, number};
}

std::size_t DomainCounts::bytes() const {
  constexpr std::size_t kOfEntry = 64;  // Of a hash table, roughly.
  return row_domains_.capacity() * sizeof(std::uint32_t) + parts_.capacity() * sizeof(Part) +
         domains_.capacity() * (sizeof(Domain) + sizeof(Symbol)) + by_value_.size() * kOfEntry +
         free_.capacity() * sizeof(std::uint32_t);
}

void DomainMarks::set(const DomainCounts& counts, std::uint32_t domain, bool mark, MovedNodes& moved) {
  if (domain >= marks_.size()) marks_.resize(counts.domains().size(), 0);
  if (mark == (marks_[domain] != 0)) return;
  marks_[domain] = mark ? 1 : 0;
  mark ? ++marked_ : --marked_;
  moved.add(counts[domain]);
}

}  // namespace winnow
