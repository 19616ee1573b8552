#include "cluster/client/watch/lease.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <format>
#include <random>

#include "cluster/text/go_format.h"
#include "cluster/text/json_scan.h"
#include "cluster/text/source.h"

namespace winnow::live {
namespace {

std::int64_t read_number(JsonScan& scan) {
  const std::string_view text = scan.value();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

void read_record(JsonScan& scan, LeaseRecord& record) {
  read_object(scan, [&](std::string_view key) {
    if (key == "holderIdentity") {
      record.holder = string_text(scan);
    } else if (key == "leaseDurationSeconds") {
      record.duration_seconds = read_number(scan);
    } else if (key == "acquireTime") {
      record.acquire_time = string_text(scan);
    } else if (key == "renewTime") {
      record.renew_time = string_text(scan);
    } else if (key == "leaseTransitions") {
      record.transitions = read_number(scan);
    } else {
      scan.value();
    }
  });
}

}  // namespace

std::expected<Lease, std::string> read_lease(std::string_view json) {
  JsonScan scan(json);
  Lease lease;
  std::string kind;
  read_members(scan, [&](std::string_view key) {
    if (key == "kind") {
      kind = string_text(scan);
    } else if (key == "metadata") {
      lease.metadata = scan.value();
    } else if (key == "spec") {
      read_record(scan, lease.record);
    } else {
      scan.value();
    }
  });
  if (!scan.expect_end()) return std::unexpected("the answer is not JSON: " + scan.error());
  if (kind != "Lease" || !lease.metadata.starts_with('{'))
    return std::unexpected("the answer is not a Lease: its kind is " + go_quote(kind));
  return lease;
}

std::string lease_json(const Lease& lease) {
  const LeaseRecord& record = lease.record;
  std::string json = R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":)" + lease.metadata;
  append_quoted(json += R"(,"spec":{"holderIdentity":)", record.holder);
  json += R"(,"leaseDurationSeconds":)" + std::to_string(record.duration_seconds);
  append_quoted(json += R"(,"acquireTime":)", record.acquire_time);
  append_quoted(json += R"(,"renewTime":)", record.renew_time);
  return json + R"(,"leaseTransitions":)" + std::to_string(record.transitions) + "}}";
}

std::string lease_metadata(std::string_view ns, std::string_view name) {
  std::string json = R"({"name":)";
  append_quoted(json, name);
  append_quoted(json += R"(,"namespace":)", ns);
  return json + "}";
}

std::string micro_time(std::chrono::system_clock::time_point time) {
  return std::format("{:%FT%T}Z", std::chrono::floor<std::chrono::microseconds>(time));
}

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMaxNamespaceBytes = 4096;

/// A random UUID (RFC 9562, version 4).
std::string random_uuid() {
  std::random_device random;
  const std::uint64_t high = (std::uint64_t{random()} << 32) | random();
  const std::uint64_t low = (std::uint64_t{random()} << 32) | random();
  return std::format("{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff, high & 0xfff,
                     0x8000 | ((low >> 48) & 0x3fff), low & 0xffff'ffff'ffff);
}

}  // namespace

std::string problem_of(const LeaderElectionOptions& options) {
  const auto whole = std::chrono::floor<seconds>(options.lease_duration);
  if (whole < seconds(1)) return "--leader-elect-lease-duration must be at least 1s";
  if (options.renew_deadline < milliseconds(1))
    return "--leader-elect-renew-deadline must be greater than zero";
  if (options.retry_period < milliseconds(1)) return "--leader-elect-retry-period must be greater than zero";
  if (whole <= options.renew_deadline)
    return std::format(
        "--leader-elect-lease-duration must be greater than --leader-elect-renew-deadline: {}s are not "
        "greater "
        "than {}ms",
        whole.count(), options.renew_deadline.count());
  if (options.renew_deadline <= options.retry_period * kElectionJitter)
    return std::format(
        "--leader-elect-renew-deadline must be greater than --leader-elect-retry-period times {}: {}ms are "
        "not",
        kElectionJitter, options.renew_deadline.count());
  if (options.resource_name.empty()) return "--leader-elect-resource-name must not be empty";
  return {};
}

std::string election_identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return std::string(host.data()) + "_" + random_uuid();
}

std::string election_namespace(const std::string& folder) {
  const auto text = read_source(folder + "/namespace", kMaxNamespaceBytes);
  const std::string name = text ? text->substr(0, text->find_last_not_of(" \t\r\n") + 1) : "";
  return name.empty() ? "kube-system" : name;
}

}  // namespace winnow::live
