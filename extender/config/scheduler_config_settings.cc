#include "extender/config/scheduler_config_settings.h"

#include <arpa/inet.h>

#include <charconv>
#include <format>
#include <optional>
#include <system_error>
#include <utility>

#include "cluster/text/go_format.h"
#include "extender/config/config_release.h"

namespace winnow {
namespace {

constexpr std::int64_t kNanosInSecond = 1'000'000'000;

struct GoDuration {
  std::int64_t nanoseconds = 0;
  std::string text;
};

/// Absent and 0 give the default.
GoDuration duration_of(const Reader& object, std::string_view key, std::int64_t seconds) {
  GoDuration duration{seconds * kNanosInSecond, std::to_string(seconds) + "s"};
  std::string text;
  object.read(key, text);
  if (const auto written = parse_go_duration(text); written.value_or(0) != 0) duration = {*written, text};
  return duration;
}

FieldResult check_lease(const Reader& r, std::string_view path, bool may_equal) {
  const GoDuration lease = duration_of(r, "leaseDuration", 15);
  const GoDuration renew = duration_of(r, "renewDeadline", 10);
  const GoDuration retry = duration_of(r, "retryPeriod", 2);
  constexpr std::string_view kPositive = "must be greater than zero";
  if (lease.nanoseconds < 0) return invalid(child(path, "leaseDuration"), lease.text, kPositive);
  if (renew.nanoseconds < 0) return invalid(child(path, "renewDeadline"), renew.text, kPositive);
  if (retry.nanoseconds < 0) return invalid(child(path, "retryPeriod"), retry.text, kPositive);
  if (lease.nanoseconds < renew.nanoseconds || (lease.nanoseconds == renew.nanoseconds && !may_equal))
    return invalid(child(path, "leaseDuration"), lease.text, "must be greater than `RenewDeadline`");
  return {};
}

bool is_old_lock(std::string_view lock) { return lock == "endpointsleases" || lock == "configmapsleases"; }

FieldResult check_leader_election(const Reader& r, const SettingsRules& rules) {
  constexpr std::string_view kPath = "leaderElection";
  bool elect = true;
  std::string lock;
  r.read("leaderElect", elect);
  if (!elect) return {};
  if (auto good = check_lease(r, kPath, rules.lease_may_equal_renewal); !good) return good;
  r.read("resourceLock", lock);
  if (rules.any_lock || lock.empty() || lock == "leases") return {};
  if (rules.old_locks && is_old_lock(lock)) return {};
  return invalid(child(kPath, "resourceLock"), lock, "resourceLock value must be \"leases\"");
}

FieldResult check_burst(const Reader& r, const SettingsRules&) {
  std::int64_t burst = 0;
  r.read("burst", burst);
  return burst < 0 ? invalid("clientConnection.burst", burst, "must be non-negative") : FieldResult();
}

FieldResult check_within(const Reader& config, std::string_view key, const SettingsRules& rules,
                         FieldResult (*check)(const Reader&, const SettingsRules&)) {
  FieldResult result;
  config.within(key, [&](const Reader& r) {
    result = check(r, rules);
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

struct HostAndPort {
  std::string host, port;
};

/// Upstream: SplitHostPort of Go's net. Nothing: it is not a host with a port.
std::optional<HostAndPort> split_address(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = address.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.find_first_of(bracketed ? "[]" : ":[]") != std::string_view::npos) return std::nullopt;
  const std::string_view port = address.substr(colon + 1);
  if (port.find_first_of("[]") != std::string_view::npos) return std::nullopt;
  return HostAndPort{std::string(host), std::string(port)};
}

bool is_ip(const std::string& text) {
  unsigned char bytes[sizeof(in6_addr)];
  return inet_pton(AF_INET, text.c_str(), bytes) == 1 || inet_pton(AF_INET6, text.c_str(), bytes) == 1;
}

std::optional<int> port_of(const HostAndPort& address) {
  int port = 0;
  const char* const end = address.port.data() + address.port.size();
  const auto [stop, error] = std::from_chars(address.port.data(), end, port);
  if (error != std::errc() || stop != end) return std::nullopt;
  return port;
}

/// Upstream: defaults.go of v1beta1, v1alpha2 and v1alpha1, IsValidSocketAddr v1.22.17.
FieldResult check_any_address(std::string_view key, const std::string& address) {
  const auto parts = split_address(address);
  if (!parts) return {};  // The default is taken instead.
  constexpr int kMaxPort = 65535;
  const int port = port_of(*parts).value_or(0);
  if (port < 1 || port > kMaxPort) return invalid(key, address, "must be between 1 and 65535, inclusive");
  if (!parts->host.empty() && !is_ip(parts->host)) return invalid(key, address, "must be a valid IP address");
  return {};
}

/// Upstream: splitHostIntPort of validation.go v1.27.16.
FieldResult check_zero_port(std::string_view key, const std::string& address) {
  if (address.empty()) return {};
  const auto parts = split_address(address);
  const auto port = parts ? port_of(*parts) : std::nullopt;
  if (!port) return invalid(key, address, "must be a host with a port");
  if (!is_ip(parts->host)) return invalid(key, address, "must be a valid IP address");
  if (*port != 0) return invalid(key, address, "must be empty or with an explicit 0 port");
  return {};
}

FieldResult check_address(const Reader& config, std::string_view key, BindAddresses rule) {
  if (rule == BindAddresses::kNoFields || !config.has(key)) return {};
  std::string address;
  config.read(key, address);
  return rule == BindAddresses::kAny ? check_any_address(key, address) : check_zero_port(key, address);
}

/// v1alpha1 has two names for either. Upstream: v1alpha1/conversion.go v1.18.20.
FieldResult check_lock_names(const Reader& r, const SettingsRules&) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"resourceNamespace", "lockObjectNamespace"}, {"resourceName", "lockObjectName"}};
  for (const auto& [name, old_name] : kNames) {
    std::string value;
    std::string old_value;
    r.read(name, value);
    r.read(old_name, old_value);
    if (!value.empty() && !old_value.empty() && value != old_value)
      return invalid(child("leaderElection", old_name), old_value, std::format("is not that of {}", name));
  }
  return {};
}

}  // namespace

FieldResult check_percentage(const Reader& object, std::string_view path) {
  std::int64_t percentage = 0;
  object.read("percentageOfNodesToScore", percentage);
  if (percentage >= 0 && percentage <= 100) return {};
  return invalid(child(path, "percentageOfNodesToScore"), percentage, "not in valid range [0-100]");
}

FieldResult check_settings(const Reader& config, const SettingsRules& rules) {
  if (auto good = check_within(config, "clientConnection", rules, check_burst); !good) return good;
  if (auto good = check_within(config, "leaderElection", rules, check_leader_election); !good) return good;
  if (auto good = check_within(config, "leaderElection", rules, check_lock_names); !good) return good;
  for (const std::string_view key : {"healthzBindAddress", "metricsBindAddress"})
    if (auto good = check_address(config, key, rules.addresses); !good) return good;
  std::int64_t parallelism = 1;
  config.read("parallelism", parallelism);
  if (parallelism <= 0)
    return invalid("parallelism", parallelism, "should be an integer value greater than zero");
  if (auto good = check_percentage(config, ""); !good) return good;
  return check_backoff(config);
}

std::string old_lock_warning(const Reader& config) {
  std::string lock;
  bool elect = true;
  config.within("leaderElection", [&](const Reader& r) {
    return r.read("leaderElect", elect) && r.read("resourceLock", lock);
  });
  if (!elect || !is_old_lock(lock)) return {};
  return std::format(
      "leaderElection.resourceLock: {} is taken by kube-scheduler up to 1.26, and refused from "
      "1.27 on: expected leases",
      lock);
}

}  // namespace winnow
