#include "extender/explain/find_help.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/devices/without_claim.h"
#include "cluster/rule/budget.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"
#include "extender/explain/device_text.h"
#include "extender/explain/mends.h"
#include "extender/explain/new_node.h"
#include "extender/explain/place.h"

namespace winnow {
namespace {

/// Changes that are tried together, how large they are, and the place of the node that they are made for.
struct Candidate {
  double size = 0;
  std::vector<Mend> mends;
  std::size_t node = 0;
};

/// Finds the nodes on which one change, or two, take away all that refuses the pod.
class Candidates {
 public:
  explicit Candidates(Mends& mends) : mends_(mends) {}

  /// @param node  the place of the node that has the id.
  void add(std::size_t node, NodeId id, const std::vector<const Cause*>& causes) {
    std::vector<std::vector<Mend>> slots;
    std::set<Cause> told;
    bool lacks_devices = false;
    for (const Cause* const cause : causes) {
      // They say together what is lacked: one change is to be found for all of them.
      if (is_of_devices(*cause) && cause->kind != "claimElsewhere") {
        lacks_devices = true;
        continue;
      }
      if (!told.insert(*cause).second) continue;
      std::vector<Mend> mends = mends_of(*cause);
      if (mends.empty() || told.size() > kMostCauses) return;
      put(slots, std::move(mends));
    }
    if (lacks_devices) {
      std::vector<Mend> mends = mends_.of_devices(id);
      if (mends.empty()) return;
      slots.push_back(std::move(mends));
    }
    if (slots.size() == 1)
      for (const Mend& one : slots[0]) offer(singles_, {one.size, {one}, node});
    if (slots.size() != 2) return;
    for (const Mend& a : slots[0])
      for (const Mend& b : slots[1]) offer(pairs_, {a.size + b.size, {a, b}, node});
  }

  /// The smallest first; of equal ones the node that comes first.
  std::vector<Candidate> take_singles() { return sorted(singles_); }
  std::vector<Candidate> take_pairs() { return sorted(pairs_); }

 private:
  static constexpr std::size_t kMostCauses = 6;
  using Best = std::map<std::string, Candidate>;

  /// What one change takes away is one thing, as the two refusals of a cordoned node are.
  static void put(std::vector<std::vector<Mend>>& slots, std::vector<Mend> mends) {
    for (std::vector<Mend>& slot : slots) {
      std::vector<Mend> both;
      std::ranges::copy_if(slot, std::back_inserter(both),
                           [&](const Mend& one) { return std::ranges::contains(mends, one); });
      if (both.empty()) continue;
      slot = std::move(both);
      return;
    }
    slots.push_back(std::move(mends));
  }

  /// Causes of resources differ from node to node, the others are mostly alike.
  std::vector<Mend> mends_of(const Cause& cause) {
    if (cause.kind == "resource") return mends_.of(cause);
    const auto [known, is_new] = known_.try_emplace(cause);
    if (is_new) known->second = mends_.of(cause);
    return known->second;
  }

  /// Keeps the smallest change of each sort.
  static void offer(Best& best, Candidate one) {
    std::string key;
    for (const Mend& mend : one.mends) key += mend.change.kind + '\0' + mend.sort + '\1';
    const auto [place, is_new] = best.try_emplace(key, one);
    if (!is_new && one.size < place->second.size) place->second = std::move(one);
  }

  static std::vector<Candidate> sorted(Best& best) {
    std::vector<Candidate> all;
    for (auto& [key, one] : best) all.push_back(std::move(one));
    std::ranges::stable_sort(all, {}, [](const Candidate& one) { return std::pair(one.size, one.node); });
    return all;
  }

  Mends& mends_;
  std::map<Cause, std::vector<Mend>> known_;
  Best singles_, pairs_;
};

/// The pod's claims, as "NAMESPACE/NAME".
std::vector<std::string> claims_of(const Pod& pod) {
  std::vector<std::string> claims;
  const auto add = [&](const std::optional<std::string>& name) {
    if (name) claims.push_back(key_of(pod.metadata.namespace_, *name));
  };
  for (const PodResourceClaim& one : pod.spec.resource_claims) add(one.resource_claim_name);
  for (const PodResourceClaimStatus& one : pod.status.resource_claim_statuses) add(one.resource_claim_name);
  return claims;
}

/// Where the pod goes once the claim has given back its devices.
std::optional<Place> find_without(const Placing& placing, const View& view, const Pod& pod,
                                  const std::string& node, const std::string& claim, Overlay overlay) {
  constexpr std::size_t kMostDevices = 20'000;
  const DeviceInventory& all = view.devices();
  // Devices of one node help on that node alone. So the others need not be there.
  const bool is_local = is_of_one_node(all, claim);
  DeviceInventory devices;
  if (!copy_without_claim(all, is_local ? node : "", claim, claims_of(pod), kMostDevices, devices))
    return std::nullopt;
  overlay.set_devices(devices);
  return placing.find(View(view.state(), &overlay), pod);
}

/// Makes the changes, and asks where the pod goes then. @return nothing if they do not help.
std::optional<Suggestion> attempt(const Placing& placing, const View& view, const Pod& pod, NodeId node,
                                  Candidate candidate) {
  Pod changed = pod;
  std::optional<Node> changed_node;
  std::vector<Cause> made;
  std::optional<std::string> freed;
  // The later of two terms goes first: the earlier keeps its place.
  std::ranges::stable_sort(candidate.mends, std::ranges::greater(),
                           [](const Mend& mend) { return mend.change.number("term"); });
  for (Mend& mend : candidate.mends) {
    if (frees_devices(mend.change)) {
      if (freed) return std::nullopt;  // Nobody stops two pods for one.
      freed = mend.change.text("claim");
    } else if (changes_node(mend.change)) {
      if (node >= view.state().nodes().capacity()) return std::nullopt;
      if (!changed_node) changed_node = view.state().nodes().to_node(node);
      make(mend.change, *changed_node);
    } else if (!make(mend.change, changed)) {
      return std::nullopt;
    }
    made.push_back(std::move(mend.change));
  }
  std::optional<Overlay> overlay;
  if (changed_node) overlay.emplace(view.overlay()).set_node(*changed_node);
  const auto place = freed ? find_without(placing, view, changed, std::string(view.node_name(node)), *freed,
                                          overlay ? *overlay : view.overlay())
                     : overlay ? placing.find(View(view.state(), &*overlay), changed)
                               : placing.find(view, changed);
  if (!place) return std::nullopt;
  Suggestion found{std::move(made.front()), place->node, place->nodes};
  if (made.size() > 1) found.also = std::move(made.back());
  return found;
}

/// The same, by one of two changes if that is enough: without the one, the other may do more than it seemed
/// to.
std::optional<Suggestion> attempt_least(const Placing& placing, const View& view, const Pod& pod, NodeId node,
                                        Candidate candidate) {
  if (candidate.mends.size() > 1)
    for (const Mend& mend : candidate.mends) {
      Candidate alone = candidate;
      alone.mends = {mend};
      if (auto found = attempt(placing, view, pod, node, std::move(alone))) return found;
    }
  return attempt(placing, view, pod, node, std::move(candidate));
}

/// More attempts are not made: each asks all rules about all nodes.
constexpr std::size_t kMostAttempts = 24;
constexpr std::size_t kMostPairs = 2;

}  // namespace

Help find_help(const Engine& engine, const View& view, const Pod& pod, std::span<const NodeId> nodes,
               const CausesOf& causes_of, const Budget* budget) {
  Help help;
  try {
    Mends mends(view, pod, engine.rules().generation);
    Candidates candidates(mends);
    for (std::size_t i = 0; i < nodes.size(); ++i) candidates.add(i, nodes[i], causes_of(i));
    const Placing placing(engine, view, nodes, budget);
    const auto try_all = [&](std::vector<Candidate> all, std::size_t most) {
      std::size_t attempts = 0;
      for (Candidate& one : all) {
        if (help.suggestions.size() == most || attempts >= kMostAttempts) return;
        attempts += 2 * one.mends.size() - 1;  // Of two changes each is tried alone, too.
        const NodeId node = nodes[one.node];
        const auto found = attempt_least(placing, view, pod, node, std::move(one));
        if (found && !std::ranges::contains(help.suggestions, *found)) help.suggestions.push_back(*found);
      }
    };
    try_all(candidates.take_singles(), kMostSuggestions - 1);  // The last is for a new node.
    NewNode added = find_new_node(engine, view, pod, nodes, placing, budget);
    if (added.suggestion) help.suggestions.push_back(std::move(*added.suggestion));
    if (help.suggestions.empty()) try_all(candidates.take_pairs(), kMostPairs);
    help.fits_no_empty_node = added.fits_no_empty_node;
    help.no_new_node = std::move(added.why_none);
  } catch (const OutOfTime&) {  // What was found stands.
  }
  return help;
}

}  // namespace winnow
