#include "cluster/devices/search.h"

#include <algorithm>
#include <format>
#include <utility>

namespace winnow {
namespace {

/// A look at the clock costs as much as several steps.
constexpr std::uint32_t kBetweenLooks = 64;

}  // namespace

// Upstream: Allocate.
std::expected<bool, AllocationError> DeviceSearch::run(std::span<const PlannedClaim> claims,
                                                       const DeviceInventory& inventory,
                                                       const DeviceNode& node, const Limits& limits) {
  claims_ = claims;
  inventory_ = &inventory;
  node_ = &node;
  limits_ = limits;
  cel_limits_ = {
      .interrupted = [](void* search) { return static_cast<DeviceSearch*>(search)->is_out_of_time(); },
      .context = this};
  steps_to_look_ = limits.deadline == Time::max() ? kBetweenLooks : 1;
  furthest_.clear();
  has_searched_ = prepare();
  if (!has_searched_) return std::unexpected(std::move(error_));
  switch (at_request(0, 0)) {
    case Step::kDone:
      if (keeps_furthest_) furthest_ = picks_;
      return true;
    case Step::kError:
      return std::unexpected(std::move(error_));
    default:
      if (!pools_.has_invalid()) return false;
      return std::unexpected(
          AllocationError{AllocationError::Kind::kOnNode, "invalid resource pools were encountered"});
  }
}

std::span<const DevicePick> DeviceSearch::picks(std::size_t claim) const {
  const std::size_t end = claim + 1 < claims_.size() ? first_pick_[claim + 1] : picks_.size();
  return std::span(picks_).subspan(first_pick_[claim], end - first_pick_[claim]);
}

std::int64_t DeviceSearch::alternatives_score() const {
  constexpr std::int64_t kMostAlternatives = 8;
  std::int64_t score = 0;
  const PlannedRequest* last = nullptr;  // Of a claim that the pod names twice each counts.
  for (const DevicePick& pick : picks_) {
    const PlannedRequest* const request = pick.request;
    if (std::exchange(last, request) == request || request->alternative == nullptr) continue;
    score += kMostAlternatives - (request->alternative - request->request->first_available.data());
  }
  return score;
}

// Before the search: the pools, and how many devices each request takes.

bool DeviceSearch::refuse(std::string text) {
  error_ = {AllocationError::Kind::kFatal, std::move(text)};
  return false;
}

bool DeviceSearch::prepare() {
  all_devices_.clear();
  candidates_.clear();
  marks_.clear();
  shares_.clear();
  picks_.clear();
  consumed_used_ = 0;
  if (auto gathered = pools_.gather(*inventory_, *node_); !gathered)
    return refuse("gather pool information: " + gathered.error());
  std::size_t requests = 0, constraints = 0;
  first_constraint_.clear();
  for (const PlannedClaim& claim : claims_) {
    first_constraint_.push_back(static_cast<std::uint32_t>(constraints));
    requests += claim.planned.size();
    constraints += claim.constraints.size();
  }
  requests_.assign(requests, {});
  if (constraints_.size() < constraints) constraints_.resize(constraints);
  for (std::size_t i = 0; i < constraints; ++i) {
    constraints_[i].values.clear();
    constraints_[i].devices = 0;
  }
  first_pick_.assign(claims_.size(), 0);
  for (std::uint32_t i = 0; i < claims_.size(); ++i)
    if (!prepare_claim(i)) return false;
  return true;
}

bool DeviceSearch::prepare_claim(std::uint32_t index) {
  const PlannedClaim& claim = claims_[index];
  std::int64_t devices = 0;
  for (std::uint32_t i = 0; i < claim.requests.size(); ++i) {
    const PlannedClaim::Request& request = claim.requests[i];
    std::int64_t fewest = 0;
    for (std::uint32_t k = request.first; k < request.first + request.count; ++k) {
      const Place place{index, i, &claim.planned[k], claim.first + k};
      if (!prepare_request(place)) return false;
      const std::int64_t count = requests_[place.index].count;
      fewest = k == request.first ? count : std::min(fewest, count);
    }
    if (fewest > kMostDevicesOfClaim - devices)
      return refuse(std::format(
          "claim {}, request {}: adding {} devices exceeds the claim limit of {}, with {} already accounted "
          "for",
          claim.text(), claim.planned[request.first].request->name, fewest, kMostDevicesOfClaim, devices));
    devices += fewest;
  }
  return claim.constraint_error.empty() || refuse(claim.constraint_error);
}

bool DeviceSearch::prepare_request(const Place& place) {
  if (!place.planned->error.empty()) return refuse(place.planned->error);
  Request& request = requests_[place.index];
  request.count = place.planned->count;
  if (!place.planned->takes_all) return true;
  request.first = all_devices_.size();
  if (!list_all_devices(place)) return false;
  request.count = static_cast<std::int64_t>(all_devices_.size() - request.first);
  return true;
}

/// Lists what a request for all devices takes. What capacity others have taken does not count: then the
/// request fails, instead of taking fewer.
bool DeviceSearch::list_all_devices(const Place& place) {
  for (const NodePoolView& pool : pools_.pools()) {
    if (pool.state != NodePoolView::State::kUsable)
      return refuse(
          std::format("claim {}, request {}: asks for all devices, but resource pool {} is currently {}",
                      claims_[place.claim].text(), place.planned->name(), pool.pool->text(),
                      pool.state == NodePoolView::State::kInvalid ? "invalid" : "being updated"));
    for (const PublishedSlice* slice : pool.slices)
      for (const PublishedDevice& device : slice->devices) {
        const Step selectable = is_selectable(place, *slice, device);
        if (selectable == Step::kError) return false;
        if (selectable == Step::kNo) continue;
        const auto shortage =
            find_shortage({.capacities = device.device->capacity, .requests = place.planned->capacity()});
        if (!shortage)
          return refuse(std::format("claim {}, request {}: checking capacity for device {}: {}",
                                    claims_[place.claim].text(), place.planned->name(), device.device->name,
                                    shortage.error()));
        if (shortage->kind == CapacityShortage::Kind::kFits) all_devices_.push_back({&pool, slice, &device});
      }
  }
  return true;
}

// The search. Upstream: allocateOne.

bool DeviceSearch::look_at_time() {
  steps_to_look_ = kBetweenLooks;
  if (limits_.deadline == Time::max() && limits_.timeout.count() <= 0) return false;
  const Time now = std::chrono::steady_clock::now();
  if (limits_.timeout.count() > 0)
    limits_.deadline = std::min(limits_.deadline, now + std::exchange(limits_.timeout, {}));
  return now >= limits_.deadline;
}

DeviceSearch::Step DeviceSearch::fail(std::string text) {
  refuse(std::move(text));
  return Step::kError;
}

DeviceSearch::Step DeviceSearch::out_of_time() {
  error_ = {AllocationError::Kind::kTimedOut, "filter operation aborted: context deadline exceeded"};
  return Step::kError;
}

DeviceSearch::Step DeviceSearch::at_request(std::uint32_t index, std::uint32_t request) {
  if (is_out_of_time()) return out_of_time();
  if (index >= claims_.size()) return Step::kDone;
  if (request == 0) first_pick_[index] = picks_.size();
  const PlannedClaim& claim = claims_[index];
  if (request >= claim.requests.size()) {
    // Another choice for an earlier claim may leave room for an alternative with fewer devices here.
    const Step step = at_request(index + 1, 0);
    return step == Step::kTooMany ? Step::kNo : step;
  }
  const PlannedClaim::Request& asked = claim.requests[request];
  const Place place{index, request, &claim.planned[asked.first], claim.first + asked.first};
  return asked.has_alternatives ? at_alternatives(place, asked.count) : at_first_device(place);
}

DeviceSearch::Step DeviceSearch::at_alternatives(Place place, std::uint32_t count) {
  bool all_take_too_many = true;
  for (; count > 0; --count, ++place.planned, ++place.index) {
    const Step step = at_first_device(place);
    if (step == Step::kTooMany) continue;
    all_take_too_many = false;
    if (step != Step::kNo) return step;
  }
  return all_take_too_many ? Step::kTooMany : Step::kNo;
}

DeviceSearch::Step DeviceSearch::at_first_device(const Place& place) {
  Candidates candidates{.first = candidates_.size()};
  const Step step = at_device(place, 0, candidates, candidates.first);
  candidates_.resize(candidates.first);
  return step;
}

DeviceSearch::Step DeviceSearch::at_device(const Place& place, std::int64_t device, Candidates& candidates,
                                           std::size_t from) {
  if (is_out_of_time()) return out_of_time();
  const Request& request = requests_[place.index];
  if (place.planned->takes_all && request.count == 0) return Step::kNo;
  if (device >= request.count) return at_request(place.claim, place.request + 1);
  const std::int64_t remaining = request.count - device;
  const auto present = static_cast<std::int64_t>(picks_.size() - first_pick_[place.claim]);
  if (remaining > kMostDevicesOfClaim - present) return Step::kTooMany;
  if (place.planned->takes_all) return take_all(place, device, candidates);
  for (std::size_t i = from;; ++i) {
    if (i >= candidates_.size()) {
      const Step step = extend(place, candidates);
      if (step != Step::kDone) return step;
    }
    // Upstream tries all sets of devices, even if there are too few.
    if (candidates.complete && static_cast<std::int64_t>(candidates_.size() - i) < remaining)
      return Step::kNo;
    const Candidate candidate = candidates_[i];
    Change change;
    Step step = take(place, candidate, change);
    if (step == Step::kError) return step;
    if (step == Step::kNo) continue;
    // The order of devices within a request does not matter: the next one comes behind this one.
    step = at_device(place, device + 1, candidates, i + 1);
    if (step == Step::kDone) return step;
    give_back(place, candidate, change);
    if (step != Step::kNo) return step;
  }
}

DeviceSearch::Step DeviceSearch::take_all(const Place& place, std::int64_t device, Candidates& candidates) {
  const Candidate candidate = all_devices_[requests_[place.index].first + static_cast<std::size_t>(device)];
  Change change;
  Step step = take(place, candidate, change);
  if (step != Step::kDone) return step;
  step = at_device(place, device + 1, candidates, 0);
  if (step != Step::kDone) give_back(place, candidate, change);
  return step;
}

}  // namespace winnow
