#include "cluster/rule/kept_terms.h"

#include <algorithm>

#include "cluster/go_math.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow {

KeptTerms::KeyTerms& KeptTerms::at(std::string_view key) {
  const auto known = std::ranges::find(keys_, key, &KeyTerms::name);
  return known != keys_.end() ? *known : keys_.emplace_back(std::string(key));
}

void KeptTerms::add(std::string_view key, const PodQuery& query, std::int64_t weight) {
  if (++terms_ > kMost) return;
  at(key).terms.push_back({.query = query, .running = kNone, .weight = weight, .pods = {}});
}

void KeptTerms::add(std::string_view key, TermId term, std::int64_t weight) {
  if (++terms_ > kMost) return;
  at(key).terms.push_back({.query = std::nullopt, .running = term, .weight = weight, .pods = {}});
}

bool KeptTerms::find_pods(const State& state) {
  for (KeyTerms& key : keys_)
    for (Term& term : key.terms) {
      if (!term.query) {
        term.pods = state.terms.pods(term.running);
      } else if (const CountsByNode* const pods = state.groups.find(*term.query)) {
        term.pods = pods->entries();
      } else if (term.query->selector.is_nothing()) {
        term.pods = {};
      } else {
        return false;
      }
    }
  return true;
}

void KeptTerms::follow(const View& view, std::span<const NodeId> rows) {
  for (KeyTerms& key : keys_) {
    key.of.touched.clear();
    if (rows.empty()) continue;
    const Column<Symbol> label = view.label(key.name);
    std::vector<PodsLookup> pods;
    for (const Term& term : key.terms) pods.emplace_back(term.pods, view.capacity(), rows.size());
    for (const NodeId row : rows) {
      DomainCounts::Part part;
      for (std::size_t i = 0; i < pods.size(); ++i) {
        const std::int32_t here = pods[i][row];
        part.counts |= here != 0;
        part.amount = wrap_add(part.amount, wrap_multiply(key.terms[i].weight, here));
      }
      const auto [before, now] = key.of.counts.set(row, label[row], part);
      for (const std::uint32_t domain : {before, now})
        if (domain != kNone) key.of.touched.push_back(domain);
    }
  }
}

std::size_t KeptTerms::bytes() const {
  std::size_t bytes = 0;
  for (const KeyTerms& key : keys_) {
    bytes += key.of.counts.bytes() + key.terms.size() * sizeof(Term);
    for (const Term& term : key.terms)
      if (term.query) bytes += bytes_of(term.query->selector) + term.query->namespaces.size() * kBytesOfText;
  }
  return bytes;
}

}  // namespace winnow
