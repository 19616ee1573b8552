#include "extender/reuse/kept_class.h"

#include <algorithm>
#include <span>
#include <utility>

#include "cluster/memory_budget.h"
#include "cluster/state/pod_record.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/state.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

/// Whether requests may count by the status: an in-place resize.
bool speaks_of_resize(const PodStatus& status) {
  const auto speaks = [](const auto& part) { return part.allocated_resources || part.resources; };
  return speaks(status) || std::ranges::any_of(status.container_statuses, speaks) ||
         std::ranges::any_of(status.init_container_statuses, speaks) ||
         std::ranges::any_of(status.conditions, [](const PodCondition& condition) {
           return condition.type.starts_with("PodResize");
         });
}

constexpr std::size_t kMostPieces = 1000;
/// What a piece takes with its strings, roughly.
constexpr std::size_t kBytesOfPiece = 150;

std::size_t pieces_in(std::span<const SelectorRequirement> requirements) {
  std::size_t pieces = 0;
  for (const SelectorRequirement& one : requirements) pieces += 1 + one.values.size();
  return pieces;
}
std::size_t pieces_in(const NodeSelectorTerm& term) {
  return 1 + pieces_in(term.match_expressions) + pieces_in(term.match_fields);
}
std::size_t pieces_in(const std::optional<LabelSelector>& selector) {
  return selector ? 1 + selector->match_labels.size() + pieces_in(selector->match_expressions) : 0;
}
std::size_t pieces_in(const PodAffinityTerm& term) {
  return 1 + term.namespaces.size() + pieces_in(term.label_selector) + pieces_in(term.namespace_selector) +
         term.match_label_keys.size() + term.mismatch_label_keys.size();
}
std::size_t pieces_in(const std::optional<PodAffinity>& affinity) {
  std::size_t pieces = 0;
  if (!affinity) return pieces;
  for (const PodAffinityTerm& term : affinity->required) pieces += pieces_in(term);
  for (const WeightedPodAffinityTerm& one : affinity->preferred) pieces += pieces_in(one.term);
  return pieces;
}
std::size_t pieces_in(const Affinity& affinity) {
  std::size_t pieces = pieces_in(affinity.pod_affinity) + pieces_in(affinity.pod_anti_affinity);
  if (!affinity.node_affinity) return pieces;
  if (affinity.node_affinity->required)
    for (const NodeSelectorTerm& term : affinity.node_affinity->required->terms) pieces += pieces_in(term);
  for (const PreferredSchedulingTerm& one : affinity.node_affinity->preferred)
    pieces += pieces_in(one.preference);
  return pieces;
}

/// How many things the pod's labels and spec are made of.
std::size_t pieces_in(const Pod& pod) {
  const PodSpec& spec = pod.spec;
  std::size_t pieces = pod.metadata.labels.size() + spec.node_selector.size() + spec.tolerations.size() +
                       spec.volumes.size() + spec.scheduling_gates.size() + spec.resource_claims.size();
  for (const auto* const list : {&spec.containers, &spec.init_containers, &spec.ephemeral_containers})
    for (const Container& one : *list)
      pieces += 2 + one.ports.size() + one.resources.requests.size() + one.resources.limits.size();
  for (const TopologySpreadConstraint& one : spec.topology_spread_constraints)
    pieces += 1 + pieces_in(one.label_selector) + one.match_label_keys.size();
  return pieces + (spec.affinity ? pieces_in(*spec.affinity) : 0);
}

}  // namespace

bool PodClass::has(const Pod& pod) {
  return !speaks_of_resize(pod.status) && has_plain_amounts(pod.spec) && pieces_in(pod) <= kMostPieces &&
         !std::ranges::contains(pod.spec.volumes, VolumeSource::kEphemeral, &Volume::source);
}

std::size_t PodClass::bytes() const { return kBytesOfPiece * pieces_ + sizeof(PodSpec) + sizeof(PodClass); }

// The images and labels tell nearly all classes apart. The whole spec would take longer to hash than to
// compare.
std::size_t PodClass::hash_of(const Pod& pod) {
  std::size_t result = TextHash{}(pod.metadata.namespace_);
  for (const auto& [key, value] : pod.metadata.labels)
    result = hash_mix(result, hash_mix(TextHash{}(key), TextHash{}(value)));
  for (const Container& container : pod.spec.containers) {
    result = hash_mix(result, TextHash{}(container.image));
    for (const auto& [resource, amount] : container.resources.requests)
      result = hash_mix(result, static_cast<std::size_t>(amount.value()));
  }
  // A DaemonSet's pods differ in the name of their node.
  if (pod.spec.affinity && pod.spec.affinity->node_affinity && pod.spec.affinity->node_affinity->required)
    for (const NodeSelectorTerm& term : pod.spec.affinity->node_affinity->required->terms)
      for (const SelectorRequirement& field : term.match_fields)
        for (const std::string& value : field.values) result = hash_mix(result, TextHash{}(value));
  if (!pod.fields.empty()) result = hash_mix(result, TextHash{}(pod.fields));
  const OwnerReference* const owner = controller_of(pod.metadata);
  return owner ? hash_mix(result, TextHash{}(owner->uid)) : result;
}

PodClass::PodClass(const Pod& pod, Accounting accounting)
    : ns_(pod.metadata.namespace_),
      labels_(pod.metadata.labels),
      deleting_(pod.metadata.deleting),
      fields_(pod.fields),
      spec_(SharedSpec{pod.spec}),
      accounting_(accounting),
      pieces_(pieces_in(pod)) {
  spec_.node_name = pod.spec.node_name;
  if (const OwnerReference* const owner = controller_of(pod.metadata)) controller_ = *owner;
}

bool PodClass::contains(const Pod& pod, Accounting accounting) const {
  const OwnerReference* const owner = controller_of(pod.metadata);
  return ns_ == pod.metadata.namespace_ && labels_ == pod.metadata.labels &&
         deleting_ == pod.metadata.deleting && fields_ == pod.fields && accounting_ == accounting &&
         (owner ? controller_ == *owner : !controller_) && spec_.node_name == pod.spec.node_name &&
         SharedSpecEqual()(spec_, SharedSpec{pod.spec});
}

void LastNodes::set(SharedVector<NodeId> nodes) {
  nodes_ = std::move(nodes);
  places_.clear();
}

void LastNodes::find_places(std::size_t rows) {
  if (!places_.empty()) return;
  places_.assign(std::max<std::size_t>(rows, 1), kNone);
  for (std::size_t i = 0; i < nodes_.size(); ++i) places_[nodes_[i]] = static_cast<std::uint32_t>(i);
}

namespace {

/// How many nodes two lists have in common at their beginning.
std::size_t common_prefix(std::span<const NodeId> a, std::span<const NodeId> b) {
  constexpr std::size_t kAtOnce = 256;
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t i = 0;
  while (i + kAtOnce <= most && std::ranges::equal(a.subspan(i, kAtOnce), b.subspan(i, kAtOnce)))
    i += kAtOnce;
  while (i < most && a[i] == b[i]) ++i;
  return i;
}

}  // namespace

std::optional<std::vector<LastNodes::Change>> LastNodes::changes_to(std::span<const NodeId> nodes) const {
  constexpr std::size_t kFew = 32;  // Some placements ago: each changes what fits on a node or two.
  std::vector<Change> changes;
  std::span<const NodeId> before(nodes_), now = nodes;
  for (;;) {
    const std::size_t same = common_prefix(before, now);
    before = before.subspan(same);
    now = now.subspan(same);
    if (before.empty() && now.empty()) break;
    if (changes.size() == kFew) return std::nullopt;
    const std::size_t place = nodes.size() - now.size();
    // The next node of before either stands a little later now, or has left.
    if (before.empty() || std::ranges::contains(now.first(std::min(now.size(), kFew + 1)), before[0])) {
      changes.push_back({.place = place, .row = now[0], .has_come = true});
      now = now.subspan(1);
    } else {
      changes.push_back({.place = place, .row = before[0], .has_come = false});
      before = before.subspan(1);
    }
  }
  for (auto change = changes.begin(); change != changes.end(); ++change)  // A node has another place.
    if (std::ranges::contains(change + 1, changes.end(), change->row, &Change::row)) return std::nullopt;
  return changes;
}

void LastNodes::change(SharedVector<NodeId> nodes, std::span<const Change> changes) {
  nodes_ = std::move(nodes);
  if (changes.empty()) return;
  for (const Change& one : changes) {
    if (one.row >= places_.size()) places_.resize(one.row + 1, kNone);
    places_[one.row] = kNone;
  }
  for (std::size_t i = changes.front().place; i < nodes_.size(); ++i)
    places_[nodes_[i]] = static_cast<std::uint32_t>(i);
}

void FittingNodes::flip(NodeId node, std::size_t place) {
  std::vector<std::size_t>& all_places = places.edit();
  std::vector<NodeId>& all_nodes = nodes.edit();
  const auto at = std::ranges::lower_bound(all_places, place);
  const auto node_at = all_nodes.begin() + (at - all_places.begin());
  if (at != all_places.end() && *at == place) {
    all_places.erase(at);
    all_nodes.erase(node_at);
  } else {
    all_places.insert(at, place);
    all_nodes.insert(node_at, node);
  }
}

void FreshRows::drop(NodeId row) {
  if (row >= fresh_.size() || !fresh_[row]) return;
  ask_again(row);
  fresh_[row] = 0;
}

void FreshRows::ask_again(NodeId row) {
  // More than these are found by a look at all rows.
  constexpr std::size_t kMost = 4096;
  if (dropped_.size() < kMost)
    dropped_.push_back(row);
  else
    dropped_all_ = true;
}

void FreshRows::drop_all() {
  std::ranges::fill(fresh_, std::uint8_t{0});
  dropped_all_ = true;
}

std::optional<std::vector<NodeId>> FreshRows::take_dropped() {
  std::vector<NodeId> rows = std::exchange(dropped_, {});
  if (std::exchange(dropped_all_, false)) return std::nullopt;
  return rows;
}

KeptSlot* KeptSlots::of(std::size_t rule, std::size_t rules) {
  slots_.resize(rules);
  slots_[rule].changed = changed_;
  return &slots_[rule];
}

void KeptSlots::note(NodeId row) {
  if (slots_.empty() || (!changed_.empty() && changed_.back() == row)) return;
  // To follow more costs as much as to begin anew.
  constexpr std::size_t kMost = 4096;
  if (changed_.size() == kMost) return drop_all();
  changed_.push_back(row);
}

void KeptSlots::drop_all() {
  slots_.clear();
  changed_.clear();
}

std::size_t KeptSlots::bytes() const {
  std::size_t bytes = changed_.capacity() * sizeof(NodeId) + slots_.capacity() * sizeof(KeptSlot);
  for (const KeptSlot& slot : slots_)
    if (slot.state) bytes += slot.state->bytes();
  return bytes;
}

void KeptClass::follow(const State& state, const RuleReads& reads) {
  const NodeTable& nodes = state.nodes();
  bool holds = state_ == state.serial(), rows_hold = holds;
  for (const ResourceKind kind : kAllKinds) {
    const auto index = static_cast<std::size_t>(kind);
    if (std::exchange(versions_[index], state.version(kind)) == state.version(kind)) continue;
    holds &= !reads.kinds.has(kind);
    rows_hold &= !reads.kinds_of_rows.has(kind);
  }
  const bool same_nodes = std::exchange(node_changes_, nodes.node_changes()) == nodes.node_changes();
  if (!same_nodes && std::ranges::contains(reads.predicates, Reads::kNodes)) verdicts_.fresh.drop_all();
  if (!same_nodes && std::ranges::contains(reads.priorities, Reads::kNodes)) scores_.fresh.drop_all();
  // What needs memory comes last: if there is none, nothing stale has stayed fresh.
  if (!rows_hold) {
    verdicts_.slots.drop_all();
    scores_.slots.drop_all();
  }
  if (!holds) {
    verdicts_.fresh.drop_all();
    scores_.fresh.drop_all();
  }
  const bool all_noted = nodes.changes().visit_since(changes_, [this](NodeId row) {
    verdicts_.fresh.drop(row);
    scores_.fresh.drop(row);
    verdicts_.slots.note(row);
    scores_.slots.note(row);
  });
  if (!all_noted) {
    verdicts_.slots.drop_all();
    scores_.slots.drop_all();
    verdicts_.fresh.drop_all();
    scores_.fresh.drop_all();
  }
  state_ = state.serial();
  changes_ = nodes.changes().count();
  rows_ = std::max<std::size_t>(rows_, nodes.capacity());
}

SharedVector<NodeId> KeptClass::list_of(std::span<const NodeId> nodes) const {
  if (const auto& fitting = verdicts_.last_fitting)
    if (fitting->nodes.data() == nodes.data() && fitting->nodes.size() == nodes.size()) return fitting->nodes;
  return std::vector<NodeId>(nodes.begin(), nodes.end());
}

KeptSlots& KeptClass::begin_verdicts() {
  verdicts_.was_complete = std::exchange(verdicts_.complete, false);
  return verdicts_.slots;
}

KeptSlots& KeptClass::begin_scores() {
  scores_.was_complete = std::exchange(scores_.complete, false);
  return scores_.slots;
}

KeptClass::Verdicts& KeptClass::verdicts(const Speaking& speaking) {
  const MemoryScope outlives_the_request(nullptr);
  if (predicates_ != speaking) verdicts_.fresh.drop_all();
  predicates_ = speaking;
  verdicts_.fresh.grow(rows_);
  verdicts_.failed_by.resize(rows_);
  verdicts_.verdict.resize(rows_);
  return verdicts_;
}

KeptClass::Scores& KeptClass::scores(const Speaking& speaking, const Speaking& kept, std::int64_t base) {
  const MemoryScope outlives_the_request(nullptr);
  if (priorities_ != speaking) {
    scores_.fresh.drop_all();
    scores_.raw.clear();
    scores_.scores.clear();
    scores_.totals.clear();
    scores_.groups.clear();
    scores_.last_constant.clear();
    scores_.was_complete = false;
  }
  priorities_ = speaking;
  scores_.fresh.grow(rows_);
  scores_.raw.resize(speaking.size());
  scores_.scores.resize(speaking.size());
  scores_.groups.resize(speaking.size());
  scores_.last_raw.resize(speaking.size());
  scores_.last_constant.resize(speaking.size());
  scores_.totals.resize(rows_, base);
  for (std::size_t rule = 0; rule < speaking.size(); ++rule) {
    if (!speaking[rule]) continue;
    if (kept[rule]) scores_.raw[rule].resize(rows_);
    if (scores_.scores[rule].size() != rows_) scores_.scores[rule].edit().resize(rows_);
  }
  return scores_;
}

std::size_t KeptClass::bytes() const {
  std::size_t bytes = of_.bytes() + verdicts_.fresh.bytes() + scores_.fresh.bytes();
  bytes += verdicts_.slots.bytes() + scores_.slots.bytes();
  bytes += verdicts_.failed_by.capacity() * (sizeof(std::uint16_t) + sizeof(Verdict));
  for (const std::vector<std::int64_t>& raw : scores_.raw) bytes += raw.capacity() * sizeof(std::int64_t);
  for (const std::vector<std::int64_t>& raw : scores_.last_raw)
    bytes += raw.capacity() * sizeof(std::int64_t);
  for (const Groups& groups : scores_.groups)
    bytes += groups.members.capacity() * (sizeof(std::uint32_t) + 3 * sizeof(std::int64_t));
  for (const auto& scores : scores_.scores) bytes += scores.size() * sizeof(std::int64_t);
  bytes += scores_.totals.capacity() * sizeof(std::int64_t);
  // In the order of the last nodes: nodes and places twice, verdicts, those that fit, and scores.
  constexpr std::size_t kOfVerdict =
      3 * sizeof(NodeId) + sizeof(std::uint16_t) + sizeof(Verdict) + sizeof(std::size_t);
  constexpr std::size_t kOfScore = 2 * sizeof(NodeId) + sizeof(std::int64_t);
  bytes += verdicts_.last_failed_by.size() * kOfVerdict + scores_.last_totals.size() * kOfScore;
  return bytes;
}

}  // namespace winnow
