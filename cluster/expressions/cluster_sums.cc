#include "cluster/expressions/cluster_sums.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/api/quantity.h"
#include "cluster/api/selector.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/view.h"

namespace winnow::expressions {
namespace {

using cel::Value;

std::string_view name_in(const Value& value) {
  return value.is(cel::Kind::kString) ? value.text() : std::string_view();
}

bool has_texts_alone(const cel::Map& map) {
  for (std::size_t i = 0; i < map.size(); ++i)
    if (!map.key_at(i).is(cel::Kind::kString) || !map.value_at(i).is(cel::Kind::kString)) return false;
  return true;
}
bool has_texts_alone(const cel::List& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (!list.at(i).is(cel::Kind::kString)) return false;
  return true;
}

StringMap labels_of(const Value& labels) {
  StringMap map;
  const cel::Map& given = labels.as_map();
  for (std::size_t i = 0; i < given.size(); ++i)
    map.emplace(name_in(given.key_at(i)), name_in(given.value_at(i)));
  return map;
}

std::vector<std::string> names_of(const Value& list) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.as_list().size(); ++i) names.emplace_back(name_in(list.as_list().at(i)));
  std::ranges::sort(names);
  const auto rest = std::ranges::unique(names);
  names.erase(rest.begin(), rest.end());
  return names;
}

/// Amounts by the name of a resource, in its own unit: added up so, the order of nodes does not matter.
using WholeAmounts = std::map<std::string, Int128, std::less<>>;

AmountsByName as_doubles(const WholeAmounts& amounts) {
  AmountsByName made;
  for (const auto& [name, amount] : amounts)
    made[name] = static_cast<double>(amount) / (name == kCommonAmounts[0].name ? kCommonAmounts[0].unit : 1);
  return made;
}

/// What the nodes of one domain have together, in the making.
struct WholeSums {
  WholeAmounts allocatable, requested;
  std::int64_t pods = 0;

  void add_common(const View& view, NodeId node) {
    for (const CommonAmount& one : kCommonAmounts) {
      allocatable[std::string(one.name)] += view.column(one.allocatable)[node];
      requested[std::string(one.name)] += view.column(one.requested)[node];
    }
    pods += view.column(&NodeColumns::pods)[node];
  }
  /// A resource that the node offers has both amounts; else it may be requested there.
  void add_scalar(const std::string& name, const ScalarColumns& columns, NodeId node, bool is_offered) {
    if (is_offered) allocatable[name] += columns.allocatable[node];
    if (is_offered || columns.requested[node] != 0) requested[name] += columns.requested[node];
  }
};

Domains make_domains(const View& view, std::string_view key) {
  const Column<Symbol> label = view.label(key);
  Domains made;
  made.domain_of.assign(view.capacity(), kNone);
  std::map<Symbol, std::uint32_t> known;
  std::vector<WholeSums> sums;
  std::vector<std::pair<Symbol, ScalarColumns>> scalars;
  for (const Symbol resource : view.offered_resources())
    scalars.emplace_back(resource, view.scalar(view.text(resource)));
  for (const NodeId node : view.all_nodes()) {
    if (label[node] == kNone) continue;
    const auto [place, is_new] = known.try_emplace(label[node], static_cast<std::uint32_t>(sums.size()));
    if (is_new) sums.emplace_back();
    made.domain_of[node] = place->second;
    sums[place->second].add_common(view, node);
    for (const auto& [resource, columns] : scalars)
      sums[place->second].add_scalar(std::string(view.text(resource)), columns, node,
                                     std::ranges::contains(view.offers(node), resource));
  }
  for (const WholeSums& one : sums)
    made.sums.push_back({as_doubles(one.allocatable), as_doubles(one.requested), one.pods});
  made.used = known.size();
  return made;
}

}  // namespace

std::optional<Value> AmountsMap::find(const Value& key) const {
  const auto found = amounts_.find(name_in(key));
  if (found == amounts_.end()) return std::nullopt;
  return Value::real(found->second);
}

Value AmountsMap::key_at(std::size_t index) const {
  return Value::borrowed(std::next(amounts_.begin(), static_cast<std::ptrdiff_t>(index))->first);
}

AmountsByName requests_of(const Pod& pod, Accounting accounting) {
  const PodRequests requests = pod_requests(pod, accounting, /*with_status=*/false);
  AmountsByName amounts = {{"cpu", static_cast<double>(requests.milli_cpu) / kCommonAmounts[0].unit},
                           {"memory", static_cast<double>(requests.memory)},
                           {"ephemeral-storage", static_cast<double>(requests.ephemeral_storage)}};
  for (const auto& [name, amount] : requests.scalars) amounts[name] = static_cast<double>(amount);
  return amounts;
}

const Domains& ClusterSums::domains(std::string_view key) const {
  const MutexLock lock(mutex_);
  auto known = domains_.find(key);
  if (known == domains_.end())
    known =
        domains_.emplace(std::string(key), std::make_unique<const Domains>(make_domains(view_, key))).first;
  return *known->second;
}

std::shared_ptr<const std::vector<std::int32_t>> ClusterSums::matching(const Value& labels,
                                                                       const Value& namespaces) const {
  constexpr std::size_t kMostQueries = 1000;  // A query made of each node's own values has one for each node.
  if (!labels.is(cel::Kind::kMap) || !namespaces.is(cel::Kind::kList)) return nullptr;
  if (!has_texts_alone(labels.as_map()) || !has_texts_alone(namespaces.as_list())) return nullptr;
  const StringMap wanted = labels_of(labels);
  std::vector<std::string> names = names_of(namespaces);
  std::string key;
  for (const auto& [name, value] : wanted) key.append(name).append(1, '\0').append(value).append(1, '\0');
  key += '\1';
  for (const std::string& name : names) key.append(name).append(1, '\0');
  const MutexLock lock(mutex_);
  if (const auto known = matching_.find(key); known != matching_.end()) return known->second;
  PodQuery query;
  query.namespaces = std::move(names);
  query.selector = selector_from_set(wanted);
  query.deleting = true;  // They are among node.pods, too.
  auto counts = std::make_shared<const std::vector<std::int32_t>>(view_.count_pods(query));
  if (matching_.size() < kMostQueries) matching_.emplace(std::move(key), counts);
  return counts;
}

}  // namespace winnow::expressions
