#include "extender/operate/held_leases.h"

#include <algorithm>
#include <format>
#include <iterator>

#include "cluster/client/transport/transport.h"
#include "cluster/text/encoding.h"
#include "cluster/text/words.h"
#include "extender/operate/diagnosis.h"
#include "extender/operate/rights.h"

namespace winnow {
namespace {

/// Winnow decides within a second, and after 20 s at most another replica does.
constexpr std::chrono::seconds kGateMayTake{30};
constexpr int kMostPages = 20;

std::string lease_home(const CheckedCluster& cluster) {
  return lease_namespace(cluster.asked.setup, cluster.subject);
}

std::expected<HeldLeases, std::string> find_held(const CheckedCluster& cluster) {
  return find_held_leases(cluster.asked.ask, {lease_home(cluster), cluster.asked.setup.lease_name},
                          cluster.now);
}

}  // namespace

void check_nominators(const CheckedCluster& cluster, Diagnoses& found) {
  if (!cluster.asked.setup.elects)
    return found.skipped("nominators", "with --leader-elect=false no Lease tells who nominates");
  const auto held = find_held(cluster);
  if (!held) return found.skipped("nominators", "Leases are not shown: " + held.error());
  if (held->leases.empty())
    return found.error("nominators",
                       std::format("nobody holds a Lease {}/{}: no pod is nominated", lease_home(cluster),
                                   cluster.asked.setup.lease_name),
                       std::format("kubectl -n {} rollout status deployment/{}",
                                   shell_word(lease_home(cluster)), kNominatorLease));
  if (held->leases.size() > 1)
    return found.error(
        "nominators",
        "two Winnows nominate, each by its own Lease, and overrule each other: " + to_text(held->leases),
        "stop one of them, or give both the same --leader-elect-resource-namespace and -name");
  found.ok("nominators", "one Winnow nominates: " + to_text(held->leases) +
                             (held->of_all ? "" : " (Leases of other names and namespaces are not shown)"));
}

void check_gated_pods(const CheckedCluster& cluster, Diagnoses& found) {
  const std::string& gate = cluster.asked.setup.gate;
  std::vector<GatedPod> pods;
  std::string next;
  for (int page = 0; page == 0 || (!next.empty() && page < kMostPages); ++page) {
    std::string path = "/api/v1/pods?fieldSelector=status.phase%3DPending&limit=500";
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    const auto body = get_body(cluster.asked.ask, std::move(path));
    if (!body) return found.skipped("gated-pods", "pods are not shown: " + body.error());
    std::ranges::move(read_gated_pods(*body, gate), std::back_inserter(pods));
    next = read_continue(*body);
  }
  std::erase_if(
      pods, [&](const GatedPod& pod) { return !pod.created || cluster.now - *pod.created <= kGateMayTake; });
  if (pods.empty() && !next.empty())
    return found.skipped(
        "gated-pods",
        std::format("no pod of the first {} pages waits for the gate {}; there are more", kMostPages, gate));
  if (pods.empty()) return found.ok("gated-pods", std::format("no pod waits for the gate {}", gate));
  const auto oldest = std::ranges::min_element(pods, {}, [](const GatedPod& pod) { return *pod.created; });
  const std::string what =
      std::format("{} waited for the gate {} for more than {} s, {} the longest",
                  pods.size() == 1 ? "a pod has" : std::format("{} pods have", pods.size()), gate,
                  kGateMayTake.count(), oldest->name);
  const auto held = find_held(cluster);
  const std::string mend = std::format(
      "start the nominator with --nominate-gate={}, or let the pods go: "
      "docs/nominate.md, \"With a gate\"",
      gate);
  if (held && !held->leases.empty())
    return found.warning("gated-pods",
                         what + ": Winnow does not remove this gate, or they fit nowhere and are held", mend);
  found.error("gated-pods", what + ", and no nominator is seen", mend);
}

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
