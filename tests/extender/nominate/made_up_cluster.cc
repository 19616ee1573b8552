#include "tests/extender/nominate/made_up_cluster.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/function_ref.h"
#include "extender/nominate/nomination_writers.h"

namespace winnow::test {
namespace {

constexpr const char* kGate = "winnow.dev/nominate";
constexpr std::size_t kNodes = 4;

std::int64_t cpus_of(const Pod& pod) {
  return pod.spec.containers.front().resources.requests.find("cpu")->second.value();
}
bool waits(const Pod& pod) { return waits_for_node(pod); }
int priority_of(const Pod& pod) { return pod.spec.priority.value_or(0); }

}  // namespace

MadeUpCluster::MadeUpCluster(std::uint64_t seed) : random_(seed) {
  for (std::size_t i = 0; i < kNodes; ++i)
    nodes_["n" + std::to_string(i)] = 2 + static_cast<std::int64_t>(draw(5));
  start_winnow();
}

// ---- the API server ----

Pod* MadeUpCluster::find(const std::string& name) {
  const auto pod = pods_.find(name);
  return pod == pods_.end() ? nullptr : &pod->second;
}

void MadeUpCluster::store(Pod pod, const std::string& why) {
  pod.metadata.resource_version = std::to_string(++version_);
  story_.push_back(std::format("{} {}: node {} nominated {} by {}: {}", version_, pod.metadata.name,
                               pod.spec.node_name, pod.status.nominated_node_name, pod.status.nominated_by,
                               why));
  for (Events* const events : {&for_winnow_, &for_scheduler_}) events->push_back({pod, false, version_});
  pods_.insert_or_assign(pod.metadata.name, std::move(pod));
}

void MadeUpCluster::remove(const std::string& name) {
  ++version_;
  story_.push_back(std::format("{} {} is deleted", version_, name));
  for (Events* const events : {&for_winnow_, &for_scheduler_})
    events->push_back({pods_.at(name), true, version_});
  pods_.erase(name);
}

void MadeUpCluster::bind(Pod& pod, const std::string& node, const std::string& who) {
  Pod made = pod;
  made.spec.node_name = node;
  made.status.nominated_node_name.clear();
  made.status.nominated_by.clear();
  made.status.conditions.clear();
  store(std::move(made), "bound by " + who);
}

live::PatchResult MadeUpCluster::nominate(const live::PodIdentity& identity, const std::string& node,
                                          const std::string& instead_of) {
  using live::PatchOutcome;
  const Pod* const pod = find(identity.name);
  if (!pod || pod->metadata.uid != identity.uid) return {PatchOutcome::kGone, "gone"};
  const std::string version = pod->metadata.resource_version;
  if (!pod->spec.node_name.empty()) return {PatchOutcome::kBound, "bound", pod->spec.node_name, version};
  const PodStatus& status = pod->status;
  if (status.nominated_node_name == node) return {PatchOutcome::kAlreadySo, "", "", version};
  const bool ours =
      status.nominated_by == live::kNominationManager && status.nominated_node_name == instead_of;
  if (!status.nominated_node_name.empty() && !ours)
    return {PatchOutcome::kOverruled, "taken", status.nominated_node_name, version};
  store(node.empty() ? nominated(*pod, "", "") : nominated(*pod, node), "patched by Winnow");
  return {PatchOutcome::kWritten, "", "", std::to_string(version_)};
}

live::PatchResult MadeUpCluster::remove_gate(const live::PodIdentity& identity, std::string_view gate) {
  using live::PatchOutcome;
  const Pod* const pod = find(identity.name);
  if (!pod || pod->metadata.uid != identity.uid) return {PatchOutcome::kGone, "gone"};
  const std::string version = pod->metadata.resource_version;
  if (!pod->spec.node_name.empty()) return {PatchOutcome::kBound, "bound", pod->spec.node_name, version};
  Pod made = *pod;
  if (std::erase(made.spec.scheduling_gates, gate) == 0) return {PatchOutcome::kAlreadySo, "", "", version};
  store(std::move(made), "gate removed by Winnow");
  return {PatchOutcome::kWritten, "", "", std::to_string(version_)};
}

/// The patch, unless the API server or the network is in trouble.
live::PatchResult MadeUpCluster::perhaps_lost(FunctionRef<live::PatchResult()> patch) {
  using live::PatchOutcome;
  if (healed_) return patch();
  if (one_in(12)) return {PatchOutcome::kUnknown, "lost before"};
  if (one_in(40)) return {.outcome = PatchOutcome::kUnknown, .error = "500", .unchanged = true};
  if (one_in(40)) return {PatchOutcome::kRefused, "422"};
  if (one_in(40)) return {PatchOutcome::kDenied, "403"};
  live::PatchResult result = patch();
  return one_in(12) ? live::PatchResult{PatchOutcome::kUnknown, "lost after"} : result;
}

std::int64_t MadeUpCluster::free_on(const std::map<std::string, Pod>& pods, const std::string& node) const {
  std::int64_t free = nodes_.contains(node) ? nodes_.at(node) : 0;
  for (const auto& [name, pod] : pods)
    if (pod.spec.node_name == node) free -= cpus_of(pod);
  return free;
}

// ---- Winnow ----

/// A new process: it lists what there is, and has no memory of another.
void MadeUpCluster::start_winnow() {
  story_.emplace_back("Winnow starts");
  if (winnow_) count_outcomes();
  winnow_ = std::make_unique<NominatorService>(
      NominatorService::Given{.clock = clock_, .gate = kGate, .release_infeasible = !one_in(3)});
  for (const auto& [name, cpus] : nodes_) winnow_->set_node(roomy_node(name, std::to_string(cpus)));
  for (const auto& [name, pod] : pods_) winnow_->tell(pod);
  for_winnow_.clear();
}

void MadeUpCluster::count_outcomes() {
  for (std::size_t i = 0; i < kNominationOutcomes; ++i)
    outcomes_[i] += winnow_->ended(static_cast<NominationOutcome>(i));
}

void MadeUpCluster::show_winnow() {
  if (for_winnow_.empty()) return;
  const Event event = std::move(for_winnow_.front());
  for_winnow_.pop_front();
  if (event.gone)
    winnow_->tell_gone(event.pod.metadata.name, event.version);
  else
    winnow_->tell(event.pod);
}

/// What a write works with.
class MadeUpCluster::Writing final : public PodWriter, public Leadership, public WriteOwner {
 public:
  explicit Writing(MadeUpCluster& of) : of_(of) {}
  live::PatchResult nominate(const live::PodIdentity& pod, const std::string& node,
                             const std::string& instead_of, live::Clock::Time,
                             const std::stop_token&) override {
    return of_.perhaps_lost([&] { return of_.nominate(pod, node, instead_of); });
  }
  live::PatchResult remove_gate(const live::PodIdentity& pod, std::string_view gate, live::Clock::Time,
                                const std::stop_token&) override {
    return of_.perhaps_lost([&] { return of_.remove_gate(pod, gate); });
  }
  /// The lead may be lost at any time.
  std::uint64_t term() const override {
    if (!of_.healed_ && of_.winnow_->term != 0 && of_.one_in(100)) of_.winnow_->term = 0;
    return of_.winnow_->term;
  }
  live::Clock::Time until() const override { return live::Clock::Time::max(); }
  bool is_wanted(Ticket ticket) const override { return of_.winnow_->waiting.is_wanted(ticket); }
  void on_done(const NominationWrite&, const WriteResult&) override {}

 private:
  MadeUpCluster& of_;
};

/// One of those that wait: several threads write, in any order.
void MadeUpCluster::carry_out_a_write() {
  if (winnow_->writes.empty()) return;
  const auto at = winnow_->writes.begin() + static_cast<std::ptrdiff_t>(draw(winnow_->writes.size()));
  const NominationWrite write = *at;
  winnow_->writes.erase(at);
  Writing writing(*this);
  const WriteResult result = NominationWriting{writing, writing, writing, clock_}.carry_out(write, {});
  if (result.again) return winnow_->writes.push_back(*result.again);
  story_.push_back(std::format("write to {} for {} instead of {}: {} at {}", write.pod.name, write.node,
                               write.instead_of, to_string(result.report.event), result.report.version));
  winnow_->waiting.report(result.report);
}

// ---- kube-scheduler ----

void MadeUpCluster::show_scheduler() {
  if (for_scheduler_.empty()) return;
  const Event event = std::move(for_scheduler_.front());
  for_scheduler_.pop_front();
  const std::string& name = event.pod.metadata.name;
  if (event.gone) {
    scheduler_pods_.erase(name);
    scheduler_placed_.erase(name);
    return;
  }
  if (!event.pod.spec.node_name.empty()) scheduler_placed_.erase(name);
  const auto known = scheduler_pods_.find(name);
  if (known == scheduler_pods_.end() || known->second.metadata.uid != event.pod.metadata.uid)
    scheduler_queue_[name] = ++queued_;
  scheduler_pods_.insert_or_assign(name, event.pod);
}

/// Whether the pod fits beside what kube-scheduler knows to run, or to be nominated, on the node.
bool MadeUpCluster::scheduler_fits(const Pod& pod, const std::string& node) const {
  std::int64_t free = free_on(scheduler_pods_, node) - cpus_of(pod);
  for (const auto& [name, placed] : scheduler_placed_)
    if (placed == node && name != pod.metadata.name) free -= cpus_of(scheduler_pods_.at(name));
  for (const auto& [name, other] : scheduler_pods_)
    if (name != pod.metadata.name && waits(other) && other.status.nominated_node_name == node &&
        priority_of(other) >= priority_of(pod) && !scheduler_placed_.contains(name))
      free -= cpus_of(other);
  return free >= 0;
}

void MadeUpCluster::schedule_one(bool only_nominated) {
  std::vector<Pod> candidates;
  for (const auto& [name, pod] : scheduler_pods_)
    if (waits(pod) && pod.spec.scheduling_gates.empty() && pod.spec.resource_claims.empty() &&
        !scheduler_placed_.contains(name) && (!only_nominated || !pod.status.nominated_node_name.empty()))
      candidates.push_back(pod);
  if (candidates.empty()) return;
  if (!healed_) return try_pod(candidates[draw(candidates.size())]);  // It starts again and again.
  try_pod(*std::ranges::min_element(candidates, {}, [this](const Pod& pod) {
    return std::pair(-priority_of(pod), scheduler_queue_.at(pod.metadata.name));
  }));
}

void MadeUpCluster::try_pod(const Pod& pod) {
  std::string node = pod.status.nominated_node_name;
  const bool dislikes = !healed_ && one_in(6);  // A filter of its own, which Winnow does not have.
  if (node.empty() || dislikes || !scheduler_fits(pod, node)) {
    std::vector<std::string> fitting;
    for (const auto& [name, cpus] : nodes_)
      if (scheduler_fits(pod, name) && !(dislikes && one_in(2))) fitting.push_back(name);
    if (fitting.empty()) return give_up(pod);
    node = fitting[draw(fitting.size())];
  }
  Pod* const there = find(pod.metadata.name);
  if (!there || there->metadata.uid != pod.metadata.uid || !there->spec.node_name.empty()) return;
  if (!healed_ && one_in(20)) return give_up(pod);  // The binding has failed.
  scheduler_placed_[pod.metadata.name] = node;
  bind(*there, node, "kube-scheduler");
}

void MadeUpCluster::give_up(const Pod& pod) {
  Pod* const there = find(pod.metadata.name);
  if (!there || there->metadata.uid != pod.metadata.uid || !there->spec.node_name.empty()) return;
  Pod made =
      given_up(*there, one_in(2) ? "0/4 nodes are available: 4 Insufficient cpu." : "binding rejected");
  // It patches what it saw: a nomination that it has not seen stays.
  if (!pod.status.nominated_node_name.empty()) made = nominated(std::move(made), "", "");
  scheduler_queue_[pod.metadata.name] = ++queued_;
  if (made.status == there->status) return;
  store(std::move(made), "given up by kube-scheduler");
}

// ---- what is drawn ----

Pod* MadeUpCluster::any_pod() {
  if (pods_.empty()) return nullptr;
  return &std::next(pods_.begin(), static_cast<std::ptrdiff_t>(draw(pods_.size())))->second;
}

std::string MadeUpCluster::any_node() {
  return nodes_.empty() ? ""
                        : std::next(nodes_.begin(), static_cast<std::ptrdiff_t>(draw(nodes_.size())))->first;
}

void MadeUpCluster::new_pod() {
  const std::string name = "p" + std::to_string(one_in(4) ? draw(names_ + 1) : names_++);
  if (find(name)) return;
  Pod made = told(name, 0);
  made.metadata.uid = name + "-" + std::to_string(version_);
  made.spec.containers.front().resources.requests.insert_or_assign(
      "cpu", *Quantity::parse(std::to_string(1 + draw(2))));
  made.spec.priority = static_cast<std::int32_t>(draw(3));
  if (one_in(4)) made = gated(std::move(made), {kGate});
  // kube-scheduler never tries it: its claim does not exist. An earlier Winnow did not know that.
  if (one_in(10)) made = with_resource_claims(std::move(made));
  if (!made.spec.resource_claims.empty() && one_in(2)) made = nominated(std::move(made), any_node());
  store(std::move(made), "created");
}

/// What people and other controllers do.
void MadeUpCluster::hand() {
  Pod* const pod = any_pod();
  if (!pod) return;
  if (one_in(3)) return remove(pod->metadata.name);
  if (!waits(*pod)) return;
  Pod made = *pod;
  switch (draw(4)) {
    case 0:
      if (const std::string node = any_node(); free_on(pods_, node) >= cpus_of(*pod))
        bind(*pod, node, "a hand");
      return;
    case 1:
      return store(nominated(std::move(made), "", ""), "cleared by a hand");
    case 2:
      if (const std::string node = any_node(); !node.empty())
        store(nominated(std::move(made), node, "kube-scheduler"), "preempted for");
      return;
    default:
      made.metadata.labels["tier"] = std::to_string(draw(3));
      return store(std::move(made), "labelled");
  }
}

void MadeUpCluster::trouble() {
  if (one_in(4)) return start_winnow();
  if (one_in(3)) {
    winnow_->term = winnow_->term == 0 ? 1 + draw(5) : 0;
    story_.push_back(std::format("term {}", winnow_->term));
    return;
  }
  const std::string node = "n" + std::to_string(draw(kNodes));
  story_.push_back("node " + node + " comes or goes");
  if (nodes_.erase(node) > 0) {
    winnow_->remove_node(node);
    // What ran there is deleted, as the node's pods are.
    std::vector<std::string> names;
    for (const auto& [name, pod] : pods_)
      if (pod.spec.node_name == node) names.push_back(name);
    for (const std::string& name : names) remove(name);
    std::erase_if(scheduler_placed_, [&](const auto& placed) { return placed.second == node; });
  } else {
    nodes_[node] = 2 + static_cast<std::int64_t>(draw(5));
    winnow_->set_node(roomy_node(node, std::to_string(nodes_[node])));
  }
}

void MadeUpCluster::happens() {
  clock_.advance(std::chrono::milliseconds(draw(2000)));
  const std::size_t what = draw(100);
  if (what < 15) return new_pod();
  if (what < 35) return show_winnow();
  if (what < 50) return show_scheduler();
  if (what < 65) return winnow_->work();
  if (what < 80) return carry_out_a_write();
  if (what < 94) return schedule_one(/*only_nominated=*/false);
  return what < 98 ? hand() : trouble();
}

void MadeUpCluster::heal() {
  story_.emplace_back("heals");
  healed_ = true;
  winnow_->term = 99;
  // kube-scheduler withdraws what it had nominated itself.
  std::vector<Pod> taken;
  for (const auto& [name, pod] : pods_)
    if (pod.status.nominated_by == "kube-scheduler") taken.push_back(pod);
  for (Pod& pod : taken) store(nominated(std::move(pod), "", ""), "kube-scheduler withdraws");
  // The longest pauses are 300 s.
  for (int i = 0; i < 300; ++i) {
    clock_.advance(std::chrono::seconds(5));
    while (!for_winnow_.empty()) show_winnow();
    winnow_->work();
    while (!winnow_->writes.empty()) carry_out_a_write();
    while (!for_scheduler_.empty()) show_scheduler();
    for (std::size_t tries = 0; tries < pods_.size(); ++tries) {
      schedule_one(/*only_nominated=*/true);
      while (!for_scheduler_.empty()) show_scheduler();
    }
  }
  while (!for_winnow_.empty()) show_winnow();
  winnow_->work();
  while (!winnow_->writes.empty()) carry_out_a_write();
  winnow_->work();
  count_outcomes();
}

std::vector<std::string> MadeUpCluster::problems() const {
  std::vector<std::string> found;
  std::size_t waiting = 0;
  std::map<std::string, std::int64_t> free;
  for (const auto& [node, cpus] : nodes_) free[node] = free_on(pods_, node);
  for (const auto& [name, pod] : pods_) {
    waiting += waits(pod);
    if (waits(pod) && !pod.status.nominated_node_name.empty())
      free[pod.status.nominated_node_name] -= cpus_of(pod);
  }
  for (const auto& [node, cpus] : free) {
    const bool nominated = std::ranges::any_of(
        pods_, [&](const auto& pod) { return pod.second.status.nominated_node_name == node; });
    if (cpus < 0 && nominated)
      found.push_back(std::format("node {} is promised {} CPUs too many", node, -cpus));
  }
  for (const auto& [name, pod] : pods_) {
    const bool has_ours = std::ranges::contains(pod.spec.scheduling_gates, kGate);
    if (waits(pod) && !pod.spec.resource_claims.empty()) {
      if (has_ours || !pod.status.nominated_node_name.empty())
        found.push_back(std::format("pod {} has claims of devices, and was not let go", name));
      continue;
    }
    if (!waits(pod) || !pod.status.nominated_node_name.empty()) continue;
    for (const auto& [node, cpus] : free)
      if (nodes_.contains(node) && cpus >= cpus_of(pod))
        found.push_back(std::format("pod {} fits on {}, and is neither bound nor nominated", name, node));
  }
  const WaitingFigures figures = winnow_->waiting.figures();
  if (winnow_->waiting.size() != waiting)
    found.push_back(std::format("{} pods wait, and Winnow keeps {}", waiting, winnow_->waiting.size()));
  if (winnow_->assumed_count() != figures.nominated)
    found.push_back(
        std::format("{} pods are nominated, and {} assumed", figures.nominated, winnow_->assumed_count()));
  return found;
}

}  // namespace winnow::test
