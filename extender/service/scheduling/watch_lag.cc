#include "extender/service/scheduling/watch_lag.h"

#include <algorithm>

namespace winnow {
namespace {

/// Added to the usual delay.
constexpr std::chrono::milliseconds kMargin{3};
/// A longer delay counts at once; a shorter one moves the estimate by one part in kSlowness. An event that
/// kube-scheduler had known for a while before its call looks less late than it was.
constexpr int kSlowness = 32;

}  // namespace

WatchLagEstimator::WatchLagEstimator(Duration catch_up, Time now)
    : catch_up_(catch_up), ahead_(std::max(kSaved, catch_up)), paid_(now) {}

WatchLagEstimator::Until WatchLagEstimator::hold_until(Sign sign, Time asked, Time now, Duration seen_late) {
  const MutexLock lock(mutex_);
  save(now);
  // Late events seldom come alone: the events of one cause follow each other.
  const Duration late = std::max(late_, seen_late);
  const Duration usual = std::min<Duration>(catch_up_, late + late / 2 + kMargin);
  const Duration wanted = sign == Sign::kNoSign ? usual : catch_up_;
  const Duration allowed = sign == Sign::kNoSign ? saved_ - ahead_ / 2 : saved_;
  return {.wanted = asked + wanted,
          .allowed = asked + std::clamp<Duration>(allowed, Duration::zero(), wanted)};
}

void WatchLagEstimator::called(std::string_view pod, Time now) {
  const MutexLock lock(mutex_);
  const bool at_once = now - last_end_ < kAtOnce;
  if (at_once && pod == last_pod_) return;  // The next call shows whether another pod has waited.
  if (at_once) saved_ -= last_held_;
  last_held_ = Duration::zero();
}

void WatchLagEstimator::held(std::string_view pod, Duration lasted, bool in_vain, Time now) {
  if (!in_vain) return;
  const MutexLock lock(mutex_);
  // If two calls about one pod are followed by another pod's, that pod has waited for both.
  last_held_ = pod == last_pod_ ? last_held_ + lasted : lasted;
  last_pod_ = pod;
  last_end_ = now;
}

void WatchLagEstimator::late_by(Duration lateness) {
  const MutexLock lock(mutex_);
  if (lateness > late_)
    late_ = std::min(lateness, catch_up_);
  else
    late_ -= (late_ - lateness) / kSlowness;
}

WatchLagEstimator::Duration WatchLagEstimator::lateness() const {
  const MutexLock lock(mutex_);
  return late_;
}

void WatchLagEstimator::later_than_catch_up(Time now) {
  late_by(catch_up_);
  const MutexLock lock(mutex_);
  too_late_until_ = now + kTooLate;
}

void WatchLagEstimator::in_time() {
  const MutexLock lock(mutex_);
  too_late_until_ = {};
}

bool WatchLagEstimator::is_too_late(Time now) const {
  const MutexLock lock(mutex_);
  return now < too_late_until_;
}

void WatchLagEstimator::save(Time now) {
  const auto share = std::chrono::duration_cast<Duration>((now - paid_) * kShare);
  saved_ = std::min(ahead_, saved_ + share);
  paid_ = now;
}

bool LateRemarks::may_tell(bool has_sign, Time now) {
  const MutexLock lock(mutex_);
  const std::chrono::duration<double> since = now - counted_;
  left_ = std::min(kAtOnce, left_ + std::max(0.0, since.count()) * kPerSecond);
  counted_ = now;
  if (left_ < (has_sign ? 1 : kAtOnce / 2 + 1)) return false;
  --left_;
  ++told_;
  return true;
}

std::uint64_t LateRemarks::told() const {
  const MutexLock lock(mutex_);
  return told_;
}

std::string LateRemarks::remark(std::uint64_t attempt, std::string_view held) {
  const std::string_view cause = held.empty() ? "Winnow's watch may be late" : held;
  return std::string(" (attempt ").append(std::to_string(attempt)).append("; ").append(cause).append(")");
}

}  // namespace winnow
