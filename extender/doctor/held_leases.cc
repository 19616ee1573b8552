#include "extender/doctor/held_leases.h"

#include <algorithm>
#include <format>
#include <iterator>

#include "cluster/text/encoding/percent_encoding.h"

namespace winnow {
namespace {

constexpr int kMostLeasePages = 20;

/// A Lease that its holder still renews. Twice its duration is for clocks that differ.
bool is_held(const LeaseSeen& lease, WallTime now) {
  return !lease.holder.empty() && lease.renewed && now - *lease.renewed <= 2 * lease.duration;
}

void add_held(const LeaseName& named, WallTime now, const std::string& body, HeldLeases& held) {
  std::vector<LeaseSeen> leases = read_leases(body);
  std::erase_if(leases, [&](const LeaseSeen& lease) {
    const bool is_nominators = lease.name == named.name || lease.name.contains(kNominatorLease);
    return !is_nominators || !is_held(lease, now);
  });
  std::ranges::move(leases, std::back_inserter(held.leases));
}

/// The held Leases of all namespaces. Each node has one too, in a namespace of their own.
std::expected<HeldLeases, std::string> find_all_held(const AskServer& ask, const LeaseName& named,
                                                     WallTime now) {
  HeldLeases held;
  std::string next;
  for (int page = 0; page == 0 || !next.empty(); ++page) {
    if (page == kMostLeasePages) {
      held.of_all = false;
      break;
    }
    std::string path =
        "/apis/coordination.k8s.io/v1/leases?fieldSelector=metadata.namespace%21%3Dkube-node-lease&limit=500";
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    const auto body = get_body(ask, std::move(path));
    if (!body) return std::unexpected(body.error());
    add_held(named, now, *body, held);
    next = read_continue(*body);
  }
  return held;
}

}  // namespace

std::expected<std::string, std::string> get_body(const AskServer& ask, std::string path) {
  auto answer = ask({.method = "GET", .path = std::move(path), .body = "", .answer = live::AnswerOf::kList});
  if (!answer) return std::unexpected(std::move(answer).error());
  if (answer->status != 200)
    return std::unexpected(std::format("{}: {}", answer->status, said_in_status(answer->body)));
  return std::move(answer->body);
}

std::expected<HeldLeases, std::string> find_held_leases(const AskServer& ask, const LeaseName& named,
                                                        WallTime now) {
  if (auto all = find_all_held(ask, named, now)) return all;
  const auto one = get_body(ask, std::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}",
                                             percent_encoded(named.ns), percent_encoded(named.name)));
  if (!one) return std::unexpected(one.error());
  HeldLeases held{.leases = {}, .of_all = false};
  add_held(named, now, "{\"items\":[" + *one + "]}", held);
  return held;
}

std::string to_text(const std::vector<LeaseSeen>& leases) {
  std::string text;
  for (const LeaseSeen& lease : leases)
    text += std::format("{}{}/{} by {}", text.empty() ? "" : ", ", lease.ns, lease.name, lease.holder);
  return text;
}

}  // namespace winnow
