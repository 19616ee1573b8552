#include "extender/what_if/simulate/simulation.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "cluster/api/meta.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/state.h"
#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/workloads.h"

namespace winnow {
namespace {

/// Whether a claim belongs to this very pod: of an ephemeral volume by its name, of devices by its UID.
bool has_own_claims(const State& state, const Pod& pod) {
  return std::ranges::contains(pod.spec.volumes, VolumeSource::kEphemeral, &Volume::source) ||
         std::ranges::any_of(pod.spec.resource_claims,
                             [](const PodResourceClaim& one) { return !one.resource_claim_name; }) ||
         state.devices.find_extended_resource_claim(pod.metadata.uid) != nullptr;
}

/// Whether all rules that filter see the same in both.
bool fare_alike(const State& state, const Pod& a, const Pod& b) {
  return a.metadata.namespace_ == b.metadata.namespace_ && a.metadata.labels == b.metadata.labels &&
         a.spec == b.spec && a.status == b.status && !has_own_claims(state, a) && !has_own_claims(state, b);
}

std::string waits_for(const std::vector<std::string>& gates) {
  std::string list;
  for (const std::string& gate : gates) list += (list.empty() ? "" : ", ") + gate;
  return "waits for its scheduling gates: " + list;
}

}  // namespace

bool Simulation::Waiting::operator<(const Waiting& other) const {
  return std::tuple(priority, other.created, other.pod) < std::tuple(other.priority, created, pod);
}

Simulation::Simulation(State& state, const Engines& engines, const PlacerOptions& options,
                       const Changes& changes, Progress progress)
    : state_(state),
      engines_(engines),
      options_(options),
      progress_(std::move(progress)),
      usage_(state),
      daemon_sets_(state) {
  for (const KnownWorkload& workload : workloads_of(state_))
    running_before_.emplace(workload.name, workload.on_nodes);
  budgets_.emplace(state_);
  Changed changed = make_changes(state_, changes);
  new_nodes_ = std::move(changed.added);
  for (const Pod& pod : changed.deleted) budgets_->left(pod.metadata);
  for (Pod& pod : changed.lost) leave(std::move(pod), PodOrigin::kLost);
  result_.failed_nodes = changed.failed_nodes;
  result_.daemon_pods_stay += changed.stay;
  for (Pod& pod : changed.failed) fail(std::move(pod));
  objects_changed();
}

// ---- what waits ----

std::uint32_t Simulation::batch_of(const std::string& name, Batch::Pods empty) {
  const std::string key = std::to_string(empty.index()) + name;
  const auto [it, is_new] = batches_.try_emplace(key, static_cast<std::uint32_t>(result_.batches.size()));
  if (is_new) result_.batches.emplace_back(name, std::move(empty));
  return it->second;
}

std::uint32_t Simulation::note(std::uint32_t batch, std::size_t index, PodOrigin origin) {
  result_.pods.push_back({.batch = batch, .index = static_cast<std::uint32_t>(index), .origin = origin});
  return static_cast<std::uint32_t>(result_.pods.size() - 1);
}

void Simulation::wait(std::uint32_t number, const Pod& pod) {
  constexpr std::int64_t kYoungest = std::numeric_limits<std::int64_t>::max();
  waiting_.push({.priority = pod.spec.priority.value_or(0),
                 .created = pod.metadata.creation_timestamp.value_or(kYoungest),
                 .pod = number});
}

void Simulation::add_pending(const PodNames* only) {
  for (const PodId id : state_.pending_pods()) {
    const Pod pod = state_.to_pod(id);
    if (only && !only->contains({pod.metadata.namespace_, pod.metadata.name})) continue;
    const std::uint32_t batch = batch_of(workload_of(pod.metadata), WaitingNames());
    const std::size_t index =
        result_.batches[batch].add(std::pair(pod.metadata.namespace_, pod.metadata.name));
    wait(note(batch, index, PodOrigin::kWaiting), pod);
  }
}

BatchRange Simulation::add_batches(std::vector<PodSet> sets) {
  const auto first = static_cast<std::uint32_t>(result_.batches.size());
  for (PodSet& set : sets) {
    daemon_sets_.add(set);
    std::string name = set.source();
    const auto batch = static_cast<std::uint32_t>(result_.batches.size());
    if (!set.not_judged().empty()) not_judged_of_made_[batch] = set.not_judged();
    result_.batches.emplace_back(std::move(name), std::move(set));
  }
  return {first, static_cast<std::uint32_t>(result_.batches.size())};
}

void Simulation::wait_for(BatchRange batches) {
  for (std::uint32_t batch = batches.begin; batch < batches.end; ++batch) {
    const std::size_t size = result_.batches[batch].size();
    if (size == 0) continue;
    // All pods of one set have its priority, and none is older than another.
    const Pod pod = result_.batches[batch].pod(state_, 0);
    result_.pods.reserve(result_.pods.size() + size);
    for (std::size_t i = 0; i < size; ++i) wait(note(batch, i, PodOrigin::kNew), pod);
  }
}

/// Finds what is not judged of a batch by its first pod: the others have the same spec.
void Simulation::look_at(std::uint32_t batch, const Pod& pod) {
  const auto [it, is_new] = not_judged_.try_emplace(batch);
  if (!is_new) return;
  it->second = not_judged_of(engines_, state_, pod);
  if (const auto made = not_judged_of_made_.find(batch); made != not_judged_of_made_.end())
    it->second.insert(it->second.end(), made->second.begin(), made->second.end());
}

/// A pod that is no longer in the state.
void Simulation::leave(Pod pod, PodOrigin origin) {
  ++changes_;
  budgets_->left(pod.metadata);
  if (origin == PodOrigin::kLost && goes_with_node(pod.metadata)) {
    ++result_.daemon_pods_went;
    return;
  }
  if (pod.metadata.deleting) {
    ++result_.leaving;
    return;
  }
  const std::uint32_t from = usage_.number_of(state_, pod.spec.node_name);
  const bool is_remade = controller_of(pod.metadata) != nullptr;
  pod.spec.node_name.clear();
  const std::uint32_t batch = batch_of(workload_of(pod.metadata), std::vector<Pod>());
  const std::uint32_t number = noted_again(pod, batch, origin);
  result_.pods[number].from = from;
  if (is_remade) {
    wait(number, pod);
  } else {
    result_.pods[number].end = PodEnd::kNotRemade;
    result_.pods[number].why = why("it has no controller that makes it anew");
  }
  result_.batches[batch].add(std::move(pod));
}

/// A pod of a failed node, which is in the state still, being deleted. The one that is made anew needs
/// another name.
void Simulation::fail(Pod pod) {
  budgets_->left(pod.metadata);
  if (pod.metadata.deleting) {
    ++result_.leaving;
    return;
  }
  const OwnerReference* const owner = controller_of(pod.metadata);
  const std::uint32_t from = usage_.number_of(state_, pod.spec.node_name);
  const std::uint32_t batch = batch_of(workload_of(pod.metadata), std::vector<Pod>());
  const std::uint32_t number = note(batch, result_.batches[batch].size(), PodOrigin::kFailed);
  SimulatedPod& failed = result_.pods[number];
  failed.from = from;
  if (!owner || owner->kind == "StatefulSet") {
    failed.end = owner ? PodEnd::kStuck : PodEnd::kNotRemade;
    failed.node = owner ? from : kNone;
    failed.why = why(owner ? "a StatefulSet makes no other pod of this name before it is gone"
                           : "it has no controller that makes it anew");
  } else {
    pod.spec.node_name.clear();
    const std::string name = pod.metadata.name;
    for (std::size_t i = 2; state_.find_pod(pod.metadata.namespace_, pod.metadata.name) != kNone; ++i)
      pod.metadata.name = name + '-' + std::to_string(i);
    pod.metadata.uid = key_of(pod.metadata);
    wait(number, pod);
  }
  result_.batches[batch].add(std::move(pod));
}

/// The number of a pod on its way. One that was placed here, and was preempted since, keeps its number.
std::uint32_t Simulation::noted_again(const Pod& pod, std::uint32_t batch, PodOrigin origin) {
  const std::size_t index = result_.batches[batch].size();
  const auto known = placed_.find(key_of(pod.metadata));
  if (known == placed_.end()) return note(batch, index, origin);
  const std::uint32_t number = known->second;
  placed_.erase(known);
  result_.pods[number] = {
      .batch = batch, .index = static_cast<std::uint32_t>(index), .origin = result_.pods[number].origin};
  return number;
}

void Simulation::evict(Pod pod, PodOrigin origin) {
  state_.remove_pod(pod.metadata.namespace_, pod.metadata.name);
  ++result_.evictions;
  leave(std::move(pod), origin);
}

void Simulation::block(Pod pod, std::string why_not) {
  const std::uint32_t from = usage_.number_of(state_, pod.spec.node_name);
  const std::uint32_t batch = batch_of(workload_of(pod.metadata), std::vector<Pod>());
  SimulatedPod& blocked =
      result_.pods[note(batch, result_.batches[batch].add(std::move(pod)), PodOrigin::kDrained)];
  blocked.from = blocked.node = from;
  blocked.end = PodEnd::kBlocked;
  blocked.why = why(std::move(why_not));
}

// ---- one after another ----

void Simulation::run() {
  start_new_nodes();
  do {
    while (!waiting_.empty() && goes_on()) {
      const std::uint32_t number = waiting_.top().pod;
      waiting_.pop();
      try_waiting(number);
      tell();
    }
  } while (goes_on() && retry());
}

/// @return whether it was of use: a pod was placed, or evicted.
bool Simulation::retry() {
  const std::vector<Refused> again = std::exchange(refused_, {});
  const std::uint64_t before = changes_;
  for (const Refused& one : again) {
    if (one.changes == changes_ || !goes_on()) {
      refused_.push_back(one);
      continue;
    }
    try_waiting(one.pod);
    tell();
  }
  return changes_ != before || !waiting_.empty();
}

void Simulation::try_waiting(std::uint32_t number) {
  const auto [batch, index] = std::pair(result_.pods[number].batch, result_.pods[number].index);
  Pod pod = result_.batches[batch].pod(state_, index);
  look_at(batch, pod);
  if (!pod.spec.scheduling_gates.empty()) {
    result_.pods[number].end = PodEnd::kGated;
    result_.pods[number].why = why(waits_for(pod.spec.scheduling_gates));
    return;
  }
  if (failure_ && failure_->changes == changes_ && fare_alike(state_, failure_->pod, pod)) {
    if (on_choice_) on_choice_(number, pod, nullptr);
    const Why& known = result_.whys[failure_->why];
    if (observer_) observer_(pod, {.why = known.text, .reasons = known.reasons});
    return refuse(number, failure_->why);
  }
  const auto chosen = [&](const Choice& choice) { on_choice_(number, pod, &choice); };
  const bool may_preempt = !in_vain_.contains(number);
  make_claims(batch, index);
  Placement placement = place(pod, on_choice_ ? Placer::Chosen(chosen) : Placer::Chosen(), may_preempt);
  if (placement.node.empty()) {
    const std::uint32_t why_not = why(std::move(placement.why), std::move(placement.reasons));
    if (!placement.victims.empty()) in_vain_.insert(number);
    failure_.reset();
    // Else an equal pod may fare better, as it may still preempt; or its error names another pod.
    if (!in_vain_.contains(number) && !placement.is_error)
      failure_ = {.pod = std::move(pod), .changes = changes_, .why = why_not};
    return refuse(number, why_not);
  }
  SimulatedPod& placed = result_.pods[number];
  placed.end = PodEnd::kPlaced;
  placed.node = usage_.number_of(state_, placement.node);
  placed.why = kNone;
  if (options_.preemption) placed_.insert_or_assign(key_of(pod.metadata), number);
}

void Simulation::refuse(std::uint32_t number, std::uint32_t why_not) {
  result_.pods[number].end = PodEnd::kNowhere;
  result_.pods[number].why = why_not;
  refused_.push_back({number, changes_});
}

Placement Simulation::place(const Pod& pod, const Placer::Chosen& chosen, bool may_preempt) {
  Placement placement = placer_->place(pod, chosen, may_preempt);
  if (observer_) observer_(pod, placement);
  for (Pod& victim : placement.victims) {
    ++result_.evictions;
    leave(std::move(victim), PodOrigin::kPreempted);
  }
  if (!placement.node.empty()) note_placed(pod, std::exchange(placement.reserved, {}));
  return placement;
}

void Simulation::make_claims(std::vector<PersistentVolumeClaim> claims,
                             const std::vector<ResourceClaim>& of_devices) {
  for (PersistentVolumeClaim& claim : claims)
    if (!state_.volumes.claim(claim.metadata.namespace_, claim.metadata.name))
      state_.volumes.set(std::move(claim));
  for (const ResourceClaim& claim : of_devices)
    if (!state_.devices.find_claim(claim.metadata.namespace_, claim.metadata.name))
      ObjectWriter<ResourceClaim>::set(state_, claim);
}

void Simulation::make_claims(std::uint32_t batch, std::size_t index) {
  make_claims(result_.batches[batch].claims(index), result_.batches[batch].resource_claims(index));
}

void Simulation::note_placed(const Pod& pod, Reserved reserved) {
  ++changes_;
  budgets_->stands(pod.metadata);
  result_.reserved.append(std::move(reserved));
}

Placement Simulation::try_at_once(std::uint32_t batch, std::size_t index) {
  const Batch& pods = result_.batches[batch];
  const Pod pod = pods.pod(state_, index);
  look_at(batch, pod);
  make_claims(batch, index);
  Placement placement = place(pod, {}, true);
  if (!placement.node.empty()) {
    SimulatedPod& placed = result_.pods[note(batch, index, PodOrigin::kNew)];
    placed.end = PodEnd::kPlaced;
    placed.node = usage_.number_of(state_, placement.node);
  }
  tell();
  return placement;
}

std::vector<NodeId> Simulation::fitting(std::uint32_t batch, std::size_t index) {
  make_claims(batch, index);
  return placer_->fitting(result_.batches[batch].pod(state_, index));
}

void Simulation::objects_changed() {
  placer_.emplace(state_, engines_, options_);
  budgets_.emplace(state_);
  ++changes_;
}

std::optional<Pod> Simulation::first_refused() const {
  std::optional<Pod> first;
  for (const Refused& one : refused_) {
    const SimulatedPod& simulated = result_.pods[one.pod];
    Pod pod = result_.batches[simulated.batch].pod(state_, simulated.index);
    if (!goes_with_node(pod.metadata)) return pod;
    if (!first) first = std::move(pod);
  }
  return first;
}

// ---- new nodes ----

void Simulation::node_came(std::string node) {
  new_nodes_.push_back(std::move(node));
  objects_changed();
}

void Simulation::take_away(const std::string& node) {
  for (const Pod& pod : pods_of(state_, state_.find_node(node))) {
    budgets_->left(pod.metadata);
    state_.remove_pod(pod.metadata.namespace_, pod.metadata.name);
  }
  state_.remove_node(node);
  --result_.new_nodes.nodes;
  std::erase_if(result_.new_nodes.pods, [&](const NewDaemonPod& pod) { return pod.node == node; });
  objects_changed();
}

void Simulation::start_new_nodes() {
  for (const std::string& name : std::exchange(new_nodes_, {})) {
    const NodeId node = state_.find_node(name);
    if (node == kNone) continue;
    ++result_.new_nodes.nodes;
    for (const KnownDaemonSet& one : daemon_sets_.on_new_node(state_, node)) start_daemon(one, node);
  }
}

void Simulation::start_daemon(const KnownDaemonSet& one, NodeId node) {
  const Pod pod = one.pods.pod(0);
  make_claims(one.pods.claims(0), one.pods.resource_claims(0));
  Placement placement = placer_->place_on(pod, node);
  if (observer_) observer_(pod, placement);
  const bool is_placed = !placement.node.empty();
  if (is_placed) note_placed(pod, std::move(placement.reserved));
  NewNodes& told = result_.new_nodes;
  told.pods.push_back({.daemon_set = std::string(one.name()),
                       .node = state_.nodes().name[node],
                       .why = is_placed ? "" : placer_->why_not(pod, node)});
  if (one.is_unsure && !std::ranges::contains(told.unsure, one.name())) told.unsure.emplace_back(one.name());
}

// ---- what is told ----

std::uint32_t Simulation::why(std::string text, std::vector<std::pair<std::string, std::size_t>> reasons) {
  const auto [it, is_new] = whys_.try_emplace(text, static_cast<std::uint32_t>(result_.whys.size()));
  if (is_new) result_.whys.push_back({.text = std::move(text), .reasons = std::move(reasons)});
  return it->second;
}

void Simulation::tell() {
  ++done_;
  if (progress_ && !progress_(done_, std::max(done_ + waiting_.size(), result_.pods.size())))
    result_.cut_short = true;
}

/// What becomes of workloads whose pods had to be placed anew, and what those lack that fit nowhere.
void Simulation::count_running(SimulationResult& result) const {
  std::map<std::uint32_t, PodRequests> requests;  // By batch: its pods have one spec.
  for (const SimulatedPod& pod : result.pods) {
    const Batch& batch = result.batches[pod.batch];
    if (pod.origin != PodOrigin::kNew && pod.origin != PodOrigin::kWaiting)
      result.running.try_emplace(batch.name());
    if (pod.end != PodEnd::kNowhere) continue;
    const auto [known, is_new] = requests.try_emplace(pod.batch);
    if (is_new)
      known->second = pod_requests(batch.pod(state_, pod.index), state_.options().accounting, false);
    result.nowhere += {known->second.milli_cpu, known->second.memory, 1};
  }
  if (result.running.empty()) return;
  const std::vector<KnownWorkload> workloads = workloads_of(state_);
  for (auto& [name, running] : result.running) {
    if (const auto before = running_before_.find(name); before != running_before_.end())
      running.before = before->second;
    if (const KnownWorkload* const now = find_workload(workloads, name)) running.after = now->on_nodes;
  }
  std::erase_if(result.running, [](const auto& one) { return one.second.before == 0; });
}

SimulationResult Simulation::finish() {
  std::map<std::uint32_t, std::size_t> sizes;
  for (const SimulatedPod& pod : result_.pods) {
    if (pod.why != kNone) ++result_.whys[pod.why].pods;
    if (not_judged_.contains(pod.batch)) ++sizes[pod.batch];
  }
  for (const auto& [batch, pods] : sizes) result_.unjudged.add(not_judged_.at(batch), pods);
  count_running(result_);
  result_.nodes = usage_.finish(state_);
  return std::move(result_);
}

}  // namespace winnow
