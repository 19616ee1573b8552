#include <algorithm>
#include <utility>

#include "cluster/api/store.h"
#include "cluster/rule/volumes/pod_claims.h"
#include "extender/compare/cause_book.h"
#include "extender/compare/compare.h"
#include "extender/compare/take_back.h"

namespace winnow {
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
    const Before before(b_.state);
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
    const ChoiceTurn turn =
        same ? ChoiceTurn() : turn_between(pod, a, b, {.drawn = options_.seed.has_value()});
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
