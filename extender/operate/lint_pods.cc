#include "extender/operate/lint_pods.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>
#include <iterator>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/api/selector.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/device_requests.h"
#include "cluster/rule/node_matcher.h"
#include "cluster/rule/pod_affinity.h"
#include "cluster/rule/rule.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

/// Taints of a node's own state, which come and go.
constexpr std::string_view kOwnTaints = "node.kubernetes.io/";

constexpr std::string_view kRequiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

struct TermList {
  TermKind kind;
  std::string_view affinity, list, term;
};
constexpr std::array<TermList, kTermKinds> kTermLists = {{
    {TermKind::kRequiredAffinity, "podAffinity", kRequiredTerms, ""},
    {TermKind::kPreferredAffinity, "podAffinity", kPreferredTerms, ".podAffinityTerm"},
    {TermKind::kRequiredAntiAffinity, "podAntiAffinity", kRequiredTerms, ""},
    {TermKind::kPreferredAntiAffinity, "podAntiAffinity", kPreferredTerms, ".podAffinityTerm"},
}};

bool takes_any_value(const Toleration& toleration) { return toleration.op == "Exists"; }

/// `dedicated=gpu:NoSchedule`, as kubectl writes a taint.
std::string taint_text(const Toleration& toleration) {
  std::string text = toleration.key;
  if (!takes_any_value(toleration) && !toleration.value.empty()) text += "=" + toleration.value;
  if (!toleration.effect.empty()) text += ":" + toleration.effect;
  return text;
}

}  // namespace

PodLint::PodLint(const State& state, MatchedPods& pods)
    : state_(state), view_(state), nodes_(view_.all_nodes()), pods_(pods) {
  const Dictionaries& names = state.names();
  std::set<std::uint32_t> taint_sets;
  for (const NodeId node : nodes_) {
    for (const auto& [key, value] : state.nodes().labels[node])
      node_labels_.add(names.symbols[key], names.symbols[value]);
    taint_sets.insert(state.nodes().taints[node]);
  }
  for (const std::uint32_t id : taint_sets) taints_.insert(names.taints[id].begin(), names.taints[id].end());
  for (const auto& [name, one] : state.objects.of<Namespace>())
    for (const auto& [key, value] : one.metadata.labels) namespace_labels_.add(key, value);
}

std::vector<PodFinding> PodLint::look_at(const Pod& pod) {
  found_.clear();
  look_at_node_labels(pod.spec);
  look_at_spreading(pod);
  look_at_affinity(pod);
  if (pod.spec.node_name.empty()) look_at_requests(pod);
  look_at_tolerations(pod.spec);
  return std::exchange(found_, {});
}

void PodLint::tell(LintKind kind, std::string field, std::string what) {
  found_.push_back({kind, std::move(field), std::move(what)});
}

void PodLint::tell_of_key(LintKind kind, const std::string& path, const std::string& key) {
  if (!key.empty() && !node_labels_.has(key))
    tell(kind, path + ".topologyKey", node_labels_.no_key("no node", key));
}

// ---- nodes ----

void PodLint::look_at_node_labels(const PodSpec& pod) {
  const auto look = [&](const std::string& field, const Requirement& one) {
    if (!node_labels_.meet(one)) tell(LintKind::kNodeLabels, field, node_labels_.unmet("no node", one));
  };
  for (const auto& [key, value] : pod.node_selector)
    look("spec.nodeSelector", Requirement{key, Operator::kIn, {value}, 0});
  if (!pod.affinity || !pod.affinity->node_affinity || !pod.affinity->node_affinity->required) return;
  const std::vector<NodeSelectorTerm>& terms = pod.affinity->node_affinity->required->terms;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t j = 0; j < terms[i].match_expressions.size(); ++j)
      if (const auto one = parse_requirement(terms[i].match_expressions[j]))
        look(std::format("spec.affinity.nodeAffinity.{}.nodeSelectorTerms[{}].matchExpressions[{}]",
                         kRequiredTerms, i, j),
             *one);
}

// ---- other pods ----

void PodLint::look_at_spreading(const Pod& pod) {
  const auto& constraints = pod.spec.topology_spread_constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const std::string path = std::format("spec.topologySpreadConstraints[{}]", i);
    tell_of_key(LintKind::kSpread, path, constraints[i].topology_key);
    const auto selector = parse_label_selector(constraints[i].label_selector);
    if (!selector) continue;
    if (const std::string& why = pods_.why_none({{pod.metadata.namespace_}, *selector, true}); !why.empty())
      tell(LintKind::kSpread, path + ".labelSelector", why);
  }
}

void PodLint::look_at_affinity(const Pod& pod) {
  if (!has_affinity_terms(pod.spec)) return;
  const Request request{.pod = pod, .view = view_, .nodes = nodes_};
  for (const TermList& list : kTermLists) {
    const std::vector<AffinityTerm> written = affinity_terms(pod, list.kind, Generation::kToday);
    std::size_t i = 0;
    visit_own_terms(request, list.kind, [&](const AffinityTerm& in_namespaces) {
      const std::string path =
          std::format("spec.affinity.{}.{}[{}]{}", list.affinity, list.list, i, list.term);
      look_at_term(path, written[i++], in_namespaces);
    });
  }
}

void PodLint::look_at_term(const std::string& path, const AffinityTerm& written,
                           const AffinityTerm& in_namespaces) {
  tell_of_key(LintKind::kPodAffinity, path, written.topology_key);
  const Selector& selects = written.namespace_selector;
  if (!selects.is_nothing() && !selects.is_everything()) {
    if (state_.objects.of<Namespace>().empty()) return;  // They are not known.
    if (in_namespaces.namespaces.empty())
      return tell(LintKind::kPodAffinity, path + ".namespaceSelector",
                  namespace_labels_.unmatched("no namespace", selects));
  }
  if (const std::string& why = pods_.why_none(query_of(in_namespaces)); !why.empty())
    tell(LintKind::kPodAffinity, path + ".labelSelector", why);
}

// ---- requests ----

void PodLint::look_at_requests(const Pod& pod) {
  const std::string field = "spec.containers[*].resources.requests";
  const std::vector<Asked> asked = asked_by(pod);
  const std::size_t before = found_.size();
  // Nodes that the pod does not ask for are of no use to it. Where it asks for none that is there, its labels
  // are to blame.
  const PodNodeMatcher matcher(view_, pod.spec, Generation::kToday);
  std::vector<NodeId> allowed;
  if (!matcher.is_everything())
    std::ranges::copy_if(nodes_, std::back_inserter(allowed),
                         [&](NodeId node) { return matcher.matches(node); });
  if (allowed.empty()) allowed = nodes_;
  std::string all;
  for (const Asked& one : asked) {
    all +=
        std::format("{}{} {}", all.empty() ? "" : ", ", one.resource, amount_text(one.resource, one.amount));
    if (std::string what = too_much(one, allowed); !what.empty())
      tell(LintKind::kRequests, field, std::move(what));
  }
  const auto holds = [&](NodeId node) {
    return std::ranges::all_of(asked, [&](const Asked& one) { return one.amount <= one.allocatable[node]; });
  };
  if (!asked.empty() && found_.size() == before && !std::ranges::any_of(allowed, holds))
    tell(LintKind::kRequests, field,
         all + (std::ranges::any_of(nodes_, holds)
                    ? ": no node that it asks for could hold all of it, even empty"
                    : ": no node could hold all of it, even empty"));
}

/// Without what devices provide: no rule judges that.
std::vector<PodLint::Asked> PodLint::asked_by(const Pod& pod) const {
  const PodRequests sum = pod_requests(pod, state_.options().accounting, /*with_status=*/false);
  std::vector<Asked> asked;
  const auto add = [&](const std::string& resource, std::int64_t amount, Column<std::int64_t> allocatable) {
    if (amount > 0) asked.push_back({resource, amount, allocatable});
  };
  add("cpu", sum.milli_cpu, view_.column(&NodeColumns::allocatable_cpu));
  add("memory", sum.memory, view_.column(&NodeColumns::allocatable_memory));
  add("ephemeral-storage", sum.ephemeral_storage, view_.column(&NodeColumns::allocatable_ephemeral));
  for (const auto& [resource, amount] : sum.scalars)
    if (device_class_of(state_.objects, resource) == nullptr)
      add(resource, amount, view_.scalar(resource).allocatable);
  return asked;
}

/// "": a node has as much.
std::string PodLint::too_much(const Asked& asked, const std::vector<NodeId>& allowed) const {
  const auto most_of = [&](const std::vector<NodeId>& nodes) {
    std::int64_t most = 0;
    for (const NodeId node : nodes) most = std::max(most, asked.allocatable[node]);
    return most;
  };
  const std::int64_t most = most_of(allowed);
  if (asked.amount <= most) return {};
  const std::string start =
      std::format("{} {}: no node {}has ", asked.resource, amount_text(asked.resource, asked.amount),
                  asked.amount <= most_of(nodes_) ? "that it asks for " : "");
  if (most > 0) return std::format("{}more than {}, even empty", start, amount_text(asked.resource, most));
  std::set<std::string_view> offered;
  for (const Symbol resource : state_.nodes().offered_resources())
    offered.insert(state_.names().symbols[resource]);
  offered.erase(asked.resource);
  return std::format("{}any{}", start, near_hint(asked.resource, offered));
}

// ---- taints ----

void PodLint::look_at_tolerations(const PodSpec& pod) {
  for (std::size_t i = 0; i < pod.tolerations.size(); ++i) {
    const Toleration& one = pod.tolerations[i];
    const bool compares_numbers = !takes_any_value(one) && !one.op.empty() && one.op != "Equal";
    if (one.key.empty() || one.key.starts_with(kOwnTaints) || compares_numbers) continue;
    if (std::ranges::any_of(taints_, [&](const Taint& taint) { return tolerates(one, taint); })) continue;
    tell(LintKind::kToleration, std::format("spec.tolerations[{}]", i),
         std::format("no node has a taint {}{}", taint_text(one), hint_for(one)));
  }
}

std::string PodLint::hint_for(const Toleration& toleration) const {
  std::set<std::string_view> keys, values;
  for (const Taint& taint : taints_) {
    keys.insert(taint.key);
    if (taint.key != toleration.key) continue;
    values.insert(taint.value);
    if (takes_any_value(toleration) || taint.value == toleration.value)
      return std::format(" (that taint's effect is {})", taint.effect);
  }
  return values.empty() ? near_hint(toleration.key, keys) : near_hint(toleration.value, values);
}

}  // namespace winnow
