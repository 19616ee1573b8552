#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/rule/claims.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "extender/engine/engines.h"
#include "extender/what_if/compare/causes.h"
#include "extender/what_if/compare/comparison.h"
#include "extender/what_if/compare/state_snapshot.h"
#include "extender/what_if/simulate/changes.h"

namespace winnow {

StateSnapshot::StateSnapshot(const State& state) : budgets_(state.objects.of<PodDisruptionBudget>()) {
  for (const PodId id : state.pending_pods()) pending_.push_back(state.to_pod(id));
}

void StateSnapshot::put_back(State& state, const SimulationResult& result) const {
  for (const SimulatedPod& pod : result.pods) {
    if (pod.end != PodEnd::kPlaced) continue;
    const std::string name = result.batches[pod.batch].pod_name(pod.index);
    const std::size_t slash = name.find('/');
    state.remove_pod(name.substr(0, slash), name.substr(slash + 1));
  }
  for (const Pod& pod : pending_) state.set_pod(pod);
  // What was taken last is given back first: an object may have been taken more than once.
  const Reserved& reserved = result.reserved;
  for (std::size_t i = reserved.volumes.size(); i-- > 0;) state.volumes.set(reserved.volumes[i]);
  for (std::size_t i = reserved.claims.size(); i-- > 0;) state.volumes.set(reserved.claims[i]);
  for (std::size_t i = reserved.resource_claims.size(); i-- > 0;)
    ObjectWriter<ResourceClaim>::set(state, reserved.resource_claims[i]);
  for (const auto& [ns, name] : reserved.new_resource_claims)
    ObjectWriter<ResourceClaim>::remove(state, ns, name);
  for (const SimulatedPod& pod : result.pods) {
    for (const PersistentVolumeClaim& claim : result.batches[pod.batch].claims(pod.index))
      state.volumes.remove_claim(claim.metadata.namespace_, claim.metadata.name);
    for (const ResourceClaim& claim : result.batches[pod.batch].resource_claims(pod.index))
      ObjectWriter<ResourceClaim>::remove(state, claim.metadata.namespace_, claim.metadata.name);
  }
  state.objects.of<PodDisruptionBudget>() = budgets_;
}

namespace {

/// The cluster without one pod, and what a side chooses for it there.
class Elsewhere {
 public:
  Elsewhere(const Side& side, const Pod& pod, const std::string& now, std::vector<NodeId>& nodes,
            const CompareOptions& options)
      : overlay_(without(side.state, pod)), view_(side.state, &overlay_) {
    // The overlay has a row of its own for the pod's node.
    const NodeId old_row = side.state.find_node(now), row = view_.find_node(now);
    std::ranges::replace(nodes, old_row, row);
    choice_ = choose(side.engines, view_, pod, nodes, {.seed = options.seed, .stays = row});
    std::ranges::replace(nodes, row, old_row);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

  Asked asked() const { return {view_, choice_}; }

 private:
  static Overlay without(const State& state, const Pod& pod) {
    Overlay overlay(state);
    overlay.remove_pod(pod.metadata.namespace_, pod.metadata.name);
    return overlay;
  }

  const Overlay overlay_;
  const View view_;
  Choice choice_;
};

class AskingPlaced {
 public:
  AskingPlaced(const Side& a, const Side* b, const CompareOptions& options)
      : a_(a), b_(b), options_(options), nodes_a_(nodes_by_name(View(a.state))) {
    if (b) nodes_b_ = nodes_by_name(View(b->state));
    result_.placed = true;
    result_.one_sided = !b;
    if (!b) result_.label[kA] = "now", result_.label[kB] = "A";
    result_.nodes = UsageBook(a.state).finish(a.state);
    for (const NodeFill& node : result_.nodes)
      numbers_.emplace(node.name, static_cast<std::uint32_t>(numbers_.size()));
  }

  Comparison run(const Progress& progress) {
    const std::vector<PodId> running = find_running();
    std::size_t done = 0;
    for (const PodId id : running) {
      ask(a_.state.to_pod(id));
      if (progress && !progress(++done, running.size()) && done < running.size()) {
        result_.cut_short = true;
        break;
      }
    }
    result_.whys = whys_.finish();
    result_.workloads = workloads_.finish();
    if (!b_) result_.unjudged[kB] = result_.unjudged[kA];
    causes_.finish(result_);
    return std::move(result_);
  }

 private:
  /// The pods to ask about, by namespace and name.
  std::vector<PodId> find_running() {
    std::vector<std::pair<std::string, PodId>> named;
    for (const NodeId node : nodes_a_)
      for (const PodId id : a_.state.pods_on(node)) {
        const ObjectMeta meta = a_.state.metadata_of(id);
        if (!options_.pod.empty() && key_of(meta) != options_.pod) continue;
        if (goes_with_node(meta))
          ++result_.daemon_pods;
        else if (meta.deleting)
          ++result_.leaving;
        else
          named.emplace_back(key_of(meta), id);
      }
    std::ranges::sort(named);
    std::vector<PodId> running;
    for (const auto& [name, id] : named) running.push_back(id);
    return running;
  }

  void ask(Pod pod) {
    const std::string now = std::exchange(pod.spec.node_name, "");
    ComparedPod& compared = result_.pods.emplace_back();
    compared.name = key_of(pod.metadata);
    compared.workload = workloads_.number_of(workload_of(pod.metadata));
    compared.now = numbers_.at(now);
    const Elsewhere ours(a_, pod, now, nodes_a_, options_);
    result_.unjudged[kA].add(not_judged_of(a_.engines, a_.state, pod), 1);
    if (b_) result_.unjudged[kB].add(not_judged_of(b_->engines, b_->state, pod), 1);
    if (b_) {
      const Elsewhere theirs(*b_, pod, now, nodes_b_, options_);
      set(compared, kA, ours.asked());
      set(compared, kB, theirs.asked());
      if (compared.differs())
        compared.cause = causes_.number_of(turn_between(pod, ours.asked(), theirs.asked(), ties_at(now)));
      tell(pod, compared, ours.asked(), theirs.asked(), now);
      return;
    }
    compared.end[kA] = PodEnd::kPlaced;
    compared.node[kA] = compared.now;
    set(compared, kB, ours.asked());
    if (compared.differs()) compared.cause = causes_.number_of(turn_from(pod, now, ours.asked()));
    tell(pod, compared, ours.asked(), ours.asked(), now);
  }

  void set(ComparedPod& pod, std::size_t side, const Asked& asked) {
    pod.end[side] = asked.node().empty() ? PodEnd::kNowhere : PodEnd::kPlaced;
    if (asked.node().empty())
      pod.why[side] = whys_.number_of(asked.choice.why);
    else
      pod.node[side] = numbers_.at(asked.node());
  }

  TieRule ties_at(const std::string& now) const { return {.drawn = options_.seed.has_value(), .stays = now}; }

  /// The detail, if it is wanted.
  void tell(const Pod& pod, const ComparedPod& compared, const Asked& a, const Asked& b,
            const std::string& now) {
    if (options_.pod != compared.name) return;
    result_.detail = detail_of(pod, a, b, {b_ ? a.node() : now, b.node()});
    result_.detail->placed = true;
    if (!compared.differs()) return;
    result_.detail->turn = b_ ? turn_between(pod, a, b, ties_at(now)) : turn_from(pod, now, a);
  }

  const Side& a_;
  const Side* const b_;
  const CompareOptions& options_;
  std::vector<NodeId> nodes_a_, nodes_b_;  ///< In order of name.
  Comparison result_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  ///< Of the nodes.
  TextBook whys_, workloads_;
  CauseBook causes_;
};

}  // namespace

Comparison compare_placed(const Side& a, const Side* b, const CompareOptions& options,
                          const Progress& progress) {
  return AskingPlaced(a, b, options).run(progress);
}

namespace {

// B's run comes first, so that A's knows where the two differ: only there is B asked once more.
class Placing {
 public:
  Placing(const Side& a, const Side& b, const ToPlace& pods, const CompareOptions& options,
          const Progress& progress)
      : a_(a), b_(b), pods_(pods), options_(options), progress_(progress) {}

  Comparison run() {
    theirs_ = run_b();
    nodes_ = nodes_by_name(View(b_.state));
    const SimulationResult ours = run_a();
    return join(ours);
  }

 private:
  bool has_two_states() const { return &a_.state != &b_.state; }

  static void place(Simulation& simulation, const ToPlace& pods) {
    if (pods.pending) simulation.add_pending();
    simulation.wait_for(simulation.add_batches(pods.sets));
    simulation.run();
  }

  SimulationResult run_b() {
    const StateSnapshot before(b_.state);
    const auto tell = [&](std::size_t done, std::size_t all) {
      tried_ = done;
      all_ = all;
      return !progress_ || progress_(done, 2 * all);
    };
    Simulation simulation(b_.state, b_.engines, {.seed = options_.seed}, {}, tell);
    place(simulation, pods_);
    SimulationResult result = simulation.finish();
    before.put_back(b_.state, result);
    return result;
  }

  SimulationResult run_a() {
    const auto tell = [&](std::size_t done, std::size_t) {
      const bool wanted = !progress_ || progress_(std::min(all_ + done, 2 * all_), 2 * all_);
      // Both have the same order: as many pods are the same pods.
      return theirs_.cut_short ? done < tried_ : wanted;
    };
    Simulation simulation(a_.state, a_.engines, {.seed = options_.seed}, {}, tell);
    simulation.on_choice([&](std::uint32_t number, const Pod& pod, const Choice* choice) {
      if (cause_.size() <= number) cause_.resize(number + 1, kNone);
      chosen(number, pod, choice);
    });
    place(simulation, pods_);
    return simulation.finish();
  }

  /// B's node in its own run; nothing if the pod was not tried there.
  std::optional<std::string> theirs(std::uint32_t number) const {
    const SimulatedPod& pod = theirs_.pods[number];
    if (pod.end == PodEnd::kUntried) return std::nullopt;
    return pod.node == kNone ? std::string() : theirs_.nodes[pod.node].name;
  }

  void chosen(std::uint32_t number, const Pod& pod, const Choice* choice) {
    const std::string ours =
        choice && choice->node != kNone ? a_.state.nodes().name[choice->node] : std::string();
    if (has_two_states()) follow_claims(pod);
    const std::optional<std::string> theirs_node = theirs(number);
    const bool wanted = !options_.pod.empty() && key_of(pod.metadata) == options_.pod;
    const bool differs = theirs_node && *theirs_node != ours;
    if (differs && !choice && last_refused_ != kNone && !options_.seed && !wanted)
      cause_[number] = last_refused_;
    else if (differs || wanted)
      ask(number, pod, choice, theirs_node.value_or(""), wanted);
    if (choice) last_refused_ = differs && ours.empty() ? cause_[number] : kNone;
    if (has_two_states() && !ours.empty()) follow(pod, *choice, ours);
  }

  /// Asks B on A's state.
  void ask(std::uint32_t number, const Pod& pod, const Choice* choice, const std::string& theirs_node,
           bool wanted) {
    const View ours_view(a_.state), theirs_view(b_.state);
    // Where an equal pod stands for this one, the same answer again.
    const Choice again =
        choice ? Choice()
               : choose(a_.engines, ours_view, pod, nodes_by_name(ours_view), {.seed = options_.seed});
    const Choice there = choose(b_.engines, theirs_view, pod, nodes_, {.seed = options_.seed});
    const Asked a{ours_view, choice ? *choice : again}, b{theirs_view, there};
    const bool same = a.node() == b.node();
    const ChoiceDifference turn =
        same ? ChoiceDifference() : turn_between(pod, a, b, {.drawn = options_.seed.has_value()});
    cause_[number] = causes_.number_of(turn);
    if (!wanted) return;
    detail_ = detail_of(pod, a, b, {a.node(), same ? theirs_node : b.node()});
    if (!same || theirs_node != a.node()) detail_->turn = turn;
    if (const auto own = theirs(number); own && *own != b.node()) detail_->in_own_run = own;
  }

  /// B's state has the claims that are made with the pod.
  void follow_claims(const Pod& pod) {
    for (const Volume& volume : pod.spec.volumes) {
      const auto name = claim_name(pod, volume, Generation::kToday);
      const std::string& ns = pod.metadata.namespace_;
      if (!name || b_.state.volumes.claim(ns, *name)) continue;
      if (const PersistentVolumeClaim* const claim = a_.state.volumes.claim(ns, *name))
        b_.state.volumes.set(*claim);
    }
  }

  /// B's state follows A's.
  void follow(const Pod& pod, const Choice& choice, const std::string& node) {
    if (b_.state.groups.has_wanted()) b_.state.groups.keep_wanted();
    put_on_node(b_.state, choice.engine->rules(), pod, b_.state.find_node(node));
  }

  Comparison join(const SimulationResult& ours) {
    Comparison result;
    TextBook whys;
    result.nodes = ours.nodes;
    for (std::size_t node = 0; node < result.nodes.size(); ++node) {
      result.nodes[node].before = ours.nodes[node].after;
      result.nodes[node].after = theirs_.nodes[node].after;
    }
    for (const Batch& batch : ours.batches) result.workloads.push_back(batch.name());
    for (std::size_t i = 0; i < ours.pods.size(); ++i) {
      ComparedPod& pod = result.pods.emplace_back();
      pod.name = ours.batches[ours.pods[i].batch].pod_name(ours.pods[i].index);
      pod.workload = ours.pods[i].batch;
      if (i < cause_.size()) pod.cause = cause_[i];
      for (const auto& [side, found] : {std::pair(kA, &ours), std::pair(kB, &std::as_const(theirs_))}) {
        const SimulatedPod& end = found->pods[i];
        pod.end[side] = end.end;
        pod.node[side] = end.node;
        if (end.why != kNone) pod.why[side] = whys.number_of(found->whys[end.why].text);
      }
    }
    for (const auto& [side, found] : {std::pair(kA, &ours), std::pair(kB, &std::as_const(theirs_))}) {
      result.unjudged[side] = found->unjudged;
      result.unjudged[side].objects = pods_.left_out;
    }
    result.whys = whys.finish();
    result.cut_short = ours.cut_short || theirs_.cut_short;
    result.detail = std::move(detail_);
    causes_.finish(result);
    return result;
  }

  const Side &a_, &b_;
  const ToPlace& pods_;
  const CompareOptions& options_;
  const Progress& progress_;
  SimulationResult theirs_;
  std::size_t tried_ = 0, all_ = 0;     ///< By B.
  std::vector<NodeId> nodes_;           ///< Of B's state, in order of name.
  std::vector<std::uint32_t> cause_;    ///< By pod.
  std::uint32_t last_refused_ = kNone;  ///< The cause of the last pod that was tried, if it fits nowhere.
  CauseBook causes_;
  std::optional<PodDetail> detail_;
};

}  // namespace

Comparison compare_placing(const Side& a, const Side& b, const ToPlace& pods, const CompareOptions& options,
                           const Progress& progress) {
  return Placing(a, b, pods, options, progress).run();
}

}  // namespace winnow
