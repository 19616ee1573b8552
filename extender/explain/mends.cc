#include "extender/explain/mends.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <variant>

#include "cluster/api/device.h"
#include "cluster/api/meta.h"
#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/quantity.h"
#include "cluster/api/selector.h"
#include "cluster/devices/inventory.h"
#include "cluster/devices/without_claim.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/view.h"
#include "cluster/text/words.h"

namespace winnow {
namespace {

/// The sizes of changes that are no amounts: a slip is smaller than a new node.
constexpr double kUncordon = 0.1, kValue = 0.15, kSlip = 0.2, kNamespaces = 0.25, kPolicy = 0.3,
                 kToleration = 0.5, kHostPort = 0.55, kRequirement = 0.6, kSkew = 0.7, kAnyway = 0.75,
                 kPodLabel = 0.8, kPodTerm = 0.85, kLabel = 0.9, kVolume = 0.95, kDevices = 0.97;

constexpr std::string_view kOfCordon = "node.kubernetes.io/unschedulable:";

Quantity quantity_in(const Cause& cause, std::string_view field) {
  return Quantity::parse(cause.text(field)).value_or(Quantity());
}

std::vector<std::string> texts(const Cause& cause, std::string_view field) {
  const Cause::Value* const value = cause.find(field);
  const auto* const list = value == nullptr ? nullptr : std::get_if<std::vector<std::string>>(value);
  return list == nullptr ? std::vector<std::string>() : *list;
}

/// Labels that tell what a node is. To write another value would make them untrue.
bool is_of_kubernetes(std::string_view key) {
  const std::string_view domain = key.substr(0, key.find('/'));
  return domain != key && (domain == "kubernetes.io" || domain.ends_with(".kubernetes.io") ||
                           domain == "k8s.io" || domain.ends_with(".k8s.io"));
}

/// The place of the pod's own required term that a cause is about; nothing if it is not found.
std::optional<std::size_t> place_of_term(const Pod& pod, TermKind kind, Generation generation,
                                         const Cause& cause) {
  const std::vector<AffinityTerm> terms = affinity_terms(pod, kind, generation);
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (terms[i].topology_key == cause.text("topologyKey") && terms[i].selector &&
        to_text(*terms[i].selector) == cause.text("selector"))
      return i;
  return std::nullopt;
}

/// A change of that term.
Cause change_of_term(const char* kind, const char* list, std::size_t place, const Cause& cause) {
  Cause change{kind};
  change.with("from", list).with("term", static_cast<std::int64_t>(place + 1));
  return change.with("topologyKey", cause.text("topologyKey")).with("selector", cause.text("selector"));
}

}  // namespace

Mends::Mends(const View& view, const Pod& pod, Generation generation)
    : view_(view), pod_(pod), generation_(generation), nodes_(view.all_nodes()) {}

std::vector<Mend> Mends::of(const Cause& cause) {
  constexpr std::string_view kOfVolumes[] = {"volumeLabel", "volumeAffinity", "volumeMissing",
                                             "noVolume",    "claim",          "claimInUse"};
  std::vector<Mend> found;
  const std::string& kind = cause.kind;
  if (kind == "resource") add_request(cause, found);
  if (kind == "taint") add_toleration(cause, found);
  if (kind == "unschedulable") found.push_back({kUncordon, Cause{"uncordon"}});
  if (kind == "spread") add_skew(cause, found);
  if (kind == "spreadLabel")
    found.push_back({kAnyway, Cause{"scheduleAnyway"}.with("topologyKey", cause.text("topologyKey"))});
  if (kind == "label") add_label(cause, found);
  if (kind == "port" && !pod_.spec.host_network)
    found.push_back(
        {kHostPort,
         Cause{"hostPort"}.with("port", cause.number("port")).with("protocol", cause.text("protocol"))});
  if (kind == "affinity") add_affinity(cause, found);
  if (kind == "anti-affinity") add_anti_affinity(cause, found);
  if (std::ranges::contains(kOfVolumes, kind))
    found.push_back({kVolume, Cause{"volume"}.with("claim", cause.text("claim"))});
  for (Mend& one : found)
    if (one.sort.empty())
      for (const auto& [name, value] : one.change.fields) one.sort += one.change.text(name) + '\0';
  std::ranges::stable_sort(found, {}, &Mend::size);
  return found;
}

std::vector<Mend> Mends::of_devices(NodeId node) {
  // Each is tried: a few around each node, and not many in all.
  constexpr std::size_t kMostAround = 8, kMostClaims = 64;
  std::vector<Mend> found;
  if (claims_told_ >= kMostClaims) return found;
  const DeviceInventory& devices = view_.devices();
  for (std::string& claim : claims_around(devices, view_.node_name(node), kMostAround)) {
    Cause change{"devices"};
    change.with("claim", claim);
    const auto object = devices.claims().find(claim);
    if (object != devices.claims().end()) {
      const std::vector<ClaimConsumer>& users = object->second.reserved_for;
      if (const auto pod = std::ranges::find(users, "pods", &ClaimConsumer::resource); pod != users.end())
        change.with("pod", key_of(object->second.metadata.namespace_, pod->name));
    }
    found.push_back({kDevices, std::move(change), claim});
  }
  claims_told_ += found.size();
  return found;
}

void Mends::add_request(const Cause& cause, std::vector<Mend>& found) const {
  const std::string resource = cause.text("resource");
  const Quantity wanted = quantity_in(cause, "wanted"), free = quantity_in(cause, "free");
  if (resource == "pods" || free <= Quantity() || wanted <= free) return;
  const double share = static_cast<double>(free.milli_value()) / static_cast<double>(wanted.milli_value());
  Cause change{"request"};
  change.with("resource", resource).with("from", cause.text("wanted")).with("to", cause.text("free"));
  found.push_back({1 - share, std::move(change), resource});
}

void Mends::add_toleration(const Cause& cause, std::vector<Mend>& found) const {
  const std::string taint = cause.text("taint");
  if (taint.starts_with(kOfCordon)) {
    found.push_back({kUncordon, Cause{"uncordon"}});
    return;
  }
  // A node that is not ready, or under pressure, is no place to go to.
  if (taint.starts_with("node.kubernetes.io/")) return;
  found.push_back({cause.has("toleration") ? kSlip : kToleration, Cause{"toleration"}.with("taint", taint)});
}

void Mends::add_skew(const Cause& cause, std::vector<Mend>& found) const {
  const std::string key = cause.text("topologyKey"), by = cause.text("leastCountsBy");
  if (const std::size_t colon = by.find(':'); colon != std::string::npos)
    found.push_back({kPolicy, Cause{"spreadPolicy"}
                                  .with("topologyKey", key)
                                  .with("field", by.substr(0, colon))
                                  .with("to", "Honor")});
  const std::int64_t needed = cause.number("count") + cause.number("matchesItself") - cause.number("least");
  Cause change{"maxSkew"};
  change.with("topologyKey", key).with("from", cause.number("maxSkew")).with("to", needed);
  found.push_back(
      {kSkew + 0.001 * static_cast<double>(needed - cause.number("maxSkew")), std::move(change), key});
}

void Mends::add_label(const Cause& cause, std::vector<Mend>& found) {
  const std::string from = cause.text("from"), key = cause.text("key");
  if (cause.has("term") || (from != "nodeSelector" && from != "nodeAffinity")) return;
  const std::vector<std::string> wanted = texts(cause, "wanted");
  Cause change{"requirement"};
  change.with("key", key).with("operator", cause.text("operator"));
  if (cause.has("wanted")) change.with("wanted", *cause.find("wanted"));
  change.with("from", from);
  found.push_back({kRequirement, std::move(change)});
  if (cause.text("operator") != "In" || wanted.empty()) return;
  // A value that no node has is a slip where some node has nearly the same, and a label that is still to be
  // given where none has.
  bool is_slip = false;
  for (const std::string& one : wanted) {
    if (some_node_has(key, one)) return;
    if (is_of_kubernetes(key) || !some_node_is_near(key, one)) continue;
    is_slip = true;
    const std::string value = cause.text("value");
    const std::string_view known[] = {value};
    if (value.empty() || near_names(one, known).empty()) continue;
    found.push_back(
        {kValue, Cause{"value"}.with("key", key).with("wanted", one).with("to", value).with("from", from)});
  }
  if (!is_slip && !is_of_kubernetes(key))
    found.push_back({kLabel, Cause{"label"}.with("key", key).with("value", wanted.front())});
}

void Mends::add_affinity(const Cause& cause, std::vector<Mend>& found) const {
  const auto place = place_of_term(pod_, TermKind::kRequiredAffinity, generation_, cause);
  if (!place) return;
  found.push_back({kPodTerm, change_of_term("podTerm", "podAffinity", *place, cause)});
  for (const std::string& ns : texts(cause, "elsewhere"))
    found.push_back({kNamespaces, change_of_term("namespaces", "podAffinity", *place, cause).with("to", ns)});
}

void Mends::add_anti_affinity(const Cause& cause, std::vector<Mend>& found) const {
  if (cause.text("whose") == "own") {
    if (const auto place = place_of_term(pod_, TermKind::kRequiredAntiAffinity, generation_, cause))
      found.push_back({kPodTerm, change_of_term("podTerm", "podAntiAffinity", *place, cause)});
    return;
  }
  const std::string selector = cause.text("selector");
  for (const auto& [key, value] : pod_.metadata.labels)
    if (selector.contains(key))
      found.push_back({kPodLabel, Cause{"podLabel"}.with("key", key).with("value", value)});
}

bool Mends::some_node_has(const std::string& key, const std::string& value) {
  const auto [known, is_new] = known_labels_.try_emplace({key, value}, false);
  if (!is_new) return known->second;
  const Symbol wanted = view_.symbol(value);
  const Column<Symbol> label = view_.label(key);
  if (wanted != kNone)
    known->second = std::ranges::any_of(nodes_, [&](NodeId node) { return label[node] == wanted; });
  return known->second;
}

bool Mends::some_node_is_near(const std::string& key, const std::string& value) {
  const auto [known, is_new] = known_slips_.try_emplace({key, value}, false);
  if (!is_new) return known->second;
  std::set<Symbol> values;
  const Column<Symbol> label = view_.label(key);
  for (const NodeId node : nodes_)
    if (label[node] != kNone) values.insert(label[node]);
  // Where each node has a value of its own, as a name, none is a slip for another.
  constexpr std::size_t kMostValues = 300;
  if (values.size() <= kMostValues)
    known->second = std::ranges::any_of(values, [&](Symbol one) {
      const std::string_view text[] = {view_.text(one)};
      return !near_names(value, text).empty();
    });
  return known->second;
}

// The changes, made.

namespace {

/// Takes an amount from the requests that have most of the resource. @return the container's name, "" for
/// the pod's own requests; nothing if none has so much.
std::optional<std::string> ask_less(PodSpec& spec, const std::string& resource, const Quantity& from,
                                    const Quantity& to) {
  const bool is_cpu = resource == "cpu";
  const auto number = [&](const Quantity& one) { return is_cpu ? one.milli_value() : one.value(); };
  const std::int64_t less = number(from) - number(to);
  ResourceList* requests = nullptr;
  std::string name;
  if (spec.resources && spec.resources->requests.contains(resource)) requests = &spec.resources->requests;
  if (requests == nullptr)
    for (Container& container : spec.containers) {
      const auto found = container.resources.requests.find(resource);
      if (found == container.resources.requests.end()) continue;
      if (requests != nullptr && found->second <= requests->at(resource)) continue;
      requests = &container.resources.requests;
      name = container.name;
    }
  if (requests == nullptr || number(requests->at(resource)) < less) return std::nullopt;
  const std::int64_t rest = number(requests->at(resource)) - less;
  requests->at(resource) = is_cpu ? Quantity::of_millis(rest) : Quantity::of_units(rest);
  return name;
}

/// A toleration of a taint that is written as KEY=VALUE:EFFECT.
Toleration toleration_of(std::string_view taint) {
  Toleration made{.key = {}, .op = "Exists", .value = {}, .effect = {}, .toleration_seconds = {}};
  if (const std::size_t colon = taint.rfind(':'); colon != std::string_view::npos) {
    made.effect = taint.substr(colon + 1);
    taint = taint.substr(0, colon);
  }
  const std::size_t equals = taint.find('=');
  made.key = taint.substr(0, equals);
  if (equals == std::string_view::npos) return made;
  made.op = "Equal";
  made.value = taint.substr(equals + 1);
  return made;
}

/// Takes the requirement out of the pod's node selector or its required node affinity.
bool drop_requirement(PodSpec& spec, const Cause& change) {
  const std::string key = change.text("key");
  if (change.text("from") == "nodeSelector") return spec.node_selector.erase(key) > 0;
  const std::vector<std::string> wanted = texts(change, "wanted");
  std::optional<NodeSelector>& required = spec.affinity->node_affinity->required;
  for (NodeSelectorTerm& term : required->terms)
    std::erase_if(term.match_expressions, [&](const SelectorRequirement& one) {
      if (one.key != key || one.op != change.text("operator")) return false;
      const auto requirement = parse_requirement(one);
      return requirement && requirement->values == wanted;
    });
  // A term without requirements matches no node.
  std::erase_if(required->terms, [](const NodeSelectorTerm& term) {
    return term.match_expressions.empty() && term.match_fields.empty();
  });
  if (required->terms.empty()) required.reset();
  return true;
}

bool ask_for_value(PodSpec& spec, const Cause& change) {
  const std::string key = change.text("key"), to = change.text("to");
  if (change.text("from") == "nodeSelector") {
    spec.node_selector[key] = to;
    return true;
  }
  for (NodeSelectorTerm& term : spec.affinity->node_affinity->required->terms)
    for (SelectorRequirement& one : term.match_expressions)
      if (one.key == key && one.op == "In") std::ranges::replace(one.values, change.text("wanted"), to);
  return true;
}

/// Calls change(constraint) for those that must hold. @return whether there is one.
template <class Change>
bool change_spread(PodSpec& spec, const Cause& cause, const Change& change) {
  bool any = false;
  for (TopologySpreadConstraint& one : spec.topology_spread_constraints) {
    if (one.topology_key != cause.text("topologyKey") || one.when_unsatisfiable == "ScheduleAnyway") continue;
    change(one);
    any = true;
  }
  return any;
}

bool drop_host_port(PodSpec& spec, const Cause& change) {
  bool any = false;
  for (std::vector<Container>* const list : {&spec.containers, &spec.init_containers})
    for (Container& container : *list)
      for (ContainerPort& port : container.ports) {
        const std::string_view protocol = port.protocol.empty() ? "TCP" : std::string_view(port.protocol);
        if (port.host_port != change.number("port") || protocol != change.text("protocol")) continue;
        port.host_port = 0;
        any = true;
      }
  return any;
}

/// The pod's list of required terms that the change is about; null if it lacks the term.
std::vector<PodAffinityTerm>* terms_of(PodSpec& spec, const Cause& change) {
  if (!spec.affinity) return nullptr;
  std::optional<PodAffinity>& list =
      change.text("from") == "podAffinity" ? spec.affinity->pod_affinity : spec.affinity->pod_anti_affinity;
  const std::int64_t place = change.number("term");
  return list && place >= 1 && place <= std::ssize(list->required) ? &list->required : nullptr;
}

bool change_term(PodSpec& spec, const Cause& change) {
  std::vector<PodAffinityTerm>* const terms = terms_of(spec, change);
  if (terms == nullptr) return false;
  const auto term = terms->begin() + (change.number("term") - 1);
  if (change.kind == "podTerm") {
    terms->erase(term);
  } else {
    term->namespaces = {change.text("to")};
    term->namespace_selector.reset();
  }
  return true;
}

bool drop_volume(Pod& pod, const Cause& change) {
  const std::string claim = change.text("claim");
  return std::erase_if(pod.spec.volumes, [&](const Volume& volume) {
           const bool is_made = volume.source == VolumeSource::kEphemeral;
           if (!is_made && volume.source != VolumeSource::kPersistentVolumeClaim) return false;
           return claim == pod.metadata.namespace_ + '/' +
                               (is_made ? pod.metadata.name + '-' + volume.name : volume.id);
         }) > 0;
}

}  // namespace

bool frees_devices(const Cause& change) { return change.kind == "devices"; }

bool changes_node(const Cause& change) { return change.kind == "uncordon" || change.kind == "label"; }

void make(const Cause& change, Node& node) {
  if (change.kind == "label") {
    node.metadata.labels[change.text("key")] = change.text("value");
    return;
  }
  node.spec.unschedulable = false;
  std::erase_if(node.spec.taints, [](const Taint& one) { return (one.key + ':').starts_with(kOfCordon); });
}

bool make(Cause& change, Pod& pod) {
  PodSpec& spec = pod.spec;
  const std::string& kind = change.kind;
  if (kind == "request") {
    const auto container =
        ask_less(spec, change.text("resource"), quantity_in(change, "from"), quantity_in(change, "to"));
    if (container && !container->empty()) change.with("container", *container);
    return container.has_value();
  }
  if (kind == "toleration") return spec.tolerations.push_back(toleration_of(change.text("taint"))), true;
  if (kind == "requirement") return drop_requirement(spec, change);
  if (kind == "value") return ask_for_value(spec, change);
  if (kind == "hostPort") return drop_host_port(spec, change);
  if (kind == "podTerm" || kind == "namespaces") return change_term(spec, change);
  if (kind == "podLabel") return pod.metadata.labels.erase(change.text("key")) > 0;
  if (kind == "volume") return drop_volume(pod, change);
  return change_spread(spec, change, [&](TopologySpreadConstraint& one) {
    if (kind == "maxSkew") one.max_skew = static_cast<std::int32_t>(change.number("to"));
    if (kind == "scheduleAnyway") one.when_unsatisfiable = "ScheduleAnyway";
    if (kind != "spreadPolicy") return;
    (change.text("field") == "nodeTaintsPolicy" ? one.node_taints_policy : one.node_affinity_policy) =
        change.text("to");
  });
}

}  // namespace winnow
