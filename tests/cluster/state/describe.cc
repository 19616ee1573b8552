#include "tests/cluster/state/describe.h"

#include <algorithm>
#include <format>
#include <set>
#include <type_traits>
#include <variant>

#include "cluster/api/device.h"
#include "cluster/state/node_column_list.h"
#include "cluster/state/node_columns.h"
#include "cluster/state/state.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

const char* const kLabelKeys[] = {"kubernetes.io/hostname",
                                  "disk",
                                  "failure-domain.beta.kubernetes.io/zone",
                                  "topology.kubernetes.io/zone",
                                  "topology.kubernetes.io/region",
                                  "example.com/rare-0",
                                  "example.com/rare-1",
                                  "unheard-of"};
const char* const kResources[] = {"example.com/gpu",    "hugepages-2Mi",      "attachable-volumes-aws-ebs",
                                  "example.com/rare-0", "example.com/rare-1", "attachable-volumes-csi-rare-1",
                                  "unheard-of"};
const char* const kLimits[] = {"attachable-volumes-aws-ebs",
                               "attachable-volumes-gce-pd",
                               "attachable-volumes-cinder",
                               "attachable-volumes-csi-ebs.example.com",
                               "attachable-volumes-csi-nfs.example.com",
                               "attachable-volumes-csi-rare-0",
                               "attachable-volumes-csi-rare-1",
                               "attachable-volumes-csi-a-driver-with-a-name-to85741f169144ef4b",
                               "",
                               "unheard-of"};
const char* const kImages[] = {"web:latest", "db:1", "registry:5000/cache:latest", "unheard-of"};

std::string text_of(const View& view, Symbol symbol) {
  return symbol == kNone ? "(none)" : '"' + std::string(view.text(symbol)) + '"';
}

/// The nodes of a node's domain: numbers of domains may differ.
std::string domain_mates(const View& view, const char* key, NodeId id) {
  const DomainIds domains = view.domains(key);
  if (domains[id] == kNone) return "nobody";
  std::set<std::string> names;
  for (const NodeId other : view.all_nodes())
    if (domains[other] == domains[id]) names.emplace(view.node_name(other));
  const bool in_range = domains[id] < domains.capacity();
  std::string line = domains[id] == domains.of_empty_value() ? "the unnamed" : "those";
  for (const std::string& name : names) line += ' ' + name;
  return in_range ? line : line + " out of range";
}

std::string scalars(const View& view, NodeId id) {
  std::string line;
  for (const char* resource : kResources) {
    const ScalarColumns scalar = view.scalar(resource);
    line += std::format(" {}/{}", scalar.requested[id], scalar.allocatable[id]);
  }
  return line;
}

std::string join(const std::set<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += ' ' + text;
  return all;
}

// A value of a column, in words that are the same in every view. A column of a new type needs one of its own.

template <class T>
  requires std::is_integral_v<T>
std::string value_text(const View&, T value) {
  return std::format(" {}", value);
}

std::string value_text(const View&, const std::string& value) { return ' ' + value; }

std::string value_text(const View&, const TaintSet& taints) {
  std::string line;
  for (const Taint& taint : taints) line += std::format(" {}={}:{}", taint.key, taint.value, taint.effect);
  return line;
}

std::string value_text(const View&, const AvoidList& list) {
  std::string line;
  for (const AvoidedController& one : list) line += ' ' + one.kind + one.uid;
  return line;
}

std::string value_text(const View& view, const LabelSet& labels) {
  std::set<std::string> sorted;
  for (const auto& [key, value] : labels)
    sorted.insert(std::format("{}={}", view.text(key), view.text(value)));
  return join(sorted);
}

std::string value_text(const View& view, const std::vector<Symbol>& symbols) {
  std::set<std::string> sorted;
  for (const Symbol symbol : symbols) sorted.emplace(view.text(symbol));
  return join(sorted);
}

std::string value_text(const View& view, const std::vector<NodeTable::PortUse>& uses) {
  std::set<std::string> sorted;
  for (const NodeTable::PortUse& use : uses)
    sorted.insert(std::format("{} pods hold {}:{}/{};", use.pods, view.text(use.port.address), use.port.port,
                              view.text(use.port.protocol)));
  return join(sorted);
}

std::string value_text(const View& view, const std::vector<NodeTable::DiskUse>& uses) {
  std::set<std::string> sorted;
  for (const NodeTable::DiskUse& use : uses) {
    const Disk& disk = view.names().disks[use.disk];
    std::string line = std::format("{} pods mount {} {} {} {}", use.pods, static_cast<int>(disk.source),
                                   disk.id, disk.pool, disk.read_only);
    for (const std::string& monitor : disk.monitors) line += ' ' + monitor;
    sorted.insert(line + ';');
  }
  return join(sorted);
}

std::string column_text(const View& view, const auto& column, NodeId id) {
  const auto value = view.column(column.values)[id];
  if constexpr (requires { column.source.pool; })
    return value == kNone ? "" : value_text(view, (view.names().*column.source.pool)[value]);
  else
    return value_text(view, value);
}

std::string volumes(const View& view, NodeId id) {
  std::string line;
  for (const char* limit : kLimits) {
    const AttachColumns columns = view.attach_limit(limit);
    line += std::format(" {} of", columns.attached[id]);
    for (const std::int64_t most : {columns.offered[id], columns.by_driver[id]})
      line += most == AttachTable::kNoLimit ? " any" : std::format(" {}", most);
    line += ';';
  }
  std::set<std::string> sorted;
  for (const AttachTable::Use& use : view.attached(id)) {
    const Attachable& volume = view.names().attachables[use.volume];
    sorted.insert(std::format(" {} has {} {}", use.pods, view.names().limits[volume.limit], volume.id));
  }
  for (const std::string& one : sorted) line += one;
  return line;
}

std::string domains(const View& view, NodeId id) {
  std::string line;
  for (const char* key : kLabelKeys)
    line += std::format(" {} with {}", text_of(view, view.label(key)[id]), domain_mates(view, key, id));
  return line;
}

std::string facts(const View& view, NodeId id) {
  std::string line;
  for (const NodeFact& fact : view.state().options().facts) line += std::format(" {}", view.fact(fact)[id]);
  return line;
}

Lines describe_node(const View& view, NodeId id) {
  const std::string name(view.node_name(id));
  const bool is_found = view.find_node(name) == id && view.is_current(id);
  Lines lines = {name + (is_found ? " is found" : " is not found"), name + " scalars" + scalars(view, id),
                 name + " domains" + domains(view, id), name + " volumes" + volumes(view, id),
                 name + " facts" + facts(view, id)};
  for_each_column([&]<class T, class Source>(const NodeColumn<T, Source>& column) {
    if constexpr (!std::is_same_v<Source, OfRow>)  // What is the row's own is not the node's.
      lines.push_back(std::format("{} {}{}", name, column.name, column_text(view, column, id)));
  });
  return lines;
}

void add_counts(Lines& lines, const View& view, const PodQuery& query, const std::string& name) {
  const std::vector<std::int32_t> counts = view.count_pods(query);
  for (NodeId id = 0; id < counts.size(); ++id)  // What is not there has no pods.
    if (counts[id] != 0)
      lines.push_back(std::format("{} has {} pods of {}", view.node_name(id), counts[id], name));
  lines.push_back("a node that is missing has pods of " + name + ": " + view.find_missing_node(query));
}

void add_terms(Lines& lines, const View& view, const std::vector<std::string>& namespaces) {
  std::map<std::string, std::int64_t> sums;
  std::string about;
  const auto sum = [&](const AffinityTerm& term, std::span<const PodsOnNode> pods) {
    for (const PodsOnNode& here : pods)
      sums[std::format("{} has pods with term {} {}", view.node_name(here.node), AffinityTermHash{}(term),
                       about)] += here.pods;
  };
  for (std::size_t i = 0; i < kTermKinds; ++i) {
    const auto kind = static_cast<TermKind>(i);
    about = "that is invalid";
    view.visit_invalid_terms(kind, sum);
    for (const std::string& ns : namespaces)
      for (const char* app : {"v0", "v1", "v3"}) {
        const Pod pod = test::pod("asked").in(ns).label("app", app).label("tier", "v1");
        about = "about " + ns + '/' + app;
        view.visit_terms(kind, pod.metadata, sum);
      }
  }
  for (const auto& [line, pods] : sums) lines.push_back(std::format("{} {}", pods, line));
}

/// Where the first pod of a namespace runs, and the first with some labels.
void add_first_sites(Lines& lines, const View& view, const std::string& ns) {
  for (const StringMap& labels :
       {StringMap(), StringMap{{"app", "v1"}}, StringMap{{"app", "v0"}, {"tier", "v2"}}}) {
    const std::optional<View::Location> location = view.first_location(ns, labels);
    lines.push_back(std::format("the first pod of {} with {} labels is on '{}', {}", ns, labels.size(),
                                location ? location->node_name : "", location && location->node != kNone));
  }
}

std::string describe_image(const View& view, const std::string& name) {
  const ImageSpread image = view.image(name);
  std::set<std::string> nodes;
  for (const NodeId id : image.nodes) nodes.emplace(view.node_name(id));
  std::string line = std::format("image {} of {} bytes", name, image.nodes.empty() ? 0 : image.size);
  for (const std::string& node : nodes) line += ' ' + node;
  return line + (nodes.size() == image.nodes.size() ? "" : " and some twice");
}

std::string describe_pod(const State& state, PodId id) {
  const PodRecord& record = state.pod(id);
  const Pod pod = state.to_pod(id);
  std::string line = std::format("pod {}/{} {} on '{}'", pod.metadata.namespace_, record.name, record.uid,
                                 pod.spec.node_name);
  line += std::format(" {} {} {}", record.node != kNone, record.assigned, pod.metadata.deleting);
  for (const auto& [key, value] : pod.metadata.labels) line += ' ' + key + '=' + value;
  for (const OwnerReference& owner : pod.metadata.owner_references) line += ' ' + owner.kind + owner.uid;
  const PodRequests& requests = state.footprint(record).requests;
  line += std::format(" asks {} {}", requests.milli_cpu, requests.nonzero_memory);
  line += std::format(" {} volumes {} tolerations", pod.spec.volumes.size(), pod.spec.tolerations.size());
  for (const PodResourceClaim& claim : pod.spec.resource_claims)
    line += std::format(" claims {} as {} by {}", claim.resource_claim_name.value_or("(none)"), claim.name,
                        claim.resource_claim_template_name.value_or("(none)"));
  for (const PodResourceClaimStatus& claim : pod.status.resource_claim_statuses)
    line += std::format(" has {} as {}", claim.resource_claim_name.value_or("(none)"), claim.name);
  return line + " and " + pod.status.extended_resource_claim_name;
}

std::string text_of(const Device& device) {
  std::string line = " " + device.name;
  for (const auto& [name, value] : device.attributes)
    line += std::format(" {}={}", name,
                        std::holds_alternative<std::string>(value) ? std::get<std::string>(value) : "?");
  for (const auto& [name, capacity] : device.capacity)
    line += std::format(" {} {}", name, capacity.value.value());
  for (const DeviceTaint& taint : device.taints) line += " tainted " + taint.value;
  return line;
}

}  // namespace

Lines describe(const View& view, const std::vector<std::string>& namespaces,
               const std::vector<Selector>& selectors, const std::vector<PodQuery>& queries) {
  Lines lines;
  const std::vector<NodeId> nodes = view.all_nodes();
  for (const NodeId id : nodes) append(lines, describe_node(view, id));
  for (const std::string& ns : namespaces)
    for (std::size_t i = 0; i < selectors.size(); ++i)
      add_counts(lines, view, {{ns}, selectors[i]}, std::format("{} by selector {}", ns, i));
  for (std::size_t i = 0; i < queries.size(); ++i)
    add_counts(lines, view, queries[i], std::format("query {}", i));
  add_terms(lines, view, namespaces);
  lines.push_back(std::format("{} pods run", view.has_running_pods() ? "some" : "no"));
  for (const std::string& ns : namespaces) add_first_sites(lines, view, ns);
  for (const char* image : kImages) lines.push_back(describe_image(view, image));
  lines.push_back(std::format("{} nodes, counted {}", nodes.size(), view.node_count()));
  std::ranges::sort(lines);
  return lines;
}

Lines describe_pods(const State& state) {
  Lines lines;
  std::map<std::uint64_t, std::string> by_age;
  for (const NodeId id : View(state).all_nodes()) {
    by_age[state.nodes().arrival[id]] = state.nodes().name[id];
    lines.push_back(std::format("{} pods on {}", state.pods_on(id).size(), state.nodes().name[id]));
  }
  for (PodId id = 0; id < state.pod_capacity(); ++id)
    if (!state.pod(id).name.empty()) lines.push_back(describe_pod(state, id));
  std::ranges::sort(lines);
  for (const auto& [age, name] : by_age) lines.push_back("next by age: " + name);
  for (const PodId id : state.pending_pods()) lines.push_back("pending: " + state.pod(id).name);
  lines.push_back(std::format("{} pods, {} pending", state.pod_count(), state.pending_count()));
  return lines;
}

Lines describe_devices(const State& state) {
  Lines lines;
  for (const auto& [key, slice] : state.devices.slices()) {
    std::string& line =
        lines.emplace_back(std::format("slice {} {} {}/{} on {} {}", key, slice.driver, slice.pool.name,
                                       slice.pool.generation, slice.node_name, slice.all_nodes));
    for (const Device& device : slice.devices) line += text_of(device);
  }
  for (const auto& [key, rule] : state.devices.taint_rules())
    lines.push_back(std::format("rule {} {} {} {} {}", key, rule.has_selector, rule.driver.value_or("*"),
                                rule.pool.value_or("*"), rule.taint.value));
  for (const auto& [key, claim] : state.devices.claims()) {
    std::string& line = lines.emplace_back(std::format("claim {} {}", key, claim.metadata.uid));
    for (const ClaimRequest& request : claim.spec.requests)
      line += std::format(" wants {} as {}", request.exactly ? request.exactly->count : 0, request.name);
    if (claim.allocation)
      for (const AllocatedDevice& one : claim.allocation->devices)
        line += std::format(" has {}/{}/{}", one.driver, one.pool, one.device);
    for (const ClaimConsumer& one : claim.reserved_for) line += " for " + one.uid;
    const ResourceClaim* const found =
        state.devices.find_claim(claim.metadata.namespace_, claim.metadata.name);
    if (found == nullptr || *found != claim) line += " and is not found";
  }
  return lines;
}

void append(Lines& lines, const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); }

std::string difference(const Lines& a, const Lines& b) {
  const auto [one, other] = std::ranges::mismatch(a, b);
  if (one == a.end() && other == b.end()) return "";
  return std::format("{}\nagainst\n{}", one == a.end() ? "(end)" : *one, other == b.end() ? "(end)" : *other);
}

}  // namespace winnow::test
