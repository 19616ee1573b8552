#include "cluster/rule/volumes/delayed_claims.h"

#include <algorithm>
#include <format>

#include "cluster/api/selector_errors.h"

namespace winnow {
namespace {

const std::string* selected_node(const PersistentVolumeClaim& claim) {
  const auto it = claim.metadata.annotations.find("volume.kubernetes.io/selected-node");
  return it == claim.metadata.annotations.end() ? nullptr : &it->second;
}

}  // namespace

DelayedClaims::DelayedClaims(const View& view, const std::vector<const PersistentVolumeClaim*>& claims,
                             Generation generation) {
  std::vector<Claim> others;
  for (const Claim claim : claims) {
    if (const std::string* node = selected_node(*claim))
      promise(view, claim, *node, generation);
    else
      others.push_back(claim);
  }
  std::ranges::stable_sort(others, {}, [](Claim claim) {
    const auto it = claim->requests.find("storage");
    return it == claim->requests.end() ? Quantity() : it->second;
  });
  for (const Claim claim : others)
    if (!add_unbound(view, claim, generation)) break;
}

void DelayedClaims::promise(const View& view, Claim claim, const std::string& node, Generation generation) {
  const NodeId id = view.find_node(node);
  selected_ = promised_.empty() || selected_ == id ? id : kNone;
  promised_.push_back({claim, Provisioning(view, *claim, generation)});
}

/// @return whether to go on to the next claim: upstream stops at the first selector that does not parse.
bool DelayedClaims::add_unbound(const View& view, Claim claim, Generation generation) {
  std::optional<Selector> selector;
  if (claim->selector) {
    std::expected<Selector, std::string> parsed = parse_label_selector(*claim->selector);
    if (!parsed) {
      const bool is_today = generation == Generation::kToday;
      error_ = std::format("error creating internal label selector for claim: {}/{}: {}",
                           claim->metadata.namespace_, claim->metadata.name,
                           is_today ? label_selector_error(*claim->selector) : parsed.error());
      return false;
    }
    selector = std::move(*parsed);
  }
  unbound_.push_back(
      {claim, VolumeCandidates(view, *claim, selector, generation), Provisioning(view, *claim, generation)});
  return true;
}

Served DelayedClaims::make(Claim claim, const Provisioning& provisioning, NodeId node, ServedBy* by) {
  const CsiStorageCapacity* from = nullptr;
  const Served served = provisioning.at(node, &from);
  if (by && served == Served::kYes) by->made.push_back({claim, from});
  return served;
}

Served DelayedClaims::serve(NodeId node, ServedBy* by) const {
  for (const Promised& one : promised_)
    if (const Served served = make(one.claim, one.provisioning, node, by); served != Served::kYes)
      return served;
  // The last claim's volume is not noted. A pod with one claim, which is usual, then allocates nothing here.
  std::vector<const PersistentVolume*> taken;
  for (const Unbound& one : unbound_) {
    if (const PersistentVolume* volume = one.candidates.match(node, taken)) {
      if (&one != &unbound_.back()) taken.push_back(volume);
      if (by) by->bound.push_back({one.claim, volume});
    } else if (const Served served = make(one.claim, one.provisioning, node, by); served != Served::kYes) {
      return served;
    }
  }
  return Served::kYes;
}

}  // namespace winnow
