// What the decider looks at again: nominations that kube-scheduler may not follow, pods that fitted nowhere,
// and nominations that stand. What it decides is in nominator.cc.
#include <algorithm>
#include <utility>

#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engines.h"
#include "extender/nominate/nominator.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/feasible_nodes.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kLongestRest{1};

/// The cache as if the pod were on no node.
class WithoutPod {
 public:
  WithoutPod(const State& state, const PodFacts& pod) {
    const PodId id = state.find_pod(pod.ns, pod.name);
    if (id != winnow::kNone && state.pod(id).assigned) overlay_.emplace(state).remove_pod(pod.ns, pod.name);
    view_.emplace(state, overlay_ ? &*overlay_ : nullptr);
  }
  const View& view() const { return *view_; }

 private:
  std::optional<Overlay> overlay_;
  std::optional<View> view_;
};

}  // namespace

// ---- places that are held for nobody ----

/// @return whether there was one.
bool Nominator::follow_doubt(const ActiveConfig& active) {
  const auto pod = parts_.pods.next_doubt();
  if (!pod) return false;
  if (pod->ungate)
    hand_on(parts_.pods.ungate(pod->ticket));
  else if (pod->doubt && is_unlikely(active, *pod))
    parts_.pods.end(pod->ticket, *pod->doubt);
  else
    parts_.pods.trust(pod->ticket);
  return true;
}

/// Whether kube-scheduler is not about to place the pod, as far as its claims tell.
bool Nominator::is_unlikely(const ActiveConfig& active, const PodToLookAt& doubted) {
  if (doubted.doubt == NominationEvent::kGateStays) return true;
  const ClusterCache::ReadGuard state = active.cache->read();
  if (!state.whole()) return false;
  const PodId id = state->find_pod(doubted.facts.ns, doubted.facts.name);
  if (id == winnow::kNone || state->pod(id).uid != doubted.facts.uid) return false;
  return !is_being_prepared(View(*state), state->to_pod(id), doubted.node);
}

// ---- looks ----

bool Nominator::look(const ActiveConfig& active) {
  const ChangeNotifier::Count news = active.cache->news().count();
  const Time now = parts_.clock.now();
  const bool others = std::exchange(seen_cache_, active.cache.get()) != active.cache.get();
  const bool is_due =
      others || !seen_news_ || news.for_others != seen_news_->for_others || now - round_begun_ >= kRound;
  const bool begins = is_due && parts_.pods.begin_round();
  if (begins) {
    seen_news_ = news;
    round_begun_ = now;
  }
  const auto pod = parts_.pods.next_look();
  if (pod) look_at(active, *pod);
  if (!pod && !begins) return false;
  const Time::duration spent = parts_.clock.now() - now;
  rest_until_ = now + spent + std::min<Time::duration>(spent * (kOneIn - 1), kLongestRest);
  return pod.has_value();
}

void Nominator::look_at(const ActiveConfig& active, const PodToLookAt& look) {
  if (look.ungate) return hand_on(parts_.pods.ungate(look.ticket));
  const Seen seen = see(active, look);
  active.cache->settle();
  const bool stands = !look.node.empty();
  if (!stands && (seen == Seen::kFits || seen == Seen::kOtherReason)) parts_.pods.decide_again(look.ticket);
  if (stands && seen == Seen::kOtherReason) parts_.pods.end(look.ticket, NominationEvent::kLeftOut);
  if (stands && seen == Seen::kFitsNot) parts_.pods.end(look.ticket, NominationEvent::kNoLongerFits);
}

/// Looks at the pod on its node, or on all nodes.
Nominator::Seen Nominator::see(const ActiveConfig& active, const PodToLookAt& look) const {
  const ClusterCache::ReadGuard state = active.cache->read();
  if (!state.whole()) return Seen::kNothing;
  const PodId id = state->find_pod(look.facts.ns, look.facts.name);
  if (id == winnow::kNone || state->pod(id).uid != look.facts.uid) return Seen::kNothing;
  if (look.node.empty() && state->pod(id).assigned) return Seen::kNothing;
  Pod pod = state->to_pod(id);
  pod.spec.node_name.clear();
  const Engine* const engine = engine_for(*active.engines, pod, options_.schedulers);
  if (!engine) return Seen::kNothing;
  const WithoutPod without(*state, look.facts);
  const View& view = without.view();
  const auto why_not = why_not_nominated(view, pod, engine->rules());
  if (why_not != look.why_not) {
    const bool prepared = !look.node.empty() && is_being_prepared(view, pod, look.node);
    return prepared ? Seen::kNothing : Seen::kOtherReason;
  }
  if (why_not) return Seen::kFitsNot;
  std::vector<NodeId> nodes;
  if (look.node.empty())
    nodes = view.all_nodes();
  else if (const NodeId node = view.find_node(look.node); node != winnow::kNone)
    nodes = {node};
  else
    return Seen::kFitsNot;
  const Budget budget(std::chrono::steady_clock::now() + options_.longest);
  PassTimes unused;
  try {
    return find_feasible_nodes({.pod = pod,
                                .view = view,
                                .nodes = nodes,
                                .accounting = state->options().accounting,
                                .budget = &budget},
                               *engine, unused)
                   .fits()
               ? Seen::kFits
           : !look.node.empty() && is_being_prepared(view, pod, look.node) ? Seen::kNothing
                                                                           : Seen::kFitsNot;
  } catch (const OutOfTime&) {
    if (look.node.empty()) parts_.pods.set_aside(look.ticket);  // Expensive for every call: not again.
    return Seen::kNothing;
  }
}

}  // namespace winnow
