#include "extender/service/recheck.h"

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/client/access/server_url.h"
#include "cluster/client/servers/pod_look_up.h"
#include "cluster/client/servers/pod_patcher.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "extender/engine/engines.h"
#include "extender/service/log/log.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/feasible_nodes.h"

namespace winnow {
namespace {

std::string shown(std::string_view text) {
  constexpr std::size_t kShownOfField = 64;
  return go_quote(text, kShownOfField);
}

/// The media type without its parameters.
std::string_view media_type(std::string_view content_type) {
  return trim(content_type.substr(0, content_type.find(';')));
}

/// The content types that a page's form or script may have without the browser asking first.
bool is_sent_unasked(std::string_view content_type) {
  constexpr std::string_view kUnasked[] = {"", "text/plain", "application/x-www-form-urlencoded",
                                           "multipart/form-data"};
  return std::ranges::any_of(kUnasked, [type = media_type(content_type)](std::string_view unasked) {
    return equal_but_for_case(type, unasked);
  });
}

/// Whether a browser says that its page is not this listener's own.
bool is_of_another_site(const Sender& sender) {
  if (!sender.fetch_site.empty())
    return !equal_but_for_case(sender.fetch_site, "same-origin") &&
           !equal_but_for_case(sender.fetch_site, "none");
  if (sender.origin.empty()) return false;
  const std::size_t scheme = sender.origin.find("://");
  return scheme == std::string_view::npos || sender.host.empty() ||
         !equal_but_for_case(sender.origin.substr(scheme + 3), sender.host);
}

/// The host without its port.
std::string host_name(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

}  // namespace

std::optional<SenderRefused> check_sender(const Sender& sender, bool loopback) {
  if (!sender.origin.empty())
    return SenderRefused{403,
                         "Origin: " + shown(sender.origin) + ": web pages may not call this; expected none"};
  if (!equal_but_for_case(media_type(sender.content_type), "application/json"))
    return SenderRefused{415, "Content-Type: " + shown(sender.content_type) + "; expected application/json"};
  return check_host(sender.host, loopback);
}

std::optional<SenderRefused> check_reader(const Sender& sender) {
  if (!is_of_another_site(sender) || !is_sent_unasked(sender.content_type)) return std::nullopt;
  const std::string whose = sender.origin.empty() ? "Sec-Fetch-Site: " + shown(sender.fetch_site)
                                                  : "Origin: " + shown(sender.origin);
  return SenderRefused{403, whose + ": pages of other sites may not call this; Content-Type: " +
                                shown(sender.content_type) + ", expected application/json"};
}

std::optional<SenderRefused> check_host(std::string_view host, bool loopback) {
  if (!loopback || live::is_loopback(host_name(host))) return std::nullopt;
  return SenderRefused{403, "Host: " + shown(host) +
                                ": this is a loopback listener; expected localhost or a loopback address"};
}

void PodWaker::wake(const UnschedulableRecord& refusal, Time now) {
  if (!may_wake(now)) return;
  rests_until_ = now + kBetween;
  const live::PatchResult result = nominations_.nominate(
      {.ns = refusal.ns, .name = refusal.name, .uid = refusal.uid, .resource_version = ""}, refusal.node);
  const std::string pod = refusal.ns + '/' + refusal.name;
  switch (result.outcome) {
    case live::PatchOutcome::kDenied:
      rests_until_ = now + kRest;
      return log_warn(
          "a pod that was refused would fit now, and Winnow may not nominate it: it waits for "
          "kube-scheduler's next try",
          {{"pod", pod}, {"node", refusal.node}, {"error", result.error}});
    case live::PatchOutcome::kWritten:
      if (const auto left_out = woken_told_.next(now))
        log_info("a pod that was refused fits now, and is nominated so that kube-scheduler tries it",
                 {{"pod", pod}, {"node", refusal.node}, {"lines_left_out", *left_out}});
      return;
    default:  // It is bound, gone or somebody else's by now; or nobody knows, and the watch will tell.
      return;
  }
}

void AssumedCheck::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      look(std::chrono::steady_clock::now(), stop);
    } catch (const std::exception&) {  // Out of memory: the next round looks again.
    }
    std::this_thread::sleep_for(kRound);
  }
}

/// The cache is locked for writing only if there is something to note.
std::vector<AssumedPods::Attempt> AssumedCheck::due(Time now) {
  ActiveConfig active = decisions_.active();
  {
    const ClusterCache::ReadGuard reader = active.cache->read();
    if (!reader.assumed().has_news_of_volumes() && !reader.assumed().may_look_up(now)) return {};
  }
  std::vector<AssumedPods::Attempt> found;
  decisions_.change_assumed(active, [&](AssumedPods& pods) {
    pods.note_volumes(now);
    found = pods.to_look_up(now, kAtOnce);
  });
  return found;
}

void AssumedCheck::look(Time now, const std::stop_token& stop) {
  for (const AssumedPods::Attempt& attempt : due(now)) {
    const live::PodLookedUp found = look_ups_.look_up(attempt, stop);
    if (stop.stop_requested()) return;
    if (found.found == live::PodFound::kUnknown) {
      if (const auto left_out = failures_told_.next(now))
        log_warn("a pod on its way could not be looked up", {{"pod", attempt.ns + '/' + attempt.name},
                                                             {"error", found.error},
                                                             {"lines_left_out", *left_out}});
      continue;
    }
    bool ended = false;
    std::string_view evidence;
    ActiveConfig active = decisions_.active();
    decisions_.change_assumed(active, [&](AssumedPods& pods) {
      const std::size_t before = pods.size();
      if (const auto* const entry = pods.find(attempt.ns, attempt.name)) evidence = to_string(entry->doubt);
      pods.looked_up(attempt, found.found == live::PodFound::kGone ? nullptr : &*found.pod, now);
      ended = pods.size() < before;
    });
    if (!ended) continue;
    if (const auto left_out = ends_told_.next(now))
      log_info("a place is free: the pod on its way there was given up",
               {{"pod", attempt.ns + '/' + attempt.name},
                {"node", attempt.node},
                {"evidence", evidence.empty() ? "no API server has it" : evidence},
                {"lines_left_out", *left_out}});
  }
}

// The rechecks go in rounds, which look at each refusal once. News that may help other pods begins
// a round, and so do another cache and some seconds without news. After each few pods the thread sleeps for
// kOneIn - 1 times as long as it has worked.

namespace {

/// The longest time between two checks of the stop token.
constexpr std::chrono::milliseconds kTick{200};
/// The number of pods between two pauses.
constexpr std::size_t kAtOnce = 8;

double seconds(Recheck::Time::duration duration) { return std::chrono::duration<double>(duration).count(); }

/// The pod of the cache, if it still waits.
std::optional<Pod> waiting(const ClusterCache::ReadGuard& state, const UnschedulableRecord& refusal) {
  const PodId id = state->find_pod(refusal.ns, refusal.name);
  if (id == kNone || state->pod(id).assigned) return std::nullopt;
  const std::string& uid = state->pod(id).uid;
  if (!uid.empty() && uid != refusal.uid) return std::nullopt;
  return state->to_pod(id);
}

/// Whether kube-scheduler's pod is newer than the cache, which does not have it yet.
bool is_still_to_come(const ClusterCache::ReadGuard& state, const UnschedulableRecord& refusal) {
  return state.assumed().watched_version() < state.assumed().believed(refusal.version) &&
         state->find_pod(refusal.ns, refusal.name) == kNone;
}

/// The first node on which the pod fits. @param longest  what the search may take.
std::optional<std::string> fitting_node(const Engine& engine, const View& view, const Pod& pod,
                                        Recheck::Time::duration longest) {
  PassTimes unused;
  const std::vector<NodeId> nodes = view.all_nodes();
  const Budget budget(std::chrono::steady_clock::now() + longest);
  const FeasibleNodes found = find_feasible_nodes({.pod = pod,
                                                   .view = view,
                                                   .nodes = nodes,
                                                   .accounting = view.state().options().accounting,
                                                   .budget = &budget},
                                                  engine, unused);
  for (std::size_t i = 0; found.fits() && i < nodes.size(); ++i)
    if (found.filtered.fits(i)) return std::string(view.node_name(nodes[i]));
  return std::nullopt;
}

}  // namespace

void Recheck::run(const std::stop_token& stop) {
  std::size_t left = 0;
  Time round{};
  ChangeNotifier::Count seen;
  const ClusterCache* before = nullptr;
  while (!stop.stop_requested()) {
    const ActiveConfig active = decisions_.active();
    ChangeNotifier& news = active.cache->news();
    const Time now = std::chrono::steady_clock::now();
    // Another cache counts its own news from the beginning.
    const bool replaced = std::exchange(before, active.cache.get()) != active.cache.get();
    if (const ChangeNotifier::Count count = news.count();
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
  const ActiveConfig active = decisions_.active();
  for (const UnschedulableRecord& refusal : refusals_.next(count)) look_at(active, refusal, now);
}

void Recheck::look_at(const ActiveConfig& active, const UnschedulableRecord& refusal, Time now) {
  std::optional<std::string> node;
  {
    const ClusterCache::ReadGuard state = active.cache->read();
    if (!state.whole() || is_still_to_come(state, refusal)) return;
    const std::optional<Pod> pod = waiting(state, refusal);
    const Engine* const engine = pod ? active.engines->find(*pod) : nullptr;
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
