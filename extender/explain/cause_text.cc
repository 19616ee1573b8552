#include "extender/explain/cause_text.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "cluster/api/quantity.h"
#include "cluster/text/words.h"
#include "extender/explain/device_text.h"
#include "extender/explain/explanation.h"
#include "extender/explain/explanation_text.h"

namespace winnow {
namespace {

std::string count_of(std::int64_t count, std::string_view one) {
  return with_thousands(static_cast<std::size_t>(std::max<std::int64_t>(count, 0))) + ' ' + std::string(one) +
         (count == 1 ? "" : "s");
}

/// "3 pods request 2500m", "ml/trainer-0 requests 2", "2 pods request 6, as ml/trainer-0"
std::string holders(const Cause& cause) {
  const bool is_one = cause.number("pods") == 1;
  const std::string who =
      is_one && cause.has("heldBy") ? cause.text("heldBy") : count_of(cause.number("pods"), "pod");
  std::string text = std::format("{} {} {}", who, is_one ? "requests" : "request", cause.text("requested"));
  if (!is_one && cause.has("heldBy")) text += ", as " + cause.text("heldBy");
  return text;
}

/// "node is hot (node.usage.cpu 3.9)", "Expression/cool-nodes is false: node.usage.cpu < 3.0
/// (node.usage.cpu 3.9)", "Expression/prefer-idle gives 112.5, which counts as 100: 150.0 -
/// node.usage.cpu (node.usage.cpu 37.5)"
std::string expression(const Cause& cause) {
  if (cause.has("error")) return cause.text("rule") + ": " + cause.text("error");
  const std::string rule = cause.text("rule"), text = cause.text("expression");
  std::string what = cause.has("text") ? cause.text("text") : rule + " is false: " + text;
  if (cause.has("gives")) {
    const std::string kept = cause.has("countsAs") ? ", which counts as " + cause.text("countsAs") : "";
    what = std::format("{} gives {}{}: {}", rule, cause.text("gives"), kept, text);
  }
  return what + (cause.has("values") ? " (" + cause.text("values") + ')' : "");
}

std::string resource(const Cause& cause) {
  const std::string name = cause.text("resource");
  if (name == "pods")
    return std::format("has room for {} pod{}, and {} there", cause.text("allocatable"),
                       cause.text("allocatable") == "1" ? "" : "s",
                       cause.number("pods") == 1 ? "1 is" : cause.text("pods") + " are");
  const std::string wants = std::format("wants {} {}", cause.text("wanted"), name);
  if (cause.text("allocatable") == "0") return wants + ": the node has none";
  return std::format("{}: {} of {} {} free, {}", wants, cause.text("free"), cause.text("allocatable"),
                     cause.text("free") == "1" ? "is" : "are", holders(cause));
}

std::string taint(const Cause& cause) {
  std::string text = "taint " + cause.text("taint");
  if (cause.has("toleration"))
    text +=
        std::format(": the toleration {} has another {}", cause.text("toleration"), cause.text("differs"));
  return text;
}

/// Who asks for it: "nodeSelector ", "term 2 of nodeAffinity ".
std::string asker(const Cause& cause) {
  std::string text = cause.text("from");
  if (cause.has("term")) text = std::format("term {} of {}", cause.text("term"), text);
  return text + ' ';
}

}  // namespace

std::string requirement_text(const Cause& cause) {
  const std::string key = cause.has("key") ? cause.text("key") : cause.text("field");
  const std::string op = cause.text("operator"), wanted = cause.text("wanted");
  const Cause::Value* const values = cause.find("wanted");
  const auto* const list = values == nullptr ? nullptr : std::get_if<std::vector<std::string>>(values);
  const bool is_one = list != nullptr && list->size() == 1;
  if (op == "In") return is_one ? key + '=' + wanted : std::format("{} in ({})", key, wanted);
  if (op == "NotIn") return is_one ? key + "!=" + wanted : std::format("{} not in ({})", key, wanted);
  if (op == "Exists") return key + " must be there";
  if (op == "DoesNotExist") return key + " must not be there";
  return std::format("{} {} {}", key, op == "Gt" ? ">" : "<", wanted);
}

namespace {

std::string label(const Cause& cause) {
  const bool is_field = cause.kind == "field";
  const std::string has =
      cause.has("value")
          ? std::format("the node has {}={}", cause.text(is_field ? "field" : "key"), cause.text("value"))
          : "the node has no such label";
  return asker(cause) + requirement_text(cause) + ": " + has;
}

std::string port(const Cause& cause) {
  std::string text = "host port " + cause.text("port") + '/' + cause.text("protocol");
  if (cause.has("address")) text += " of " + cause.text("address");
  return text + " is held by " + cause.text("heldBy");
}

std::string spread(const Cause& cause) {
  const std::string itself = cause.number("matchesItself") == 0 ? "" : ", and this pod counts";
  std::string least = std::format("the least is {}", cause.number("least"));
  if (cause.has("leastDomain")) least += " in " + cause.text("leastDomain");
  if (!cause.has("leastDomain") && cause.has("minDomains"))
    least = std::format("the least is taken as 0, for {} of {} domains {} there", cause.number("domains"),
                        cause.number("minDomains"), cause.number("domains") == 1 ? "is" : "are");
  std::string text =
      std::format("{}={} has {}, {}; maxSkew is {}{}", cause.text("topologyKey"), cause.text("domain"),
                  count_of(cause.number("count"), "matching pod"), least, cause.text("maxSkew"), itself);
  if (cause.has("leastCountsBy"))
    text += std::format("; {} can take no pod like this, and counts by {}", cause.text("leastDomain"),
                        cause.text("leastCountsBy"));
  return text;
}

std::string affinity(const Cause& cause) {
  std::string pods = "pods with " + cause.text("selector");
  if (cause.has("namespaces")) pods += " in " + cause.text("namespaces");
  if (cause.number("matching") == 0)
    return std::format("wants to be near {}: there are none", pods) +
           (cause.has("elsewhere")
                ? std::format("; {} {} in {}", cause.number("elsewherePods"),
                              cause.number("elsewherePods") == 1 ? "is" : "are", cause.text("elsewhere"))
                : "");
  const std::string where =
      cause.has("domain") ? std::format("none in {}={}", cause.text("topologyKey"), cause.text("domain"))
                          : "the node has no label " + cause.text("topologyKey");
  return std::format("wants to be near {}: {}; {} elsewhere, as {} on {}", pods, where,
                     cause.number("matching") == 1 ? "1 is" : cause.text("matching") + " are",
                     cause.text("with"), cause.text("withOn"));
}

std::string anti_affinity(const Cause& cause) {
  const std::string where = std::format("{}={}", cause.text("topologyKey"), cause.text("domain"));
  const std::string others =
      cause.number("pods") > 1 ? std::format(" and {} more", cause.number("pods") - 1) : "";
  if (cause.text("whose") == "own")
    return std::format("keeps away from {}: {}{} in {}", cause.text("selector"), cause.text("with"),
                       others.empty() ? " is" : others + " are", where);
  return std::format("{}{} keep{} pods with {} out of {}", cause.text("with"), others,
                     others.empty() ? "s" : "", cause.text("selector"), where);
}

std::string volume(const Cause& cause) {
  const std::string name = std::format("claim {}, volume {}", cause.text("claim"), cause.text("volume"));
  if (cause.kind == "volumeMissing") return name + ": the volume is not there";
  const std::string wants = cause.kind == "volumeLabel"
                                ? cause.text("key") + " in (" + cause.text("wanted") + ')'
                                : cause.text("requirement");
  return std::format(
      "{}: it needs {}, and {}", name, wants,
      cause.has("value") ? "the node has " + cause.text("value") : "the node has no such label");
}

std::string other(const Cause& cause) {
  std::string text = cause.kind;
  for (const auto& [name, value] : cause.fields) text += std::format(" {}={}", name, cause.text(name));
  return text;
}

}  // namespace

std::string to_text(const Cause& cause) {
  const std::string& kind = cause.kind;
  if (kind == "resource") return resource(cause);
  if (kind == "taint") return taint(cause);
  if (kind == "unschedulable") return "the node is cordoned";
  if (kind == "condition")
    return cause.text("condition") == "Ready" ? "the node is not Ready"
                                              : "the node has " + cause.text("condition");
  if (kind == "nodeName") return "its nodeName is " + cause.text("wanted");
  if (kind == "feature") return "the node does not declare " + cause.text("feature");
  if (kind == "label" || kind == "field") return label(cause);
  if (kind == "term") return asker(cause) + cause.text("why");
  if (kind == "port") return port(cause);
  if (kind == "spreadLabel") return "the node has no label " + cause.text("topologyKey");
  if (kind == "spread") return spread(cause);
  if (kind == "affinity") return affinity(cause);
  if (kind == "anti-affinity") return anti_affinity(cause);
  if (kind == "disk") return std::format("{} is mounted by {}", cause.text("disk"), cause.text("heldBy"));
  if (kind == "claimInUse")
    return std::format("claim {} is for one pod, and {} uses it", cause.text("claim"),
                       cause.has("heldBy") ? cause.text("heldBy") : "another pod");
  if (kind == "attachLimit")
    return std::format("{}: {} of {} volumes are attached, and the pod brings {} more", cause.text("driver"),
                       cause.text("attached"), cause.text("limit"), cause.text("wanted"));
  if (kind == "driver") return "the node lacks the CSI driver " + cause.text("driver");
  if (kind.starts_with("volume")) return volume(cause);
  if (kind == "noVolume")
    return std::format("claim {} of class {}: {}", cause.text("claim"), cause.text("class"),
                       cause.text("why"));
  if (kind == "claim") return std::format("claim {} {}", cause.text("claim"), cause.text("why"));
  if (is_of_devices(cause)) return device_text(cause);
  if (kind == "expression") return expression(cause);
  if (kind == "nominated") return "its room is kept for " + cause.text("pods");
  if (kind == "error") return cause.text("error");
  return other(cause);
}

// Sums over nodes.

namespace {

/// The nodes that have causes of one sort, which are told in one line.
struct Sort {
  std::vector<std::pair<const NodeExplanation*, const Cause*>> all;  ///< By node.
  bool has_nearest = false;

  std::size_t nodes() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i == 0 || all[i].first != all[i - 1].first) ++count;
    return count;
  }
};

/// "dedicated=gpu" of "dedicated=gpu:NoSchedule".
std::string without_effect(const std::string& taint) { return taint.substr(0, taint.rfind(':')); }

/// What makes two causes of one sort: the kind and the fields that do not depend on the node.
std::string sort_of(const Cause& cause) {
  std::string key = cause.kind;
  const auto add = [&](std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) key += '\0' + cause.text(name);
  };
  if (cause.kind == "resource")
    add({"resource", "wanted"});
  else if (cause.kind == "label" || cause.kind == "field")
    add({"key", "field", "operator", "wanted", "from", "term"});
  else if (cause.kind == "port")
    add({"port", "protocol"});
  else if (cause.kind == "affinity")
    add({"topologyKey", "selector", "namespaces"});
  else if (cause.kind == "anti-affinity")
    add({"whose", "topologyKey", "selector"});
  else if (cause.kind == "volumeLabel" || cause.kind == "volumeAffinity")
    add({"claim", "volume", "key", "requirement"});
  else if (cause.kind == "attachLimit")
    add({"driver"});
  else if (is_of_devices(cause))
    key = device_sort(cause);
  else if (cause.kind == "taint" && !cause.has("toleration"))
    key += '\0' + without_effect(cause.text("taint"));
  else
    key = to_text(cause);
  return key;
}

Quantity amount(const Cause& cause, std::string_view field) {
  return Quantity::parse(cause.text(field)).value_or(Quantity());
}

/// The node with the most free, and where no node is large enough the largest.
std::string sum_resource(const Sort& sort) {
  const auto most = [&](std::string_view field) {
    auto largest = sort.all.front();
    Quantity size = amount(*largest.second, field);
    for (const auto& one : sort.all | std::views::drop(1)) {
      const Quantity its = amount(*one.second, field);
      if (its <= size) continue;
      largest = one;
      size = its;
    }
    return largest;
  };
  const auto [node, cause] = most("free");
  const std::string name = cause->text("resource");
  if (name == "pods") return "no room for more pods; " + node->name + ' ' + to_text(*cause);
  const auto [largest, size] = most("allocatable");
  const std::string wants = std::format("wants {} {}", cause->text("wanted"), name);
  if (size->text("allocatable") == "0")
    return wants + ": " + (sort.all.size() == 1 ? largest->name + " has none" : "none of them has any");
  if (amount(*size, "allocatable") < amount(*size, "wanted"))
    return std::format("{}: none of them is large enough, the largest has {} ({})", wants,
                       size->text("allocatable"), largest->name);
  return std::format("{}: the most free is {} of {}, on {} ({})", wants, cause->text("free"),
                     cause->text("allocatable"), node->name, holders(*cause));
}

/// A value of a label, or no label, and the nodes that have it.
using ValueCount = std::pair<std::optional<std::string>, std::size_t>;

/// The values of the nodes: those near a wanted one first, then those of most nodes.
std::vector<ValueCount> values_of(const Sort& sort) {
  std::map<std::optional<std::string>, std::size_t> counts;
  for (const auto& [node, cause] : sort.all)
    ++counts[cause->has("value") ? std::optional(cause->text("value")) : std::nullopt];
  std::vector<ValueCount> values(counts.begin(), counts.end());
  const std::string wanted = sort.all.front().second->text("wanted");
  const auto is_far = [&](const ValueCount& value) {
    if (!value.first) return true;
    const std::string_view known[] = {*value.first};
    return near_names(wanted, known).empty();
  };
  std::ranges::stable_sort(values, [&](const ValueCount& a, const ValueCount& b) {
    const bool a_far = is_far(a), b_far = is_far(b);
    return a_far != b_far ? b_far : a.second > b.second;
  });
  return values;
}

/// "12 have pool=general, 2 have no such label".
std::string sum_values(const Sort& sort) {
  constexpr std::size_t kShown = 3;
  const Cause& first = *sort.all.front().second;
  const std::string key = first.has("key") ? first.text("key") : first.text("field");
  const std::vector<ValueCount> values = values_of(sort);
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i) {
    const auto& [value, nodes] = values[i];
    text += std::format("{}{} {} {}", i == 0 ? "" : ", ", with_thousands(nodes), nodes == 1 ? "has" : "have",
                        value ? key + '=' + *value : "no such label");
  }
  return values.size() > kShown ? text + ", …" : text;
}

std::string sum_label(const Sort& sort) {
  const Cause& first = *sort.all.front().second;
  return asker(first) + requirement_text(first) + ": " + sum_values(sort);
}

/// Taints that differ in their effect alone, as a node has two of that does not answer.
std::string sum_taint(const Sort& sort) {
  std::set<std::string> effects;
  const std::string taint = sort.all.front().second->text("taint");
  for (const auto& [node, cause] : sort.all) {
    const std::string one = cause->text("taint");
    effects.insert(one.substr(std::min(one.rfind(':'), one.size() - 1) + 1));
  }
  return "taint " + without_effect(taint) + ':' +
         joined(std::vector(effects.begin(), effects.end()), " and ");
}

std::string sum_of(const Sort& sort) {
  const Cause& first = *sort.all.front().second;
  if (first.kind == "resource") return sum_resource(sort);
  if (first.kind == "label" || first.kind == "field") return sum_label(sort);
  if (first.kind == "taint" && !first.has("toleration")) return sum_taint(sort);
  if (is_of_devices(first)) {
    std::vector<const Cause*> causes;
    for (const auto& [node, cause] : sort.all) causes.push_back(cause);
    return sum_devices(causes);
  }
  const bool varies = std::ranges::any_of(sort.all, [&](const auto& one) { return *one.second != first; });
  std::string text = to_text(first);
  if (varies) text += std::format(" ({}; others alike)", sort.all.front().first->name);
  return text;
}

}  // namespace

namespace {

/// Sums, those of the nearest nodes first, then the one of most nodes.
std::vector<CauseSum> sums_of(const std::string& rule, const std::map<std::string, Sort>& sorts) {
  std::vector<std::pair<bool, CauseSum>> sums;
  for (const auto& [key, sort] : sorts)
    sums.emplace_back(sort.has_nearest, CauseSum{rule, sum_of(sort), sort.nodes()});
  std::ranges::stable_sort(sums, std::ranges::greater(),
                           [](const auto& sum) { return std::pair(sum.first, sum.second.nodes); });
  std::vector<CauseSum> told;
  for (auto& [is_nearest, sum] : sums) told.push_back(std::move(sum));
  return told;
}

}  // namespace

std::vector<CauseSum> sum_causes(const FailureGroup& group) {
  std::map<std::string, Sort> sorts;
  auto nearest = group.nearest.begin();  // It follows: both lists are by name.
  for (const NodeExplanation* const node : group.nodes) {
    const auto first = std::ranges::find(node->filters, false, &FilterEntry::fits);
    if (first == node->filters.end()) continue;
    const bool is_nearest = nearest != group.nearest.end() && *nearest == node;
    if (is_nearest) ++nearest;
    for (const Cause& cause : first->causes) {
      Sort& sort = sorts[sort_of(cause)];
      sort.all.emplace_back(node, &cause);
      sort.has_nearest = sort.has_nearest || is_nearest;
    }
  }
  return sums_of(group.rule, sorts);
}

std::vector<CauseSum> sum_behind(const FailureGroup& group) {
  std::vector<std::pair<std::string, std::map<std::string, Sort>>> by_rule;
  for (const NodeExplanation* const node : group.nearest) {
    for (const FilterEntry* const entry : refusals_of(*node) | std::views::drop(1)) {
      auto found = std::ranges::find(by_rule, entry->rule, [](const auto& one) { return one.first; });
      if (found == by_rule.end()) found = by_rule.insert(by_rule.end(), {entry->rule, {}});
      for (const Cause& cause : entry->causes) found->second[sort_of(cause)].all.emplace_back(node, &cause);
    }
  }
  std::vector<CauseSum> all;
  for (const auto& [rule, sorts] : by_rule) std::ranges::move(sums_of(rule, sorts), std::back_inserter(all));
  return all;
}

std::vector<CauseSum> summarize(const Explanation& explanation) {
  constexpr std::size_t kMostGroups = 16;
  std::vector<CauseSum> all;
  for (const FailureGroup& group : group_failures(explanation) | std::views::take(kMostGroups))
    std::ranges::move(sum_causes(group), std::back_inserter(all));
  return all;
}

}  // namespace winnow
