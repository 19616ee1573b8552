#include "extender/service/scheduling/live_memory.h"

#include <utility>

#include "extender/service/scheduling/node_request.h"
#include "extender/service/scheduling/options.h"
#include "extender/service/scheduling/scheduler_filters.h"
#include "extender/service/scheduling/services.h"

namespace winnow {
namespace {

std::chrono::steady_clock::time_point steady_now() { return std::chrono::steady_clock::now(); }

}  // namespace

// The node that a pod is given.

const NodePicker& LiveMemory::picker_for(std::string_view) { return earlier_.picker; }

void LiveMemory::picked(std::string_view pod_key, std::string_view node) {
  earlier_.picker.answered(pod_key, node);
}

// The assumed pods of the cache.

void LiveMemory::assume(ClusterCache& cache, const Pod& pod, std::string_view node,
                        std::vector<ClaimedDevices> devices) {
  if (!options_.assume) return;
  cache.write_pods([&](AssumedPods& pods) {
    pods.assume(pod, std::string(node), steady_now(), pod_text(), std::move(devices));
  });
}

void LiveMemory::release(ClusterCache& cache, const Pod& pod) {
  const ObjectMeta& meta = pod.metadata;
  if (!cache.read().assumed().find(meta.namespace_, meta.name)) return;
  cache.write_pods([&](AssumedPods& pods) {
    pods.release(meta.namespace_, meta.name, meta.uid, AssumedOutcome::kAskedAgain);
  });
}

void LiveMemory::doubt(ClusterCache& cache, const std::vector<AssumedPods::Attempt>& not_counted) {
  if (not_counted.empty()) return;
  cache.write_pods([&, at = steady_now()](AssumedPods& pods) {
    for (const AssumedPods::Attempt& attempt : not_counted) pods.doubt(attempt, Doubt::kNotCounted, at);
  });
}

// The refusals of a pod.

RefusalHold LiveMemory::begin_hold(RefusalHold::Asked asked) {
  return earlier_.holds.begin(std::move(asked));
}

void LiveMemory::note_fit(RefusalHold& hold, std::string_view pod_key) {
  earlier_.holds.note_fit(hold, pod_key, steady_now());
}

std::string LiveMemory::note_refusal(RefusalHold& hold, const RefusedPod& refused) {
  const bool remarks =
      earlier_.holds.note_refusal(hold, refused.located.pod(), refused.seen, refused.is_error,
                                  refused.may_remark, steady_now(), refused.fits_outside);
  if (!remarks) return {};
  return LateRemarks::remark(hold.attempt(), held_place(refused.located, refused.engine, refused.times));
}

void LiveMemory::nominate_refused(const Pod& pod, bool by_eviction) {
  services_.cluster->nominate_refused(pod, by_eviction);
}

// Preemption.

std::vector<std::string> LiveMemory::named_victims(std::string_view pod_key, std::string_view node) {
  return earlier_.named_victims.on(pod_key, node);
}

bool LiveMemory::believes_gone(std::string_view pod_key) {
  return earlier_.named_victims.would_be_gone(pod_key, steady_now());
}

bool LiveMemory::refused_nominated(const RefusalHold& hold) { return hold.refused_nominated(); }

bool LiveMemory::fits_outside(const RefusalHold& hold) { return hold.fits_outside(); }

void LiveMemory::note_preempts(const Pod& pod) { services_.cluster->on_preempts(pod); }

std::vector<std::string> LiveMemory::promised_to_others(const State& state, std::uint64_t told,
                                                        const Pod& pod) {
  return earlier_.promised_nodes.of_others(state, told, pod, steady_now());
}

void LiveMemory::note_gone(std::string_view pod_key) {
  earlier_.named_victims.are_gone(pod_key, steady_now());
}

void LiveMemory::note_victims(const Pod& pod, std::vector<MetaVictims> victims) {
  if (!options_.assume) return;
  earlier_.promised_nodes.promise(pod, victims.size() == 1 ? victims.front().node_name : "", steady_now());
  earlier_.named_victims.named(pod_key_of(pod), std::move(victims));
}

// What explain says.

std::string LiveMemory::why_not_nominated(std::string_view ns, std::string_view name, std::string_view uid) {
  return services_.cluster->why_not_nominated(ns, name, uid);
}

std::optional<Remembered::Refused> LiveMemory::last_refusal(std::string_view pod_key) {
  const std::optional<UnschedulableRecord> refusal = earlier_.holds.refusals().find(pod_key);
  if (!refusal) return std::nullopt;
  const auto since = [at = steady_now()](UnschedulableRecord::Time then) {
    return std::chrono::duration<double>(at - then).count();
  };
  Remembered::Refused refused{.times = refusal->times, .seconds = since(refusal->refused)};
  if (refusal->would_fit) {
    refused.would_fit_on = refusal->node;
    refused.would_fit_seconds = since(*refusal->would_fit);
  }
  return refused;
}

Remembered::HeldPlaces LiveMemory::held_since(const std::vector<HeldPlace>& places) {
  Remembered::HeldPlaces since;
  for (const HeldPlace& place : places) since[place.pod()] = {place.seconds.value_or(0), place.tried};
  return since;
}

}  // namespace winnow
