#include "extender/engine/nominated.h"

#include <algorithm>
#include <bit>
#include <mutex>

#include "extender/engine/engine.h"

namespace winnow {
namespace {

/// How many nodes one copy of the view's overlay serves.
constexpr std::size_t kNodesPerCopy = 16;

bool is_same(const Pod& pod, const PodRecord& other, std::string_view ns) {
  if (!pod.metadata.uid.empty() && !other.uid.empty()) return pod.metadata.uid == other.uid;
  return pod.metadata.name == other.name && pod.metadata.namespace_ == ns;
}

/// Those of the nodes asked about that pods are nominated for and that no rule has refused before, as
/// indices.
std::vector<std::size_t> promised_nodes(const Request& request, std::span<const std::uint16_t> refused) {
  const View& view = request.view;
  std::vector<std::uint8_t> promised(view.capacity(), 0);
  bool any = false;
  for (const auto& [name, pods] : view.state().nominated().by_node()) {
    const NodeId node = view.find_node(name);
    if (node == kNone || promised_pods(view, request.pod, name).empty()) continue;
    promised[node] = 1;
    any = true;
  }
  std::vector<std::size_t> places;
  if (!any) return places;
  for (std::size_t i = 0; i < request.nodes.size(); ++i)
    if (promised[request.nodes[i]] && refused[i] == Filtered::kNobody) places.push_back(i);
  return places;
}

/// The same verdict in the bits of another bound rule's reasons: texts that this one does not have are added.
/// A rule that was not bound again has spoken in that one's bits.
Verdict translate(Verdict verdict, std::size_t rule, const Filtered& from, Filtered& to) {
  if (verdict.fits() || !from.bound[rule]) return verdict;
  const std::span<const std::string> own =
      to.bound[rule] ? to.bound[rule]->reasons() : std::span<const std::string>();
  std::vector<std::string>& more = to.more_reasons[rule];
  const std::span<const std::string> theirs = from.bound[rule]->reasons();
  std::uint64_t bits = 0;
  for (std::uint64_t left = verdict.reasons(); left != 0; left &= left - 1) {
    auto bit = static_cast<std::size_t>(std::countr_zero(left));
    const std::string& text = theirs[bit];
    // As a rule both have the same texts; a text may stand there more than once, and the order tells.
    if (bit >= own.size() || own[bit] != text)
      bit = static_cast<std::size_t>(std::ranges::find(own, text) - own.begin());
    if (bit == own.size()) {
      const auto at = static_cast<std::size_t>(std::ranges::find(more, text) - more.begin());
      bit += at;
      if (at == more.size() && bit < Verdict::kMaxReasons) more.push_back(text);
    }
    // There are fewer bits than there can be nodes: the last stands for all that are left.
    bits |= std::uint64_t{1} << std::min<std::size_t>(bit, Verdict::kMaxReasons - 1);
  }
  return Verdict::of(verdict.fit(), bits);
}

/// The reasons of the one node's failure. A rule that was not bound again has spoken in the words of
/// `before`.
void tell_why(const Filtered& failed, const Filtered& before, std::vector<std::string>* why) {
  if (!why) return;
  const std::size_t rule = failed.failed_by[0];
  const Filtered& speaks = failed.bound[rule] ? failed : before;
  for (const std::string_view reason : speaks.reasons(rule, failed.verdict[0])) why->emplace_back(reason);
}

}  // namespace

std::vector<Pod> promised_pods(const View& view, const Pod& pod, std::string_view node_name) {
  const State& state = view.state();
  std::vector<Pod> pods;
  for (const PodId id : state.nominated().on(node_name)) {
    const PodRecord& record = state.pod(id);
    const std::string_view ns = state.pod_namespace(record);
    if (state.spec(record).priority.value_or(0) < pod.spec.priority.value_or(0)) continue;
    if (is_same(pod, record, ns) || view.has_added(ns, record.name)) continue;
    Pod& promised = pods.emplace_back(state.to_pod(id));
    promised.spec.node_name = node_name;
    promised.metadata.deleting = false;  // Upstream's AddPod counts it all the same.
  }
  return pods;
}

/// Rules that look at the whole cluster see the nominated pods of this node only: each node is bound for
/// anew.
void Engine::count_nominated(Filtered& result, const Request& request, std::span<const std::uint16_t> refused,
                             bool all_rules) const {
  if (request.view.state().nominated().empty()) return;
  const std::vector<std::size_t> places = promised_nodes(request, refused);
  if (places.empty()) return;
  result.more_reasons.resize(rules_.predicates.size());
  std::mutex merging;
  const auto merge = [&](std::size_t place, const Filtered& with) {
    const std::lock_guard lock(merging);
    result.failed_by[place] = with.failed_by[0];
    result.verdict[place] = translate(with.verdict[0], with.failed_by[0], with, result);
    for (std::size_t rule = 0; rule < with.matrix.size(); ++rule)
      result.matrix[rule * request.nodes.size() + place] = translate(with.matrix[rule], rule, with, result);
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
        const Filtered with = ask_again(result, {request.pod, view, {&node, 1}, request.accounting},
                                        {before, /*nominated=*/true}, all_rules);
        if (!with.fits(0)) merge(places[i], with);
      }
      overlay.return_to(mark);
    }
  });
}

/// Binds a rule anew and asks it about the one node; a rule that does not see nominated pods is not bound
/// again.
Verdict Engine::ask_rule_again(const Filtered& begun, std::size_t rule, const Request& request, Again again,
                               std::unique_ptr<const Predicate>& bound) const {
  const ConfiguredPredicate& configured = rules_.predicates[rule];
  const Predicate* const old = begun.bound[rule].get();
  Verdict verdict;
  if (rules_.generation == Generation::kToday) {
    // It is silent, or what it says was said before any node was looked at.
    const bool is_skipped = configured.pre_filters && !old;
    if (is_skipped || !configured.filters) return verdict;
  }
  if (again.nominated && old && old->ignores_nominated()) {
    old->map({&again.before, 1}, {&verdict, 1});
    return verdict;
  }
  Request asked = request;
  asked.pre_filters = configured.pre_filters;
  bound = configured.bind(asked, configured.arguments);
  if (bound) bound->map(request.nodes, {&verdict, 1});
  return verdict;
}

Filtered Engine::ask_again(const Filtered& begun, const Request& request, Again again, bool all_rules) const {
  const std::size_t rules = rules_.predicates.size();
  Filtered result;
  result.rules = &rules_;
  result.bound.resize(rules);
  result.failed_by.assign(1, Filtered::kNobody);
  result.verdict.assign(1, Verdict());
  if (all_rules) result.matrix.assign(rules, Verdict());
  for (std::size_t rule = 0; rule < rules && (all_rules || result.fits(0)); ++rule) {
    const Verdict verdict = ask_rule_again(begun, rule, request, again, result.bound[rule]);
    if (all_rules) result.matrix[rule] = verdict;
    if (verdict.fits() || !decides(result, 0, verdict)) continue;
    result.failed_by[0] = static_cast<std::uint16_t>(rule);
    result.verdict[0] = verdict;
  }
  return result;
}

bool Engine::fits_after(const Filtered& begun, const Pod& pod, const Overlay& changed,
                        std::string_view node_name, std::vector<std::string>* why) const {
  const View view(changed.state(), &changed);
  const Accounting accounting = changed.state().options().accounting;
  const NodeId node = view.find_node(node_name);
  if (node == kNone) return false;
  const Filtered without =
      ask_again(begun, {pod, view, {&node, 1}, accounting}, {kNone, /*nominated=*/false}, false);
  if (!without.fits(0)) return tell_why(without, without, why), false;
  const std::vector<Pod> promised = promised_pods(view, pod, node_name);
  if (promised.empty()) return true;
  Overlay more(changed);
  for (const Pod& other : promised) more.add_nominated_pod(other);
  const View with(changed.state(), &more);
  const NodeId again = with.find_node(node_name);
  const Filtered second =
      ask_again(without, {pod, with, {&again, 1}, accounting}, {node, /*nominated=*/true}, false);
  if (!second.fits(0)) tell_why(second, without, why);
  return second.fits(0);
}

}  // namespace winnow
