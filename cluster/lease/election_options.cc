#include "cluster/lease/election_options.h"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <format>
#include <random>

#include "cluster/text/source.h"

namespace winnow::live {
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
