#include "extender/nominate/nominator.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "cluster/state/state.h"
#include "extender/engine/claimed_devices.h"
#include "extender/engine/engines.h"
#include "extender/engine/victim_search.h"
#include "extender/explain/decision_log.h"
#include "extender/nominate/nomination_events.h"
#include "extender/service/log/log.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/scheduling/decision_lock.h"
#include "extender/service/scheduling/decision_records.h"
#include "extender/service/scheduling/feasible_nodes.h"
#include "extender/service/scheduling/node_request.h"
#include "extender/service/scheduling/pick_history.h"

namespace winnow {
namespace {

/// The longest time between two looks at the stop token, the lead and the news.
constexpr std::chrono::milliseconds kTick{100};

/// The waiting pod in the cache. Nothing: it is not there, not yet, or a call has it on its way.
std::optional<Pod> find_waiting(const State& state, const PodFacts& facts) {
  const PodId id = state.find_pod(facts.ns, facts.name);
  if (id == winnow::kNone || state.pod(id).uid != facts.uid || state.pod(id).assigned) return std::nullopt;
  const std::uint64_t version = state.pod(id).resource_version;
  if (version != 0 && version < facts.version) return std::nullopt;  // Another cache has told of it.
  return state.to_pod(id);
}

/// Whether the API server has made the pod within the last seconds.
bool is_new(const Pod& pod) {
  constexpr std::int64_t kSeconds = 10;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(now).count() -
             pod.metadata.creation_timestamp.value_or(0) <
         kSeconds;
}

/// The time to choose devices while the cache is locked.
Budget short_budget() { return Budget(std::chrono::steady_clock::now() + std::chrono::milliseconds(50)); }

/// What the pod's claims get on a node of the state; nothing where that takes long.
/// @param budget  short, for the cache is locked.
std::vector<ClaimedDevices> devices_for(const Engines& engines, const State& state, const std::string& ns,
                                        const std::string& name, const std::string& node,
                                        const Budget& budget) {
  const PodId id = state.find_pod(ns, name);
  const View view(state);
  const NodeId nodes[] = {view.find_node(node)};
  if (id == winnow::kNone || nodes[0] == winnow::kNone) return {};
  const Pod pod = state.to_pod(id);
  const Engine* const engine = engines.find(pod);
  if (!engine) return {};
  try {
    budget.check();
    return devices_on(engine->rules(), {.pod = pod,
                                        .view = view,
                                        .nodes = nodes,
                                        .accounting = engine->rules().accounting,
                                        .budget = &budget});
  } catch (const OutOfTime&) {
    return {};
  }
}

}  // namespace

/// A node for a pod, and what the log says of it.
struct Nominator::Choice {
  std::string node;
  std::int64_t total = 0;
  std::string runner_up;  ///< "": no other node fits.
  std::int64_t runner_up_total = 0;
  std::size_t feasible = 0;
  bool by_eviction = false;  ///< None fits: evictions would make room on this one.
};

void Nominator::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    try {
      if (step()) continue;
    } catch (const std::exception&) {  // Out of memory. No other exception is expected here.
    }
    const Time now = parts_.clock.now();
    parts_.pods.wait_until(rest_until_ > now ? std::min(rest_until_, now + kTick) : now + kTick);
  }
}

bool Nominator::step() {
  follow_lead();
  if (failed_) give_back();
  follow_effects();
  if (term_ == 0 || !parts_.cache.unusable().empty() || !parts_.writes.has_room()) return false;
  const ActiveConfig active = parts_.decisions.active();
  if (engines_ != active.engines.get()) parts_.pods.reconsider();
  engines_ = active.engines.get();
  if (follow_doubt(active)) return true;
  // Looks come first: pods that queue up without end would keep gates from being removed.
  if (parts_.clock.now() >= rest_until_ && look(active)) return true;
  auto pod = parts_.pods.next();
  if (!pod) return false;
  try {
    decide(*pod);
  } catch (const std::exception&) {
    failed_ = std::move(pod);
    throw;
  }
  return true;
}

void Nominator::follow_lead() {
  const std::uint64_t term = parts_.leadership.term();
  if (term == term_) return;
  log_info(term != 0 ? "nominations begin" : "nominations end: another replica leads, or nobody");
  parts_.pods.end_lead();
  if (term != 0) parts_.pods.begin_lead();
  term_ = term;
}

/// The pod whose decision has thrown counts nowhere, and is decided again.
void Nominator::give_back() {
  const PodFacts& facts = failed_->facts;
  parts_.pods.give_back(failed_->ticket);
  ActiveConfig active;
  parts_.decisions.change_assumed(active, [&](AssumedPods& pods) {
    const AssumedPods::Entry* const entry = pods.find(facts.ns, facts.name);
    if (entry && entry->nomination && !entry->bound)
      pods.release(facts.ns, facts.name, facts.uid, AssumedOutcome::kWithdrawn);
  });
  failed_.reset();
}

// ---- what has happened ----

void Nominator::follow_effects() {
  if (effects_.empty()) effects_ = parts_.pods.take_effects();
  if (effects_.empty()) return;
  ActiveConfig active;
  const auto changes = [](const Effect& effect) { return effect.assumption != Assumption::kStays; };
  if (std::ranges::any_of(effects_, changes))
    parts_.decisions.change_assumed(active, [&](AssumedPods& pods) {
      for (const Effect& effect : effects_) apply(active, pods, effect);
    });
  const std::vector<Effect> effects = std::exchange(effects_, {});
  for (const Effect& effect : effects) {
    if (effect.avoids_node) parts_.picker.answered(effect.uid, effect.node);
    if (effect.outcome) tell(effect);
  }
}

void Nominator::apply(const ActiveConfig& active, AssumedPods& pods, const Effect& effect) const {
  if (effect.assumption == Assumption::kMade)
    return pods.assume_nominated(
        effect.ns, effect.name, effect.uid, effect.node, effect.refused,
        effect.when,  // Not now: an effect that comes next may end it.
        devices_for(*active.engines, pods.state(), effect.ns, effect.name, effect.node, short_budget()));
  if (effect.assumption != Assumption::kReleased) return;
  const AssumedPods::Entry* const entry = pods.find(effect.ns, effect.name);
  // A later assumption is of an attempt that goes on, and one on another node is not the nomination's.
  if (!entry || entry->node != effect.node || entry->since > effect.when || entry->bound) return;
  pods.release(effect.ns, effect.name, effect.uid, AssumedOutcome::kWithdrawn);
}

/// What the watch shows of the pod, as where it is bound, the log of decisions has been told already.
void Nominator::note_end(const Effect& effect) const {
  if (!parts_.decision_log) return;
  const bool refused =
      effect.event == NominationEvent::kRefused || effect.event == NominationEvent::kUnfollowed;
  const std::string_view said =
      refused && effect.refused ? std::string_view(effect.refused->message) : to_string(*effect.outcome);
  parts_.decision_log->on_nomination_ended(effect.ns, effect.name, effect.uid, refused, said);
}

void Nominator::tell(const Effect& effect) {
  note_end(effect);
  if (parts_.metrics) parts_.metrics->on_nomination_ended(*effect.outcome);
  const bool is_bound =
      *effect.outcome == NominationOutcome::kFollowed || *effect.outcome == NominationOutcome::kElsewhere;
  if (parts_.metrics && is_bound && effect.requested)
    parts_.metrics->on_refused_pod_bound(
        std::chrono::duration<double>(effect.when - *effect.requested).count());
  if (parts_.events)
    if (auto event = event_of(effect)) parts_.events->record(*std::move(event));
  if (*effect.outcome == NominationOutcome::kFollowed && !log_enabled(2)) return;
  const auto left_out = ends_told_.next(parts_.clock.now());
  if (!left_out && !log_enabled(2)) return;
  log_info("nomination ended", {{"pod", effect.ns + '/' + effect.name},
                                {"node", effect.node},
                                {"outcome", to_string(*effect.outcome)},
                                {"condition", effect.refused ? effect.refused->message : ""},
                                {"lines_left_out", left_out.value_or(0)}});
}

// ---- decisions ----

void Nominator::decide(const PodToDecide& pod) {
  if (pod.withdraw && !pod.why_not) return hand_on(parts_.pods.withdraw(pod.ticket));
  ActiveConfig active;
  std::optional<Choice> choice;
  {
    const DecisionLock::Lock lock = parts_.decisions.decide_after_calls(active);
    renew_devices(active);
    choice = choose(active, pod);
    if (choice)
      active.cache->write_pods([&](AssumedPods& pods) {
        pods.assume_nominated(pod.facts.ns, pod.facts.name, pod.facts.uid, choice->node, pod.facts.refused,
                              parts_.clock.now(),
                              devices_for(*active.engines, pods.state(), pod.facts.ns, pod.facts.name,
                                          choice->node, short_budget()));
      });
  }
  active.cache->settle();
  if (!choice) return;
  auto write = parts_.pods.chosen(pod.ticket, choice->node, choice->by_eviction);
  if (!write) {  // Something has happened to it meanwhile.
    parts_.decisions.change_assumed(active, [&](AssumedPods& pods) {
      apply(active, pods,
            {.ns = pod.facts.ns,
             .name = pod.facts.name,
             .uid = pod.facts.uid,
             .node = choice->node,
             .when = parts_.clock.now(),
             .assumption = Assumption::kReleased});
    });
    if (parts_.decision_log)
      parts_.decision_log->on_nomination_ended(pod.facts.ns, pod.facts.name, pod.facts.uid,
                                               /*refused=*/false, "the pod has changed meanwhile");
    return;
  }
  hand_on(std::move(write));
  const auto left_out = choices_told_.next(parts_.clock.now());
  if (!left_out && !log_enabled(2)) return;
  log_info("nominating", {{"pod", pod.facts.pod()},
                          {"node", choice->node},
                          {"total", choice->total},
                          {"runner_up", choice->runner_up},
                          {"runner_up_total", choice->runner_up_total},
                          {"feasible", choice->feasible},
                          {"by_eviction", choice->by_eviction},
                          {"lines_left_out", left_out.value_or(0)}});
}

/// Devices that kube-scheduler has given to others since are no longer the nominated pods'.
void Nominator::renew_devices(const ActiveConfig& active) {
  const std::pair now(static_cast<const ClusterCache*>(active.cache.get()),
                      active.cache->read()->devices.version());
  if (std::exchange(seen_devices_, now) == now) return;
  const Budget budget = short_budget();
  active.cache->write_pods([&](AssumedPods& pods) {
    pods.choose_devices_again([&](const AssumedPods::Entry& entry) {
      return devices_for(*active.engines, pods.state(), entry.ns, entry.name, entry.node, budget);
    });
    seen_devices_.second = pods.state().devices.version();
  });
}

/// Decides which node the pod gets. @return nothing: none, and the queue has been told why.
std::optional<Nominator::Choice> Nominator::choose(const ActiveConfig& active, const PodToDecide& asked) {
  const ClusterCache::ReadGuard state = active.cache->read();
  const std::optional<Pod> pod = state.whole() ? find_waiting(*state, asked.facts) : std::nullopt;
  const Engine* const engine = pod ? engine_for(*active.engines, *pod, options_.schedulers) : nullptr;
  if (!pod)
    parts_.pods.not_now(asked.ticket);
  else if (!engine)
    hand_on(parts_.pods.leave_to_others(asked.ticket));
  if (!engine) return std::nullopt;
  if (is_new(*pod) && awaits_resource_claims(View(*state), *pod)) {
    parts_.pods.not_now(asked.ticket);
    return std::nullopt;
  }
  const auto why_not = asked.why_not ? asked.why_not : why_not_nominated(View(*state), *pod, engine->rules());
  if (why_not) {
    leave_out(asked, *why_not, new_record(active, state, *pod, *engine, asked.facts));
    return std::nullopt;
  }
  std::optional<Choice> choice;
  const bool tells = parts_.events && options_.holds_infeasible && !pod->spec.scheduling_gates.empty();
  std::string why_nowhere;
  const auto record = new_record(active, state, *pod, *engine, asked.facts);
  try {
    choice = judge_all_nodes(*state, *pod, *engine, tells ? &why_nowhere : nullptr, record.get());
    if (!choice && asked.by_eviction) {
      if (parts_.clock.now() < next_search_) {
        parts_.pods.not_now(asked.ticket);
        return std::nullopt;
      }
      choice = search_freed_node(*state, *pod, *engine);
    }
    if (record && choice && choice->by_eviction) add_only(*record, choice->node, /*given=*/true);
  } catch (const OutOfTime&) {
    if (record) record->error = "to judge it takes too long";
    if (expensive_told_.next(parts_.clock.now()))
      log_warn("a pod is not nominated: to judge it takes too long", {{"pod", asked.facts.pod()}});
  }
  if (record) parts_.decision_log->keep(std::move(*record));
  if (!choice) {
    hand_on(parts_.pods.fits_nowhere(asked.ticket));
    if (!why_nowhere.empty()) parts_.events->record(held_event(asked.facts, why_nowhere));
  }
  return choice;
}

/// The pod gets no nomination. @param record  null: decisions are not kept.
void Nominator::leave_out(const PodToDecide& pod, WhyNotNominated why,
                          std::unique_ptr<DecisionRecord> record) {
  hand_on(parts_.pods.leave_out(pod.ticket, why));
  if (!record || pod.last_why_not == why) return;  // Kept once, however often it is found.
  record->error = sentence_of(why);
  parts_.decision_log->keep(std::move(*record));
}

/// Begins the decision's record. @return null: decisions are not kept.
std::unique_ptr<DecisionRecord> Nominator::new_record(const ActiveConfig& active,
                                                      const ClusterCache::ReadGuard& state, const Pod& pod,
                                                      const Engine& engine, const PodFacts& facts) const {
  if (!parts_.decision_log) return nullptr;
  auto record = std::make_unique<DecisionRecord>(record_of(DecisionVerb::kNominate, pod, state.changed()));
  record->rules = active.engines->rule_names(engine);
  if (facts.refused) record->known_refusal = hash_of_refusal({*facts.refused});
  return record;
}

std::optional<Nominator::Choice> Nominator::judge_all_nodes(const State& state, const Pod& pod,
                                                            const Engine& engine, std::string* why_nowhere,
                                                            DecisionRecord* record) const {
  const View view(state);
  const std::vector<NodeId> nodes = view.all_nodes();
  const Budget budget(std::chrono::steady_clock::now() + options_.longest);
  const Request request{
      .pod = pod, .view = view, .nodes = nodes, .accounting = state.options().accounting, .budget = &budget};
  PassTimes unused;
  RefusalCounts refusals;
  const FeasibleNodes feasible = find_feasible_nodes(request, engine, unused, record ? &refusals : nullptr);
  if (record) {
    const FilteredNodes filtered{.request = request, .nodes = feasible, .refusals = refusals};
    add_filtered(*record, filtered);
    const auto began = std::chrono::steady_clock::now();
    if (auto turn = cause_time_.begin(began)) {
      add_nearest(*record, filtered, engine);
      turn->took(began, std::chrono::steady_clock::now() - began);
    }
  }
  if (!feasible.fits()) {
    if (why_nowhere)
      *why_nowhere = feasible.error ? *feasible.error : why_none_fits(feasible.filtered, nodes.size());
    return std::nullopt;
  }
  const auto best = pick_best(request, feasible.filtered, engine, parts_.picker, pod_key_of(pod), unused);
  if (record && !best) record->error = best.error();
  if (!best) return std::nullopt;
  if (record) add_best(*record, request, *best, engine, /*given=*/true);
  const auto name_of = [&](std::size_t i) { return std::string(view.node_name(nodes[best->places[i]])); };
  Choice choice{.node = name_of(best->picked), .feasible = best->places.size()};
  if (!best->totals.empty()) choice.total = best->totals[best->picked];
  if (const auto second = best->runner_up()) {
    choice.runner_up = name_of(*second);
    choice.runner_up_total = best->totals[*second];
  }
  return choice;
}

/// The node that evictions free best, for kube-scheduler to preempt there. Nothing: there is none.
std::optional<Nominator::Choice> Nominator::search_freed_node(const State& state, const Pod& pod,
                                                              const Engine& engine) {
  if (!cover_all_filters(engine.rules())) return std::nullopt;  // Evictions there may be in vain.
  const View view(state);
  const Time begun = parts_.clock.now();
  const Budget budget(std::chrono::steady_clock::now() + options_.longest);
  const FreedNodes freed = search_victims(engine, view, pod, &budget);
  // Calls wait meanwhile. Pods that all preempt at once may not take more than looks do.
  next_search_ = parts_.clock.now() + (parts_.clock.now() - begun) * (kOneIn - 1);
  if (!freed.best || freed.nodes[*freed.best].victims.empty()) return std::nullopt;
  return Choice{.node = freed.nodes[*freed.best].name, .by_eviction = true};
}

void Nominator::hand_on(std::optional<NominationWrite> write) {
  if (!write) return;
  write->term = term_;
  parts_.writes.add(std::move(*write));
}

}  // namespace winnow
