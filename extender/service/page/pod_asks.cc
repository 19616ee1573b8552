#include "extender/service/page/pod_asks.h"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/selector.h"
#include "cluster/rule/cause.h"
#include "cluster/state/pod_requests.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"

namespace winnow {
namespace {

constexpr std::size_t kMostTexts = 20, kOneTextBytes = 500;

using Texts = std::vector<std::string>;

std::string joined(const Texts& texts, std::string_view between) {
  std::string out;
  for (const std::string& text : texts) out += (&text == &texts.front() ? "" : std::string(between)) + text;
  return out;
}

/// A requirement that cannot be parsed is told as it is written.
std::string requirement_text(const SelectorRequirement& written) {
  const auto parsed = parse_requirement(written);
  return parsed ? to_text(*parsed)
                : std::format("{} {} ({})", written.key, written.op, joined(written.values, ","));
}

std::string term_text(const NodeSelectorTerm& term) {
  Texts all;
  for (const auto* const list : {&term.match_expressions, &term.match_fields})
    for (const SelectorRequirement& one : *list) all.push_back(requirement_text(one));
  return all.empty() ? "nothing" : joined(all, " and ");
}

std::string pods_text(const std::optional<LabelSelector>& written) {
  const auto selector = parse_label_selector(written);
  if (!selector) return "pods with an invalid selector";
  if (selector->is_nothing()) return "no pod";
  Texts all;
  for (const Requirement& one : selector->requirements()) all.push_back(to_text(one));
  return all.empty() ? "all pods" : "pods with " + joined(all, " and ");
}

std::string affinity_text(std::string_view how, const PodAffinityTerm& term) {
  std::string text = std::format("{} {}", how, pods_text(term.label_selector));
  if (!term.namespaces.empty()) text += " of " + joined(term.namespaces, ", ");
  if (term.namespace_selector) text += " of namespaces that a selector chooses";
  return std::format("{}, by {}", text, term.topology_key);
}

void add_pod_affinity(Texts& texts, std::string_view near, const PodAffinity& affinity) {
  for (const PodAffinityTerm& term : affinity.required)
    texts.push_back(affinity_text(std::format("required: {}", near), term));
  for (const WeightedPodAffinityTerm& one : affinity.preferred)
    texts.push_back(affinity_text(std::format("preferred, weight {}: {}", one.weight, near), one.term));
}

Texts node_affinity(const Pod& pod) {
  Texts texts;
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity) return texts;
  const NodeAffinity& affinity = *pod.spec.affinity->node_affinity;
  if (affinity.required) {
    Texts terms;
    for (const NodeSelectorTerm& term : affinity.required->terms) terms.push_back(term_text(term));
    texts.push_back("required: " + joined(terms, ", or "));
  }
  for (const PreferredSchedulingTerm& one : affinity.preferred)
    texts.push_back(std::format("preferred, weight {}: {}", one.weight, term_text(one.preference)));
  return texts;
}

Texts pod_affinity(const Pod& pod) {
  Texts texts;
  if (!pod.spec.affinity) return texts;
  if (pod.spec.affinity->pod_affinity) add_pod_affinity(texts, "near", *pod.spec.affinity->pod_affinity);
  if (pod.spec.affinity->pod_anti_affinity)
    add_pod_affinity(texts, "away from", *pod.spec.affinity->pod_anti_affinity);
  return texts;
}

Texts node_selector(const Pod& pod) {
  Texts texts;
  for (const auto& [key, value] : pod.spec.node_selector) texts.push_back(key + "=" + value);
  return texts;
}

Texts tolerations(const Pod& pod) {
  Texts texts;
  for (const Toleration& one : pod.spec.tolerations) {
    std::string text = one.key.empty() ? "every taint" : one.key;
    if (one.op != "Exists")
      text += (one.op.empty() || one.op == "Equal" ? "=" : " " + one.op + " ") + one.value;
    if (!one.effect.empty()) text += ":" + one.effect;
    if (one.toleration_seconds) text += std::format(" for {} s", *one.toleration_seconds);
    texts.push_back(std::move(text));
  }
  return texts;
}

Texts spreading(const Pod& pod) {
  Texts texts;
  for (const TopologySpreadConstraint& one : pod.spec.topology_spread_constraints) {
    std::string text = std::format("{}: maxSkew {} by {}, {}", one.when_unsatisfiable, one.skew_in_force(),
                                   one.topology_key, pods_text(one.label_selector));
    if (one.min_domains) text += std::format(", at least {} domains", *one.min_domains);
    if (!one.match_label_keys.empty()) text += ", of equal " + joined(one.match_label_keys, ", ");
    texts.push_back(std::move(text));
  }
  return texts;
}

Texts host_ports(const Pod& pod) {
  Texts texts;
  for (const auto* const containers : {&pod.spec.containers, &pod.spec.init_containers})
    for (const Container& container : *containers)
      for (const ContainerPort& port : container.ports)
        if (port.host_port != 0)
          texts.push_back(std::format("{}/{}{}", port.host_port,
                                      port.protocol.empty() ? "TCP" : port.protocol,
                                      port.host_ip.empty() ? "" : " of " + port.host_ip));
  return texts;
}

Texts claims(const Pod& pod) {
  Texts texts;
  for (const Volume& volume : pod.spec.volumes) {
    if (volume.source == VolumeSource::kPersistentVolumeClaim) texts.push_back(volume.id);
    if (volume.source == VolumeSource::kEphemeral) texts.push_back(pod.metadata.name + "-" + volume.name);
  }
  return texts;
}

void append_amount(std::string& out, std::string_view name, std::int64_t amount) {
  if (!out.ends_with('[')) out += ',';
  out += "{\"name\":";
  append_quoted(out, name);
  out += std::format(",\"amount\":{}}}", amount);
}

void append_texts(std::string& out, std::string_view what, const Texts& texts) {
  if (texts.empty()) return;
  if (!out.ends_with('[')) out += ',';
  out += std::format("{{\"what\":\"{}\",\"texts\":[", what);
  for (std::size_t i = 0; i < std::min(texts.size(), kMostTexts); ++i) {
    if (i > 0) out += ',';
    append_quoted(out, utf8_shortened(texts[i], kOneTextBytes));
  }
  if (texts.size() > kMostTexts) out += std::format(",\"… and {} more\"", texts.size() - kMostTexts);
  out += "]}";
}

}  // namespace

std::string asks_json(const Pod& pod, const PodRequests& requests) {
  std::string out = "{\"requests\":[";
  append_amount(out, "cpu", requests.milli_cpu);
  append_amount(out, "memory", requests.memory);
  if (requests.ephemeral_storage > 0) append_amount(out, "ephemeral-storage", requests.ephemeral_storage);
  for (std::size_t i = 0; i < std::min(requests.scalars.size(), kMostTexts); ++i)
    append_amount(out, requests.scalars[i].first, requests.scalars[i].second);
  out += "],\"more\":[";
  append_texts(out, "Node selector", node_selector(pod));
  append_texts(out, "Node affinity", node_affinity(pod));
  append_texts(out, "Pod affinity", pod_affinity(pod));
  append_texts(out, "Spread constraints", spreading(pod));
  append_texts(out, "Tolerations", tolerations(pod));
  append_texts(out, "Host ports", host_ports(pod));
  append_texts(out, "Claims", claims(pod));
  return out + "]}";
}

}  // namespace winnow
