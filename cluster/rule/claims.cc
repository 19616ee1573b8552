#include "cluster/rule/claims.h"

#include <algorithm>
#include <format>

#include "cluster/api/selector_errors.h"
#include "cluster/rule/cause.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

bool is_bound(const PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() && claim.metadata.annotations.contains("pv.kubernetes.io/bind-completed");
}

/// Whether the claim waits for its first consumer. @return or upstream's error if its class has no binding
/// mode. A claim without a class, or whose class is unknown, does not wait.
std::expected<bool, std::string> is_delayed(const View& view, const PersistentVolumeClaim& claim) {
  const std::string_view name = class_of(claim);
  const StorageClass* storage_class = name.empty() ? nullptr : view.volumes().storage_class(name);
  if (!storage_class) return false;
  if (!storage_class->volume_binding_mode)
    return std::unexpected(std::format("VolumeBindingMode not set for StorageClass {}", go_quote(name)));
  return *storage_class->volume_binding_mode == "WaitForFirstConsumer" && claim.volume_name.empty();
}

}  // namespace

Cause missing_claim(const std::string& ns, const std::string& name) {
  return {"claim", {{"claim", ns + '/' + name}, {"why", "is not there"}}};
}

std::optional<std::string> claim_name(const Pod& pod, const Volume& volume, Generation generation) {
  if (volume.source == VolumeSource::kPersistentVolumeClaim) return volume.id;
  if (volume.source != VolumeSource::kEphemeral || generation == Generation::kClassic) return std::nullopt;
  return ephemeral_claim(pod, volume);
}

std::expected<PodClaims, std::string> claims_of(const View& view, const Pod& pod, Generation generation) {
  PodClaims claims;
  for (const Volume& volume : pod.spec.volumes) {
    const std::optional<std::string> name = claim_name(pod, volume, generation);
    if (!name) continue;
    const PersistentVolumeClaim* claim = view.volumes().claim(pod.metadata.namespace_, *name);
    if (!claim) {
      const std::string key = pod.metadata.namespace_ + '/' + *name;
      return std::unexpected(
          std::format("error getting PVC {0}: could not find v1.PersistentVolumeClaim {0}", go_quote(key)));
    }
    if (is_bound(*claim)) {
      claims.bound.push_back(claim);
      continue;
    }
    const std::expected<bool, std::string> delayed = is_delayed(view, *claim);
    if (!delayed) return std::unexpected(delayed.error());
    if (*delayed)
      claims.delayed.push_back(claim);
    else
      claims.unbound_immediate = true;
  }
  return claims;
}

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
  promised_.push_back({claim, &provisioning_.try_emplace(claim, view, *claim, generation).first->second});
}

/// @return whether to go on to the next claim: upstream stops at the first selector that does not parse.
bool DelayedClaims::add_unbound(const View& view, Claim claim, Generation generation) {
  if (const auto known = candidates_.find(claim); known != candidates_.end()) {
    unbound_.push_back({claim, &known->second, &provisioning_.find(claim)->second});
    return true;
  }
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
  const auto& candidates = candidates_.try_emplace(claim, view, *claim, selector, generation).first->second;
  unbound_.push_back(
      {claim, &candidates, &provisioning_.try_emplace(claim, view, *claim, generation).first->second});
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
    if (const Served served = make(one.claim, *one.provisioning, node, by); served != Served::kYes)
      return served;
  // The last claim's volume is not noted. A pod with one claim, which is usual, then allocates nothing here.
  TakenVolumes taken;
  for (const Unbound& one : unbound_) {
    if (const PersistentVolume* volume = one.candidates->match(node, taken)) {
      if (&one != &unbound_.back()) taken.add(volume);
      if (by) by->bound.push_back({one.claim, volume});
    } else if (const Served served = make(one.claim, *one.provisioning, node, by); served != Served::kYes) {
      return served;
    }
  }
  return Served::kYes;
}

}  // namespace winnow
