#include "cluster/state/state.h"

#include <algorithm>
#include <atomic>
#include <charconv>

#include "cluster/api/pod.h"

namespace winnow {
namespace {

/// The part of the status that counts for requests (see RequestOptions). Nearly every pending pod has none.
std::optional<PodStatus> resize_of(const Pod& pod) {
  const PodStatus& status = pod.status;
  const auto speaks = [](const auto& part) { return part.allocated_resources || part.resources; };
  if (!pod.spec.node_name.empty() ||
      !(speaks(status) || std::ranges::any_of(status.container_statuses, speaks) ||
        std::ranges::any_of(status.init_container_statuses, speaks) ||
        std::ranges::contains(status.conditions, "PodResizePending", &PodCondition::type)))
    return std::nullopt;
  PodStatus resize;
  resize.conditions = status.conditions;
  resize.container_statuses = status.container_statuses;
  resize.init_container_statuses = status.init_container_statuses;
  resize.allocated_resources = status.allocated_resources;
  resize.resources = status.resources;
  return resize;
}

/// Upstream: pkg/scheduler/framework/preemption/util.go PodTerminatingByPreemption v1.37.0.
bool is_preempted(const Pod& pod) {
  if (!pod.metadata.deleting) return false;
  const auto target = std::ranges::find(pod.status.conditions, "DisruptionTarget", &PodCondition::type);
  return target != pod.status.conditions.end() && target->status == "True" &&
         target->reason == "PreemptionByScheduler";
}

/// What NodeLoad::includes() is asked about a pod.
std::int64_t running_since(const PodStatus& status) {
  if (status.phase != "Running") return kNotStarted;
  return status.running_since.value_or(status.start_time.value_or(kNotStarted));
}

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

std::uint64_t to_number(std::string_view resource_version) {
  std::uint64_t number = 0;
  const char* const end = resource_version.data() + resource_version.size();
  const auto [at, error] = std::from_chars(resource_version.data(), end, number);
  return error == std::errc() && at == end ? number : 0;
}

State::State(Options options)
    : options_(std::move(options)),
      serial_(next_serial()),
      nodes_(names_, options_.exact_zones, options_.facts, !options_.node_fields.empty(), options_.node_load),
      index_(nodes_),
      volumes(names_, nodes_, index_, options_.generation),
      groups(names_.symbols),
      terms(options_.generation),
      members_(pods_) {
  nodes_.keep_changes();
}

State::~State() = default;

// ---- nodes ----

void State::set_node(const Node& node) {
  NodeId id = find_node(node.metadata.name);
  if (id != kNone) {
    if (!nodes_.holds(id, node)) nodes_.set_node(id, node);
    return;
  }
  id = nodes_.add_row(node, next_arrival_++);
  volumes.describe(nodes_, id, node.metadata.name);
  nodes_.set_metrics(id, metrics_of(node.metadata.name));
  index_.insert(id);
  if (pods_on_.size() <= id) pods_on_.resize(id + 1);
  for (const PodId pod : unknown_.take(node.metadata.name)) place(pod, id);
}

bool State::remove_node(std::string_view name) {
  const NodeId id = find_node(name);
  if (id == kNone) return false;
  // The pods wait under the node's name: they may be deleted later, or the node may come back.
  const std::string key(name);
  while (!pods_on_[id].empty()) {
    const PodId pod = pods_on_[id].back();
    unplace(pod);
    unknown_.add(pod, key);
  }
  index_.erase(id);
  nodes_.remove_row(id);
  return true;
}

// ---- pods ----

void State::set_pod(const Pod& pod) {
  const PodKey key(pod.metadata.namespace_, pod.metadata.name);
  const PodId known = find_pod(key);
  if (has_ended(pod)) {
    if (known != kNone) remove_pod(key, known);
    return;
  }
  // The old pod goes when the new one's parts are there: else what only they share would be made anew.
  const PodParts parts = acquire_parts(pod);
  const std::uint32_t footprint = acquire_footprint_of(pod, parts.spec);
  if (known != kNone && update(known, pod, parts, footprint)) return;
  if (known != kNone) remove_pod(key, known);
  add(key, pod, parts, footprint);
}

void State::put_own(PodId id, const Pod& pod) {
  PodRecord& record = pods_[id];
  record.uid = pod.metadata.uid;
  record.resource_version = to_number(pod.metadata.resource_version);
  record.preempted = is_preempted(pod);
  record.start_time = pod.status.start_time.value_or(kNotStarted);
  const PodStatus& status = pod.status;
  if (!status.resource_claim_statuses.empty() || !status.extended_resource_claim_name.empty())
    claims_.insert_or_assign(id, ClaimNames{.statuses = status.resource_claim_statuses,
                                            .extended = status.extended_resource_claim_name});
  else if (!claims_.empty())
    claims_.erase(id);
  if (!options_.pod_fields.empty() && !pod.fields.empty())
    fields_.insert_or_assign(id, pod.fields);
  else if (!fields_.empty())
    fields_.erase(id);
}

bool State::update(PodId id, const Pod& pod, const PodParts& parts, std::uint32_t footprint) {
  PodRecord& record = pods_[id];
  const bool stays = record.node != kNone && nodes_.name[record.node] == pod.spec.node_name &&
                     PodParts{record.group, record.spec, record.terms, record.owner} == parts &&
                     record.footprint == footprint;
  if (!stays) return false;
  if (options_.node_load && record.uid != pod.metadata.uid && coming_.emplace(id, kNotStarted).second)
    nodes_.change_coming(record.node, footprints_[record.footprint], +1);
  put_own(id, pod);
  if (is_coming(id)) note_start(id, pod);
  nodes_.note_change(record.node);
  release(parts);
  release_footprint_of(footprint);
  return true;
}

void State::add(const PodKey& key, const Pod& pod, const PodParts& parts, std::uint32_t footprint) {
  const PodId id = new_pod();
  PodRecord& record = pods_[id];
  record.name = pod.metadata.name;
  put_own(id, pod);
  record.group = parts.group;
  record.spec = parts.spec;
  record.terms = parts.terms;
  record.owner = parts.owner;
  record.footprint = footprint;
  index_of_pods_.insert(key.hash, id);
  if (options_.node_load) coming_.emplace(id, running_since(pod.status));
  if (!pod.spec.node_name.empty()) return attach(id, pod.spec.node_name);
  if (std::optional<PodStatus> resize = resize_of(pod)) resizes_.emplace(id, std::move(*resize));
  if (pod.metadata.creation_timestamp) created_.emplace(id, *pod.metadata.creation_timestamp);
  if (!pod.status.nominated_node_name.empty())
    nominated_.add(id, {.node = pod.status.nominated_node_name,
                        .by = pod.status.nominated_by,
                        .at = pod.status.nominated_at,
                        .refused = std::ranges::any_of(pod.status.conditions, is_refusal)});
}

bool State::remove_pod(std::string_view ns, std::string_view name) {
  const PodKey key(ns, name);
  const PodId id = find_pod(key);
  if (id != kNone) remove_pod(key, id);
  return id != kNone;
}

void State::remove_pod(const PodKey& key, PodId id) {
  index_of_pods_.erase(key.hash, id);
  if (pods_[id].assigned) {
    detach(id);
    --assigned_;
  } else {
    created_.erase(id);
    resizes_.erase(id);
    nominated_.remove(id);
  }
  free_pod(id);
}

PodId State::find_pod(std::string_view ns, std::string_view name) const { return find_pod(PodKey(ns, name)); }

PodId State::find_pod(const PodKey& key) const {
  return index_of_pods_.find(key.hash, [&](PodId id) {
    const PodRecord& record = pods_[id];
    return record.name == key.name && pod_namespace(record) == key.ns;
  });
}

PodId State::new_pod() {
  if (free_pods_.empty()) {
    pods_.emplace_back();
    return pod_capacity() - 1;
  }
  const PodId id = free_pods_.back();
  free_pods_.pop_back();
  return id;
}

void State::free_pod(PodId id) {
  if (!claims_.empty()) claims_.erase(id);
  if (!fields_.empty()) fields_.erase(id);
  if (!coming_.empty()) coming_.erase(id);
  PodRecord& record = pods_[id];
  release_footprint_of(record.footprint);
  release({record.group, record.spec, record.terms, record.owner});
  PodRecord empty;
  // A few free records keep the memory of their texts: another pod takes it soon.
  constexpr std::size_t kFew = 1024;
  if (free_pods_.size() < kFew) {
    empty.name = std::move(record.name);
    empty.uid = std::move(record.uid);
    empty.name.clear();
    empty.uid.clear();
  }
  record = std::move(empty);
  free_pods_.push_back(id);
}

// ---- what is measured of nodes, and is on its way to them ----

const NodeMetrics* State::metrics_of(std::string_view node_name) const {
  const auto& store = objects.of<NodeMetrics>();
  const auto found = store.find(key_of("", node_name));
  return found == store.end() ? nullptr : &found->second;
}

void State::set_node_metrics(NodeMetrics measured) {
  const std::string name = measured.metadata.name;
  const NodeMetrics* const known = metrics_of(name);
  if (known && known->usage && measured.usage && measured.usage->taken < known->usage->taken)
    measured.usage = known->usage;
  const NodeMetrics& kept =
      objects.of<NodeMetrics>().insert_or_assign(key_of("", name), std::move(measured)).first->second;
  const NodeId node = find_node(name);
  if (node == kNone) return;
  nodes_.set_metrics(node, &kept);
  drop_arrived(node);
}

void State::remove_node_metrics(std::string_view name) {
  objects.of<NodeMetrics>().erase(key_of("", name));
  if (const NodeId node = find_node(name); node != kNone) nodes_.set_metrics(node, nullptr);
}

/// A pod that has been on its way may have started.
void State::note_start(PodId id, const Pod& pod) {
  const PodRecord& record = pods_[id];
  const std::int64_t since = coming_[id] = running_since(pod.status);
  if (record.node == kNone || !nodes_.load(record.node).includes(since)) return;
  nodes_.change_coming(record.node, footprints_[record.footprint], -1);
  coming_.erase(id);
}

/// Counts the pods as measured that the node's measurement includes.
void State::drop_arrived(NodeId node) {
  if (nodes_.load(node).coming_pods == 0) return;
  for (const PodId pod : pods_on_[node]) {
    const auto coming = coming_.find(pod);
    if (coming == coming_.end() || !nodes_.load(node).includes(coming->second)) continue;
    nodes_.change_coming(node, footprints_[pods_[pod].footprint], -1);
    coming_.erase(coming);
  }
}

// ---- reading ----

std::int32_t State::priority_of(PodId id) const { return spec(pods_[id]).priority.value_or(0); }

bool State::has_lower_priority(NodeId node, std::int32_t priority) const {
  if (priorities_.empty() || priorities_.begin()->first >= priority) return false;
  return std::ranges::any_of(pods_on_[node], [&](PodId id) { return priority_of(id) < priority; });
}

std::span<const PodId> State::pods_on_unknown(std::string_view node_name) const {
  return unknown_.on(node_name);
}

std::string State::node_name_of(PodId id) const {
  const PodRecord& record = pods_[id];
  return record.node != kNone ? nodes_.name[record.node] : std::string(unknown_.node_of(id));
}

ObjectMeta State::metadata_of(PodId id) const {
  const PodRecord& record = pods_[id];
  const PodGroupKey& group = groups[record.group];
  ObjectMeta meta;
  meta.name = record.name;
  meta.namespace_ = names_.symbols[group.ns];
  meta.uid = record.uid;
  if (record.resource_version != 0) meta.resource_version = std::to_string(record.resource_version);
  meta.deleting = group.deleting;
  for (const auto& [key, value] : group.labels)
    meta.labels.emplace(names_.symbols[key], names_.symbols[value]);
  if (record.owner != kNone) meta.owner_references.push_back(owners_[record.owner]);
  return meta;
}

Pod State::to_pod(PodId id) const {
  const PodRecord& record = pods_[id];
  Pod pod;
  pod.metadata = metadata_of(id);
  pod.spec = specs_[record.spec];
  if (record.assigned) pod.spec.node_name = node_name_of(id);
  if (const auto created = created_.find(id); created != created_.end())
    pod.metadata.creation_timestamp = created->second;
  if (const auto resize = resizes_.find(id); resize != resizes_.end()) pod.status = resize->second;
  if (const auto fields = fields_.find(id); fields != fields_.end()) pod.fields = fields->second;
  if (const auto claims = claims_.find(id); claims != claims_.end()) {
    pod.status.resource_claim_statuses = claims->second.statuses;
    pod.status.extended_resource_claim_name = claims->second.extended;
  }
  if (const NominatedPods::Nomination* const nomination = nominated_.find(id)) {
    pod.status.nominated_node_name = nomination->node;
    pod.status.nominated_by = nomination->by;
    pod.status.nominated_at = nomination->at;
  }
  return pod;
}

std::vector<PodId> State::pending_pods() const {
  std::vector<PodId> pending;
  for (PodId id = 0; id < pod_capacity(); ++id)
    if (!pods_[id].name.empty() && !pods_[id].assigned) pending.push_back(id);
  std::ranges::sort(pending, {}, [&](PodId id) {
    return std::pair(pod_namespace(pods_[id]), std::string_view(pods_[id].name));
  });
  return pending;
}

}  // namespace winnow
