// An index that finds the selectors which may match a pod, without a walk over all of them.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/selector.h"
#include "cluster/state/row_values.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// Entries that select pods by namespaces and a selector (no namespaces: all of them), found by a pod. A
/// selector that requires key=value is filed under that pair. So thousands of workloads with their own pods
/// cost a look-up for each label of a pod. If it requires several pairs, it is filed under the one that has
/// the fewest entries at that time. To erase an entry costs a look-up for each pair that it requires, however
/// many entries there are. `Thing` is a handle that is copied, hashed, and compared with ==. One writer at a
/// time; visit() may run concurrently with itself.
template <class Thing, class Hash = std::hash<Thing>>
class SelectorIndex {
 public:
  /// Adds an entry that is not there. Namespaces are there once. A selector that matches nothing is not
  /// filed.
  void insert(std::span<const std::string> namespaces, const Selector& selector, Thing thing) {
    if (selector.is_nothing()) return;
    if (namespaces.empty()) return file(everywhere_, selector, thing);
    for (const std::string& ns : namespaces) file(shelves_[ns], selector, thing);
  }
  /// Removes an entry. The arguments must be those of its insert().
  void erase(std::span<const std::string> namespaces, const Selector& selector, Thing thing) {
    if (selector.is_nothing()) return;
    if (namespaces.empty()) return unfile(everywhere_, selector, thing);
    for (const std::string& ns : namespaces) {
      const auto it = shelves_.find(ns);
      if (it == shelves_.end()) continue;
      unfile(it->second, selector, thing);
      if (it->second.by_pair.empty() && it->second.others.empty()) shelves_.erase(it);
    }
  }
  void clear() { *this = SelectorIndex(); }

  /// Calls visit(thing) for every entry that may match the pod. The caller must check whether it does.
  template <class Visit>
  void visit(std::string_view ns, const StringMap& labels, const Visit& visit) const {
    look(everywhere_, labels, visit);
    if (const auto it = shelves_.find(ns); it != shelves_.end()) look(it->second, labels, visit);
  }

 private:
  using Place = Bag<Thing, Hash>;
  struct NamespaceEntries {
    TextMap<Place> by_pair;
    Place others;
  };

  /// A pair as one string. No label contains NUL, so two pairs never become one string.
  static std::string pair_of(const std::string& key, const std::string& value) { return key + '\0' + value; }

  /// The pairs that every pod of the selector has.
  static std::vector<std::string> demanded_pairs(const Selector& selector) {
    std::vector<std::string> pairs;
    for (const Requirement& requirement : selector.requirements())
      if (requirement.op == Operator::kIn && requirement.values.size() == 1)
        pairs.push_back(pair_of(requirement.key, requirement.values.front()));
    return pairs;
  }

  static void file(NamespaceEntries& shelf, const Selector& selector, Thing thing) {
    const std::vector<std::string> pairs = demanded_pairs(selector);
    if (pairs.empty()) return shelf.others.add(thing);
    const auto others_under = [&](const std::string& pair) {
      const auto it = shelf.by_pair.find(pair);
      return it == shelf.by_pair.end() ? 0 : it->second.size();
    };
    shelf.by_pair[*std::ranges::min_element(pairs, {}, others_under)].add(thing);
  }

  static void unfile(NamespaceEntries& shelf, const Selector& selector, Thing thing) {
    shelf.others.remove(thing);
    for (const std::string& pair : demanded_pairs(selector))
      if (const auto it = shelf.by_pair.find(pair); it != shelf.by_pair.end()) {
        it->second.remove(thing);
        if (it->second.empty()) shelf.by_pair.erase(it);
      }
  }

  template <class Visit>
  static void look(const NamespaceEntries& shelf, const StringMap& labels, const Visit& visit) {
    for (const Thing& thing : shelf.others.things()) visit(thing);
    if (shelf.by_pair.empty()) return;
    for (const auto& [key, value] : labels)
      if (const auto it = shelf.by_pair.find(pair_of(key, value)); it != shelf.by_pair.end())
        for (const Thing& thing : it->second.things()) visit(thing);
  }

  NamespaceEntries everywhere_;
  std::map<std::string, NamespaceEntries, std::less<>> shelves_;  ///< By namespace.
};

}  // namespace winnow
