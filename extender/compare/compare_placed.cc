#include <algorithm>
#include <unordered_map>
#include <utility>

#include "cluster/api/store.h"
#include "extender/compare/cause_book.h"
#include "extender/compare/compare.h"

namespace winnow {
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
    for (const NodeUsage& node : result_.nodes)
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

}  // namespace winnow
