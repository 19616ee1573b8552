#include "tests/bench/affinity_json.h"

namespace winnow::bench {
namespace {

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr const char* kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void write_requirements(Writer& out, const std::vector<SelectorRequirement>& list) {
  out.Key("matchExpressions");
  out.StartArray();
  for (const SelectorRequirement& requirement : list) {
    out.StartObject();
    text(out, "key", requirement.key);
    text(out, "operator", requirement.op);
    out.Key("values");
    out.StartArray();
    for (const std::string& value : requirement.values) out.String(value.c_str());
    out.EndArray();
    out.EndObject();
  }
  out.EndArray();
}

void write_term(Writer& out, const NodeSelectorTerm& term) {
  out.StartObject();
  write_requirements(out, term.match_expressions);
  out.EndObject();
}

void write_term(Writer& out, const PodAffinityTerm& term) {
  out.StartObject();
  out.Key("labelSelector");
  write_selector(out, term.label_selector.value());
  text(out, "topologyKey", term.topology_key);
  if (term.namespace_selector) {
    out.Key("namespaceSelector");
    write_selector(out, *term.namespace_selector);
  }
  out.EndObject();
}

template <class Terms>
void write_terms(Writer& out, const Terms& terms) {
  out.StartArray();
  for (const auto& term : terms) write_term(out, term);
  out.EndArray();
}

/// @param member  where a preferred term holds its term; @param key  how that is called.
template <class Preferred, class Term>
void write_preferred(Writer& out, const std::vector<Preferred>& list, Term Preferred::* member,
                     const char* key) {
  if (list.empty()) return;
  out.Key(kPreferred);
  out.StartArray();
  for (const Preferred& preferred : list) {
    out.StartObject();
    out.Key("weight");
    out.Int(preferred.weight);
    out.Key(key);
    write_term(out, preferred.*member);
    out.EndObject();
  }
  out.EndArray();
}

void write_node_affinity(Writer& out, const NodeAffinity& node) {
  out.Key("nodeAffinity");
  out.StartObject();
  if (node.required) {
    out.Key(kRequired);
    out.StartObject();
    out.Key("nodeSelectorTerms");
    write_terms(out, node.required->terms);
    out.EndObject();
  }
  write_preferred(out, node.preferred, &PreferredSchedulingTerm::preference, "preference");
  out.EndObject();
}

void write_pod_affinity(Writer& out, const char* key, const PodAffinity& pods) {
  out.Key(key);
  out.StartObject();
  if (!pods.required.empty()) {
    out.Key(kRequired);
    write_terms(out, pods.required);
  }
  write_preferred(out, pods.preferred, &WeightedPodAffinityTerm::term, "podAffinityTerm");
  out.EndObject();
}

}  // namespace

void write_selector(Writer& out, const LabelSelector& selector) {
  out.StartObject();
  out.Key("matchLabels");
  out.StartObject();
  for (const auto& [name, value] : selector.match_labels) text(out, name.c_str(), value);
  out.EndObject();
  if (!selector.match_expressions.empty()) write_requirements(out, selector.match_expressions);
  out.EndObject();
}

void write_spread(Writer& out, const std::vector<TopologySpreadConstraint>& constraints) {
  out.Key("topologySpreadConstraints");
  out.StartArray();
  for (const TopologySpreadConstraint& constraint : constraints) {
    out.StartObject();
    out.Key("maxSkew");
    out.Int(constraint.max_skew);
    text(out, "topologyKey", constraint.topology_key);
    text(out, "whenUnsatisfiable", constraint.when_unsatisfiable);
    out.Key("labelSelector");
    write_selector(out, constraint.label_selector.value());
    out.EndObject();
  }
  out.EndArray();
}

void write_affinity(Writer& out, const Affinity& affinity) {
  out.Key("affinity");
  out.StartObject();
  if (affinity.node_affinity) write_node_affinity(out, *affinity.node_affinity);
  if (affinity.pod_affinity) write_pod_affinity(out, "podAffinity", *affinity.pod_affinity);
  if (affinity.pod_anti_affinity) write_pod_affinity(out, "podAntiAffinity", *affinity.pod_anti_affinity);
  out.EndObject();
}

}  // namespace winnow::bench
