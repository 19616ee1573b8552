// The rechecks go in rounds, which look at each refusal once. News that may help other pods begins a round,
// and so do another picture and some seconds without news. After each few pods the thread sleeps for kOneIn -
// 1 times as long as it has worked.
#include "extender/service/recheck.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "extender/calls/judge.h"
#include "extender/log/log.h"

namespace winnow {
namespace {

/// The longest time between two checks of the stop token.
constexpr std::chrono::milliseconds kTick{200};
/// The number of pods between two pauses.
constexpr std::size_t kAtOnce = 8;

double seconds(Recheck::Time::duration duration) { return std::chrono::duration<double>(duration).count(); }

/// The pod of the picture, if it still waits.
std::optional<Pod> waiting(const Picture::Reader& state, const Refusal& refusal) {
  const PodId id = state->find_pod(refusal.ns, refusal.name);
  if (id == kNone || state->pod(id).assigned) return std::nullopt;
  const std::string& uid = state->pod(id).uid;
  if (!uid.empty() && uid != refusal.uid) return std::nullopt;
  return state->to_pod(id);
}

/// Whether kube-scheduler's pod is newer than the picture, which does not have it yet.
bool is_still_to_come(const Picture::Reader& state, const Refusal& refusal) {
  return state.assumed().told() < state.assumed().believed(refusal.version) &&
         state->find_pod(refusal.ns, refusal.name) == kNone;
}

/// The first node on which the pod fits. @param longest  what the search may take.
std::optional<std::string> fitting_node(const Engine& engine, const View& view, const Pod& pod,
                                        Recheck::Time::duration longest) {
  PassTimes unused;
  const std::vector<NodeId> nodes = view.all_nodes();
  const Budget budget(std::chrono::steady_clock::now() + longest);
  const Judged judged = judge({.pod = pod,
                               .view = view,
                               .nodes = nodes,
                               .accounting = view.state().options().accounting,
                               .budget = &budget},
                              engine, unused);
  for (std::size_t i = 0; judged.fits() && i < nodes.size(); ++i)
    if (judged.filtered.fits(i)) return std::string(view.node_name(nodes[i]));
  return std::nullopt;
}

}  // namespace

void Recheck::run(const std::stop_token& stop) {
  std::size_t left = 0;
  Time round{};
  News::Count seen;
  const Picture* before = nullptr;
  while (!stop.stop_requested()) {
    const Serving serving = serving_();
    News& news = serving.picture->news();
    const Time now = std::chrono::steady_clock::now();
    // Another picture counts its own news from the beginning.
    const bool replaced = std::exchange(before, serving.picture.get()) != serving.picture.get();
    if (const News::Count count = news.count();
        replaced || count.for_others != seen.for_others || now - round >= pause()) {
      seen = count;
      round = now;
      left = refusals_.size();
    }
    if (left == 0) {
      news.wait_beyond(seen, now + kTick);
      seen.all = news.count().all;
      continue;
    }
    const std::size_t some = std::min(left, kAtOnce);
    try {
      look(some, now);
    } catch (const std::exception&) {  // Out of memory: the next round looks again.
    }
    left -= some;
    const auto spent = std::chrono::steady_clock::now() - now;
    std::this_thread::sleep_for(std::min<Time::duration>(spent * (kOneIn - 1), std::chrono::seconds(1)));
  }
}

/// The longest time between two rounds. Pods that are to be woken are looked at again soon.
Recheck::Time::duration Recheck::pause() const {
  const bool waits = waker_ && refusals_.has_any_to_wake();
  return waits ? std::min<Time::duration>(round_, kWake) : round_;
}

void Recheck::look(std::size_t count, Time now) {
  const Serving serving = serving_();
  for (const Refusal& refusal : refusals_.next(count)) look_at(serving, refusal, now);
}

void Recheck::look_at(const Serving& serving, const Refusal& refusal, Time now) {
  std::optional<std::string> node;
  {
    const Picture::Reader state = serving.picture->read();
    if (!state.whole() || is_still_to_come(state, refusal)) return;
    const std::optional<Pod> pod = waiting(state, refusal);
    const Engine* const engine = pod ? serving.engines->find(*pod) : nullptr;
    if (!engine) return refusals_.forget(refusal);
    try {
      node = fitting_node(*engine, View(*state), *pod, longest_);
    } catch (const OutOfTime&) {
      return refusals_.forget(refusal);
    }
  }
  const auto told = refusals_.looked(refusal, node, now, kTell);
  if (waker_ && waker_->may_wake(now))
    if (const auto woken = refusals_.to_wake(refusal, now, kWake)) waker_->wake(*woken, now);
  if (!told) return;
  log_warn("a pod that was refused would fit now, and kube-scheduler has not asked about it again",
           {{"pod", told->ns + '/' + told->name},
            {"node", told->node},
            {"would_fit_seconds", seconds(now - *told->would_fit)},
            {"refused_seconds", seconds(now - told->refused)}});
}

}  // namespace winnow
