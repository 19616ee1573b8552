#include "extender/config/scheduler_config/scheduler_config_settings.h"

#include "cluster/text/go_duration.h"

namespace winnow {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct GoDuration {
  std::int64_t nanoseconds = 0;
  std::string text;
};

/// Absent and 0 give the default.
GoDuration duration_of(const Reader& object, std::string_view key, std::int64_t seconds) {
  GoDuration duration{seconds * kSecond, std::to_string(seconds) + "s"};
  std::string text;
  object.read(key, text);
  if (const auto written = parse_go_duration(text); written.value_or(0) != 0) duration = {*written, text};
  return duration;
}

FieldResult check_lease(const Reader& r, std::string_view path) {
  const GoDuration lease = duration_of(r, "leaseDuration", 15);
  const GoDuration renew = duration_of(r, "renewDeadline", 10);
  const GoDuration retry = duration_of(r, "retryPeriod", 2);
  constexpr std::string_view kPositive = "must be greater than zero";
  if (lease.nanoseconds < 0) return invalid(child(path, "leaseDuration"), lease.text, kPositive);
  if (renew.nanoseconds < 0) return invalid(child(path, "renewDeadline"), renew.text, kPositive);
  if (retry.nanoseconds < 0) return invalid(child(path, "retryPeriod"), retry.text, kPositive);
  if (lease.nanoseconds <= renew.nanoseconds)
    return invalid(child(path, "leaseDuration"), lease.text, "must be greater than `RenewDeadline`");
  return {};
}

FieldResult check_leader_election(const Reader& r) {
  constexpr std::string_view kPath = "leaderElection";
  bool elect = true;
  std::string lock;
  r.read("leaderElect", elect);
  if (!elect) return {};
  if (auto good = check_lease(r, kPath); !good) return good;
  r.read("resourceLock", lock);
  if (lock.empty() || lock == "leases") return {};
  return invalid(child(kPath, "resourceLock"), lock, "resourceLock value must be \"leases\"");
}

FieldResult check_burst(const Reader& r) {
  std::int64_t burst = 0;
  r.read("burst", burst);
  return burst < 0 ? invalid("clientConnection.burst", burst, "must be non-negative") : FieldResult();
}

FieldResult check_within(const Reader& config, std::string_view key, FieldResult (*check)(const Reader&)) {
  FieldResult result;
  config.within(key, [&](const Reader& r) {
    result = check(r);
    return true;
  });
  return result;
}

FieldResult check_backoff(const Reader& config) {
  std::int64_t initial = 1;
  std::int64_t max = 10;
  config.read("podInitialBackoffSeconds", initial);
  config.read("podMaxBackoffSeconds", max);
  if (initial <= 0) return invalid("podInitialBackoffSeconds", initial, "must be greater than 0");
  if (max >= initial) return {};
  return invalid("podMaxBackoffSeconds", max, "must be greater than or equal to PodInitialBackoffSeconds");
}

}  // namespace

FieldResult check_percentage(const Reader& object, std::string_view path) {
  std::int64_t percentage = 0;
  object.read("percentageOfNodesToScore", percentage);
  if (percentage >= 0 && percentage <= 100) return {};
  return invalid(child(path, "percentageOfNodesToScore"), percentage, "not in valid range [0-100]");
}

FieldResult check_settings(const Reader& config) {
  if (auto good = check_within(config, "clientConnection", check_burst); !good) return good;
  if (auto good = check_within(config, "leaderElection", check_leader_election); !good) return good;
  std::int64_t parallelism = 1;
  config.read("parallelism", parallelism);
  if (parallelism <= 0)
    return invalid("parallelism", parallelism, "should be an integer value greater than zero");
  if (auto good = check_percentage(config, ""); !good) return good;
  return check_backoff(config);
}

}  // namespace winnow
