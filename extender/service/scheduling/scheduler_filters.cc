#include "extender/service/scheduling/scheduler_filters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <format>
#include <functional>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "cluster/state/overlay.h"
#include "cluster/state/pod_requests.h"
#include "cluster/state/state.h"
#include "extender/engine/claimed_devices.h"
#include "extender/engine/ruleset.h"
#include "extender/service/scheduling/feasible_nodes.h"
#include "extender/service/scheduling/node_request.h"

namespace winnow {
namespace {

using Attempts = std::vector<AssumedPods::Attempt>;

/// A node is asked about again for each pod on it: at most so many times a call. Later calls tell of others.
constexpr std::size_t kMostAsked = 16;

/// Whether the pod may wait for minutes to be bound, and kube-scheduler before 1.35 does not say so.
bool may_be_slow(const Pod& pod) {
  return std::ranges::any_of(pod.spec.volumes, [](const Volume& volume) {
    return volume.source == VolumeSource::kPersistentVolumeClaim || volume.source == VolumeSource::kEphemeral;
  });
}

/// The assumed pods, but for the one of the request, and what would be without them.
class AssumedAway {
 public:
  /// @param all  those that are nominated, too.
  AssumedAway(const LocatedRequest& located, const Engine& engine, PassTimes& times, bool all)
      : located_(located), engine_(engine), times_(times) {
    const ObjectMeta& asked = located.pod().metadata;
    for (const AssumedPods::Entry& entry : located.assumed().entries()) {
      if (entry.bound || (entry.nomination && !all)) continue;
      if (entry.name != asked.name || entry.ns != asked.namespace_) pods_.push_back(&entry);
    }
  }

  std::size_t size() const { return pods_.size(); }
  /// Whether one of them has taken devices.
  bool has_devices() const {
    return std::ranges::any_of(pods_, [](const auto* entry) { return !entry->devices.empty(); });
  }
  /// The rule is not asked by fits() any more.
  void leave_out(std::size_t rule) { left_out_ = rule; }
  const AssumedPods::Entry& operator[](std::size_t pod) const { return *pods_[pod]; }
  /// Those on the node.
  std::vector<std::size_t> on(std::string_view node) const {
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i < pods_.size(); ++i)
      if (pods_[i]->node == node) here.push_back(i);
    return here;
  }

  /// Whether the pod of the request fits on the nodes without these pods.
  /// @param places  indexes of known nodes. @param kept  a pod that stays; nothing: none does.
  std::vector<std::uint8_t> fits(std::span<const std::size_t> places, std::optional<std::size_t> kept) const {
    Overlay overlay = located_.view().overlay();
    for (std::size_t i = 0; i < pods_.size(); ++i)
      if (i != kept) overlay.remove_pod(pods_[i]->ns, pods_[i]->name);
    const View view(located_.state(), &overlay);
    std::vector<NodeId> nodes;
    for (const std::size_t place : places)
      nodes.push_back(view.find_node(located_.view().node_name(located_.known()[place])));
    const Request request{.pod = located_.pod(),
                          .view = view,
                          .nodes = nodes,
                          .accounting = located_.state().options().accounting,
                          .budget = located_.budget()};
    const Filtered filtered = engine_.filter(request, /*all_rules=*/left_out_.has_value(), times_);
    std::vector<std::uint8_t> fits;
    for (std::size_t i = 0; i < nodes.size(); ++i)
      fits.push_back(left_out_ ? fits_the_others(filtered, nodes.size(), i) : filtered.fits(i));
    return fits;
  }

 private:
  bool fits_the_others(const Filtered& filtered, std::size_t nodes, std::size_t node) const {
    for (std::size_t rule = 0; rule < engine_.rules().predicates.size(); ++rule)
      if (rule != left_out_ && !filtered.matrix[rule * nodes + node].fits()) return false;
    return true;
  }

  const LocatedRequest& located_;
  const Engine& engine_;
  PassTimes& times_;
  std::vector<const AssumedPods::Entry*> pods_;
  std::optional<std::size_t> left_out_;
};

class SchedulersWord {
 public:
  SchedulersWord(const LocatedRequest& located, const Engine& engine, const std::vector<std::string>& filters,
                 PassTimes& times)
      : located_(located), engine_(engine), times_(times), assumed_(located, engine, times, /*all=*/false) {
    const RuleSet& rules = engine.rules();
    for (const ConfiguredPredicate& rule : rules.predicates)
      own_.push_back(is_made_by(filters, rules.generation, rule));
    // kube-scheduler allocates devices, so it has judged them whatever the flag names.
    const ConfiguredPredicate* const devices =
        assumed_.has_devices() ? rule_of_devices(rules, located.view()) : nullptr;
    if (devices == nullptr) return;
    devices_ = static_cast<std::size_t>(devices - rules.predicates.data());
    own_[*devices_] = true;
    assumed_.leave_out(*devices_);
  }

  Attempts take(FeasibleNodes& found) {
    if (assumed_.size() == 0 || std::ranges::none_of(own_, std::identity())) return {};
    find_refused(found.filtered);
    keep_those_refused_by_own_filters_alone();
    keep_those_free_without();
    for (const std::size_t place : places_) set_fit(found, place);
    return not_counted();
  }

 private:
  NodeId node(std::size_t place) const { return located_.known()[place]; }
  std::string_view name(std::size_t place) const { return located_.view().node_name(node(place)); }

  /// Nodes whose first refusal is by one of the filters. Few nodes are left here, as a rule.
  void find_refused(const Filtered& filtered) {
    for (std::size_t i = 0; i < located_.known().size(); ++i)
      if (!filtered.fits(i) && own_[filtered.failed_by[i]]) {
        places_.push_back(i);
        if (filtered.failed_by[i] == devices_) lacked_devices_.insert(i);
      }
  }

  /// Every other rule must let the node through with all pods counted.
  void keep_those_refused_by_own_filters_alone() {
    if (places_.empty()) return;
    std::vector<NodeId> nodes;
    for (const std::size_t place : places_) nodes.push_back(node(place));
    const Filtered all = engine_.filter(located_.request(nodes), /*all_rules=*/true, times_);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto refuses = [&](std::size_t rule) { return !all.matrix[rule * nodes.size() + i].fits(); };
      bool others = false;
      for (std::size_t rule = 0; rule < own_.size(); ++rule) others |= !own_[rule] && refuses(rule);
      if (!others) kept.push_back(places_[i]);
    }
    places_ = std::move(kept);
  }

  void keep_those_free_without() {
    if (places_.empty()) return;
    const std::vector<std::uint8_t> fits = assumed_.fits(places_, std::nullopt);
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (fits[i]) kept.push_back(places_[i]);
    places_ = std::move(kept);
  }

  void set_fit(FeasibleNodes& found, std::size_t place) const {
    Filtered& filtered = found.filtered;
    filtered.failed_by.edit()[place] = Filtered::kNobody;
    filtered.verdict.edit()[place] = Verdict();
    filtered.fitting.reset();
    const std::size_t nodes = located_.known().size();
    for (std::size_t rule = 0; rule * nodes < filtered.matrix.size(); ++rule)
      filtered.matrix[rule * nodes + place] = Verdict();
    ++found.feasible;
  }

  /// On each node: the pods that keep it from fitting by themselves. If none does, at least one of those
  /// there is not counted, and all are told that are bound soon or not at all.
  Attempts not_counted() const {
    Attempts found;
    std::size_t asked = 0;
    const auto tell = [&](std::size_t pod) {
      const AssumedPods::Entry& entry = assumed_[pod];
      found.push_back({entry.ns, entry.name, entry.uid, entry.node, entry.since});
    };
    for (const std::size_t place : places_) {
      const std::size_t before = found.size();
      const std::vector<std::size_t> here = assumed_.on(name(place));
      if (asked += here.size(); asked > kMostAsked) break;
      for (const std::size_t one : here)
        if (!assumed_.fits(std::span(&place, 1), one).front()) tell(one);
      if (found.size() == before && lacked_devices_.contains(place))
        for (const std::size_t one : here)
          if (!assumed_[one].devices.empty()) tell(one);
      if (found.size() > before || here.size() < 2) continue;
      for (const std::size_t one : here)
        if (!may_be_slow(assumed_[one].pod)) tell(one);
    }
    return found;
  }

  const LocatedRequest& located_;
  const Engine& engine_;
  PassTimes& times_;
  AssumedAway assumed_;                   ///< The pods that kube-scheduler may not count.
  std::vector<bool> own_;                 ///< By rule: kube-scheduler has made the same check.
  std::optional<std::size_t> devices_;    ///< The rule of devices, if assumed pods have taken some.
  std::set<std::size_t> lacked_devices_;  ///< Places that it refuses first.
  std::vector<std::size_t> places_;       ///< Of the nodes that are left, among the known ones.
};

/// "3 cpu", or "a place" for a pod that asks for none.
std::string room_of(const Pod& pod, Accounting accounting) {
  const std::int64_t millis = pod_requests(pod, accounting, /*with_status=*/false).milli_cpu;
  return millis > 0 ? std::format("{} cpu", static_cast<double>(millis) / 1000) : "a place";
}

}  // namespace

Attempts take_schedulers_word(const LocatedRequest& located, const Engine& engine,
                              const std::vector<std::string>& filters, FeasibleNodes& found,
                              PassTimes& times) {
  if (located.assumed().size() == 0) return {};
  return SchedulersWord(located, engine, filters, times).take(found);
}

std::string held_place(const LocatedRequest& located, const Engine& engine, PassTimes& times) {
  const AssumedAway assumed(located, engine, times, /*all=*/true);
  if (assumed.size() == 0) return {};
  std::vector<std::size_t> places(located.known().size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const std::vector<std::uint8_t> fits = assumed.fits(places, std::nullopt);
  for (const std::size_t place : places) {
    if (!fits[place]) continue;
    const std::string_view node = located.view().node_name(located.known()[place]);
    const std::vector<std::size_t> here = assumed.on(node);
    if (here.empty()) continue;
    const AssumedPods::Entry& entry = assumed[here.front()];
    const std::string room = room_of(entry.pod, located.state().options().accounting);
    return std::format("{} on {} {} held for {}/{}", room, node, room == "a place" ? "is" : "are", entry.ns,
                       entry.name);
  }
  return {};
}

}  // namespace winnow
