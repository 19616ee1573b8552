#include "extender/doctor/nominators.h"

#include <algorithm>
#include <format>
#include <iterator>

#include "cluster/text/encoding/percent_encoding.h"
#include "cluster/text/shell_word.h"
#include "extender/doctor/held_leases.h"
#include "extender/doctor/rights.h"

namespace winnow {
namespace {

/// Winnow decides within a second, and after 20 s at most another replica does.
constexpr std::chrono::seconds kGateMayTake{30};
constexpr int kMostPages = 20;

std::string lease_home(const NominatorQuestions& questions) {
  return lease_namespace(questions.asked.setup, questions.subject);
}

std::expected<HeldLeases, std::string> find_held(const NominatorQuestions& questions) {
  return find_held_leases(questions.asked.ask, {lease_home(questions), questions.asked.setup.lease_name},
                          questions.now);
}

}  // namespace

void check_nominators(const NominatorQuestions& questions, Diagnoses& found) {
  if (!questions.asked.setup.elects)
    return found.skipped("nominators", "with --leader-elect=false no Lease tells who nominates");
  const auto held = find_held(questions);
  if (!held) return found.skipped("nominators", "Leases are not shown: " + held.error());
  if (held->leases.empty())
    return found.error("nominators",
                       std::format("nobody holds a Lease {}/{}: no pod is nominated", lease_home(questions),
                                   questions.asked.setup.lease_name),
                       std::format("kubectl -n {} rollout status deployment/{}",
                                   shell_word(lease_home(questions)), kNominatorLease));
  if (held->leases.size() > 1)
    return found.error(
        "nominators",
        "two Winnows nominate, each by its own Lease, and overrule each other: " + to_text(held->leases),
        "stop one of them, or give both the same --leader-elect-resource-namespace and -name");
  found.ok("nominators", "one Winnow nominates: " + to_text(held->leases) +
                             (held->of_all ? "" : " (Leases of other names and namespaces are not shown)"));
}

void check_gated_pods(const NominatorQuestions& questions, Diagnoses& found) {
  const std::string& gate = questions.asked.setup.gate;
  std::vector<GatedPod> pods;
  std::string next;
  for (int page = 0; page == 0 || (!next.empty() && page < kMostPages); ++page) {
    std::string path = "/api/v1/pods?fieldSelector=status.phase%3DPending&limit=500";
    if (!next.empty()) path += "&continue=" + percent_encoded(next);
    const auto body = get_body(questions.asked.ask, std::move(path));
    if (!body) return found.skipped("gated-pods", "pods are not shown: " + body.error());
    std::ranges::move(read_gated_pods(*body, gate), std::back_inserter(pods));
    next = read_continue(*body);
  }
  std::erase_if(pods, [&](const GatedPod& pod) {
    return !pod.created || questions.now - *pod.created <= kGateMayTake;
  });
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
