#include "extender/engine/nominated.h"

#include <algorithm>

#include "cluster/mutex.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"

namespace winnow {
namespace {

/// Nodes a chunk. Each chunk copies the view's overlay once.
constexpr std::size_t kNodesPerCopy = 16;

bool is_same(const Pod& pod, const PodRecord& other, std::string_view ns) {
  if (!pod.metadata.uid.empty() && !other.uid.empty()) return pod.metadata.uid == other.uid;
  return pod.metadata.name == other.name && pod.metadata.namespace_ == ns;
}

/// The nodes of the request that must be asked about again, as indices: pods are nominated for them, and no
/// PreFilter has refused them.
std::vector<std::size_t> promised_nodes(const Request& request, std::span<const std::uint16_t> refused) {
  const View& view = request.view;
  std::vector<std::uint8_t> promised(view.capacity(), 0);
  bool any = false;
  for (const auto& [name, pods] : view.state().nominated().by_node()) {
    const NodeId node = view.find_node(name);
    if (node == kNone || promised_ids(view, request.pod, name).empty()) continue;
    promised[node] = 1;
    any = true;
  }
  std::vector<std::size_t> places;
  if (!any) return places;
  for (std::size_t i = 0; i < request.nodes.size(); ++i)
    if (promised[request.nodes[i]] && refused[i] == Filtered::kNobody) places.push_back(i);
  return places;
}

/// A verdict of `again`, in a form that `first` can read. The bits stay if the rule has the same reasons in
/// both. Otherwise the texts become a list. A rule that was not bound again has used the reasons of `first`.
Verdict readable_by_first(Verdict verdict, std::size_t rule, const Filtered& again, const Filtered& first) {
  if (verdict.fits() || verdict.is_listed() || !again.bound[rule]) return verdict;
  const Predicate* const known = first.bound[rule].get();
  if (known && std::ranges::equal(known->reasons(), again.bound[rule]->reasons())) return verdict;
  return first.reason_lists->verdict(verdict.fit(),
                                     reason_list_of(again.bound[rule].get(), verdict, *again.reason_lists));
}

/// Appends the reasons of the node's failure to `why`. A rule that was not bound again has used the reason
/// bits of `before`.
void tell_why(const Filtered& failed, const Filtered& before, std::vector<std::string>* why) {
  if (!why) return;
  const std::size_t rule = failed.failed_by[0];
  const Filtered& speaks = failed.bound[rule] ? failed : before;
  for (const std::string_view reason : speaks.reasons(rule, failed.verdict[0])) why->emplace_back(reason);
}

}  // namespace

std::vector<PodId> promised_ids(const View& view, const Pod& pod, std::string_view node_name) {
  const State& state = view.state();
  std::vector<PodId> promised;
  for (const PodId id : state.nominated().on(node_name)) {
    const PodRecord& record = state.pod(id);
    const std::string_view ns = state.pod_namespace(record);
    if (state.spec(record).priority.value_or(0) < pod.spec.priority.value_or(0)) continue;
    if (!is_same(pod, record, ns) && !view.has_added(ns, record.name)) promised.push_back(id);
  }
  return promised;
}

Pod as_promised(const State& state, PodId id, std::string_view node_name) {
  Pod pod = state.to_pod(id);
  pod.spec.node_name = node_name;
  pod.metadata.deleting = false;  // Upstream's AddPod counts a pod that is being deleted, too.
  return pod;
}

std::vector<Pod> promised_pods(const View& view, const Pod& pod, std::string_view node_name) {
  std::vector<Pod> pods;
  for (const PodId id : promised_ids(view, pod, node_name))
    pods.push_back(as_promised(view.state(), id, node_name));
  return pods;
}

/// Upstream adds only the nominated pods of the node that is asked about. Rules that look at the whole
/// cluster must not see those of other nodes, so the rules are bound anew for each node.
void Engine::count_nominated(Filtered& result, const Request& request, std::span<const std::uint16_t> refused,
                             bool all_rules) const {
  if (request.view.state().nominated().empty()) return;
  const std::vector<std::size_t> places = promised_nodes(request, refused);
  if (places.empty()) return;
  Mutex merging;
  const auto merge = [&](std::size_t place, const Filtered& with) {
    const MutexLock lock(merging);
    result.fitting.reset();
    result.failed_by.edit()[place] = with.failed_by[0];
    result.verdict.edit()[place] = readable_by_first(with.verdict[0], with.failed_by[0], with, result);
    for (std::size_t rule = 0; rule < with.matrix.size(); ++rule)
      result.matrix[rule * request.nodes.size() + place] =
          readable_by_first(with.matrix[rule], rule, with, result);
  };
  workers_.for_each_chunk(places.size(), kNodesPerCopy, [&](std::size_t begin, std::size_t end) {
    Overlay overlay = request.view.overlay();
    for (std::size_t i = begin; i < end; ++i) {
      const NodeId before = request.nodes[places[i]];
      const std::string name(request.view.node_name(before));
      const std::size_t mark = overlay.mark();
      for (const Pod& pod : promised_pods(request.view, request.pod, name)) overlay.add_nominated_pod(pod);
      {
        const View view(request.view.state(), &overlay);
        const NodeId node = view.find_node(name);
        const Request asked{.pod = request.pod,
                            .view = view,
                            .nodes = {&node, 1},
                            .accounting = request.accounting,
                            .before = &request.view};
        const Filtered with = ask_again(result, asked, {before, /*nominated=*/true}, all_rules);
        if (!with.fits(0)) merge(places[i], with);
      }
      overlay.return_to(mark);
    }
  });
}

/// Binds a rule anew and asks it about the node. If only nominated pods have changed, a rule that ignores
/// them is asked as it was bound before.
Verdict Engine::ask_rule_again(const Filtered& begun, std::size_t rule, const Request& request, Again again,
                               std::unique_ptr<const Predicate>& bound) const {
  const ConfiguredPredicate& configured = rules_.predicates[rule];
  const Predicate* const old = begun.bound[rule].get();
  Verdict verdict;
  if (rules_.generation == Generation::kToday) {
    // A plugin whose PreFilter skipped stays silent. One without a Filter has said all in its PreFilter.
    const bool is_skipped = configured.pre_filters && !old;
    if (is_skipped || !configured.filters) return verdict;
  }
  if (again.nominated && old && old->ignores_nominated()) {
    old->map({&again.before, 1}, {&verdict, 1});
    return verdict;
  }
  Request asked = request;
  asked.pre_filters = configured.pre_filters;
  asked.reason_lists = begun.reason_lists.get();
  asked.budget = begun.budget;
  asked.check_time();
  bound = configured.bind(asked, configured.arguments);
  if (bound) bound->map(request.nodes, {&verdict, 1});
  return verdict;
}

Filtered Engine::ask_again(const Filtered& begun, const Request& request, Again again, bool all_rules) const {
  const std::size_t rules = rules_.predicates.size();
  Filtered result;
  result.rules = &rules_;
  result.budget = begun.budget;
  result.reason_lists = begun.reason_lists;
  result.bound.resize(rules);
  result.failed_by = std::vector<std::uint16_t>(1, Filtered::kNobody);
  result.verdict = std::vector<Verdict>(1);
  if (all_rules) result.matrix.assign(rules, Verdict());
  for (std::size_t rule = 0; rule < rules && (all_rules || result.fits(0)); ++rule) {
    const Verdict verdict = ask_rule_again(begun, rule, request, again, result.bound[rule]);
    if (all_rules) result.matrix[rule] = verdict;
    if (verdict.fits() || !decides_node(result.fits(0), result.verdict[0], verdict)) continue;
    result.failed_by.edit()[0] = static_cast<std::uint16_t>(rule);
    result.verdict.edit()[0] = verdict;
  }
  return result;
}

bool Engine::passes_anew(const Filtered& begun, std::span<const std::size_t> rules, const Request& request,
                         bool nominated) const {
  return std::ranges::all_of(rules, [&](std::size_t rule) {
    // What ignores nominated pods says the same without them, and is asked about that, too.
    if (nominated && begun.bound[rule] && begun.bound[rule]->ignores_nominated()) return true;
    std::unique_ptr<const Predicate> bound;
    return ask_rule_again(begun, rule, request, {kNone, /*nominated=*/false}, bound).fits();
  });
}

bool Engine::fits_after(const Filtered& begun, const Pod& pod, const View& before, const Overlay& changed,
                        std::string_view node_name, std::vector<std::string>* why) const {
  const View view(changed.state(), &changed);
  const auto asked = [&](const View& now, const NodeId& node) {
    return Request{.pod = pod,
                   .view = now,
                   .nodes = {&node, 1},
                   .accounting = changed.state().options().accounting,
                   .before = &before};
  };
  const NodeId node = view.find_node(node_name);
  if (node == kNone) return false;
  const Filtered without = ask_again(begun, asked(view, node), {kNone, /*nominated=*/false}, false);
  if (!without.fits(0)) return tell_why(without, without, why), false;
  const std::vector<Pod> promised = promised_pods(view, pod, node_name);
  if (promised.empty()) return true;
  Overlay more(changed);
  for (const Pod& other : promised) more.add_nominated_pod(other);
  const View with(changed.state(), &more);
  const NodeId again = with.find_node(node_name);
  const Filtered second = ask_again(without, asked(with, again), {node, /*nominated=*/true}, false);
  if (!second.fits(0)) tell_why(second, without, why);
  return second.fits(0);
}

}  // namespace winnow
