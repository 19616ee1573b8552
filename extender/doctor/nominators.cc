#include "extender/doctor/nominators.h"

#include <algorithm>
#include <format>
#include <iterator>

#include "cluster/text/percent_encoding.h"

namespace winnow {
namespace {

constexpr std::string_view kLease = "winnow-nominator";
constexpr std::string_view kHome = "kube-system";
/// Winnow decides within a second, and after 20 s at most another replica does.
constexpr std::chrono::seconds kGateMayTake{30};
constexpr int kMostPages = 20;

std::expected<std::string, std::string> get(const AskServer& ask, std::string path) {
  auto answer = ask({.method = "GET", .path = std::move(path), .body = ""});
  if (!answer) return std::unexpected(std::move(answer).error());
  if (answer->status != 200)
    return std::unexpected(std::format("{}: {}", answer->status, said_in_status(answer->body)));
  return std::move(answer->body);
}

/// A Lease that its holder still renews. Twice its duration is for clocks that differ.
bool is_held(const LeaseSeen& lease, WallTime now) {
  return !lease.holder.empty() && lease.renewed && now - *lease.renewed <= 2 * lease.duration;
}

std::vector<LeaseSeen> held_leases(const std::string& body, WallTime now) {
  std::vector<LeaseSeen> leases = read_leases(body);
  std::erase_if(leases,
                [&](const LeaseSeen& lease) { return !lease.name.contains(kLease) || !is_held(lease, now); });
  return leases;
}

struct Held {
  std::vector<LeaseSeen> leases;
  bool of_all = true;  ///< Of all namespaces, and not the shipped one alone.
};

/// The Leases of nominators that are held. Winnow's own role shows the shipped one alone.
std::expected<Held, std::string> find_held(const NominatorQuestions& questions) {
  const AskServer& ask = questions.asked.ask;
  if (const auto all = get(ask, "/apis/coordination.k8s.io/v1/leases?limit=1000"))
    return Held{held_leases(*all, questions.now), true};
  const auto one =
      get(ask, std::format("/apis/coordination.k8s.io/v1/namespaces/{}/leases/{}", kHome, kLease));
  if (!one) return std::unexpected(one.error());
  return Held{held_leases("{\"items\":[" + *one + "]}", questions.now), false};
}

std::string to_text(const std::vector<LeaseSeen>& leases) {
  std::string text;
  for (const LeaseSeen& lease : leases)
    text += std::format("{}{}/{} by {}", text.empty() ? "" : ", ", lease.ns, lease.name, lease.holder);
  return text;
}

}  // namespace

void check_nominators(const NominatorQuestions& questions, Diagnoses& found) {
  const auto held = find_held(questions);
  if (!held) return found.skipped("nominators", "Leases are not shown: " + held.error());
  if (held->leases.empty())
    return found.error("nominators",
                       std::format("nobody holds a Lease {}/{}: no pod is nominated", kHome, kLease),
                       std::format("kubectl -n {} rollout status deployment/{}", kHome, kLease));
  if (held->leases.size() > 1)
    return found.error(
        "nominators",
        "two Winnows nominate, each by its own Lease, and overrule each other: " + to_text(held->leases),
        "stop one of them, or give both the same --leader-elect-resource-namespace and -name");
  found.ok("nominators", "one Winnow nominates: " + to_text(held->leases) +
                             (held->of_all ? "" : " (Leases of other namespaces are not shown)"));
}

void check_gated_pods(const NominatorQuestions& questions, Diagnoses& found) {
  const std::string& gate = questions.asked.setup.gate;
  std::vector<GatedPod> pods;
  std::string next;
  for (int page = 0; page == 0 || (!next.empty() && page < kMostPages); ++page) {
    std::string path = "/api/v1/pods?fieldSelector=status.phase%3DPending&limit=500";
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    const auto body = get(questions.asked.ask, std::move(path));
    if (!body) return found.skipped("gated-pods", "pods are not shown: " + body.error());
    GatedPods read = read_gated_pods(*body, gate);
    std::ranges::move(read.pods, std::back_inserter(pods));
    next = std::move(read.next);
  }
  std::erase_if(pods, [&](const GatedPod& pod) {
    return !pod.created || questions.now - *pod.created <= kGateMayTake;
  });
  if (pods.empty()) return found.ok("gated-pods", std::format("no pod waits for the gate {}", gate));
  const auto oldest = std::ranges::min_element(pods, {}, [](const GatedPod& pod) { return *pod.created; });
  const std::string what =
      std::format("{} waited for the gate {} for more than {} s, {} the longest",
                  pods.size() == 1 ? "a pod has" : std::format("{} pods have", pods.size()), gate,
                  kGateMayTake.count(), oldest->name);
  const auto held = find_held(questions);
  const std::string mend = std::format(
      "start the nominator with --nominate-gate={}, or let the pods go: "
      "docs/nominate.md, \"With a gate\"",
      gate);
  if (held && !held->leases.empty())
    return found.warning("gated-pods",
                         what + ": Winnow does not remove this gate, or they fit nowhere and are held", mend);
  found.error("gated-pods", what + ", and no nominator is seen", mend);
}

}  // namespace winnow
