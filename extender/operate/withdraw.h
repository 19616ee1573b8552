// The withdrawal: takes away what Winnow has written to waiting pods, so that nothing of it is left behind.
//
// kube-scheduler counts a nominated pod on its node whether it tries the pod or not, and a gated pod waits
// for ever. Both outlive the Winnow that wrote them. Winnow's nominations are known by their field manager.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "extender/operate/doctor.h"
#include "extender/operate/held_leases.h"

namespace winnow::live {

class Clock;
class PodPatcher;

}  // namespace winnow::live

namespace winnow {

struct WithdrawOptions {
  std::string gate;      ///< A scheduling gate that is removed too, whoever has added it; "": none.
  bool dry_run = false;  ///< Nothing is written.
};

enum class WithdrawResult : std::uint8_t {
  kCleared,  ///< It is gone; of a dry run: it would be.
  kLeft,     ///< It is somebody else's, or the pod does not wait any more.
  kFailed,
};
inline constexpr std::size_t kWithdrawResults = 3;
std::string_view to_string(WithdrawResult result);  ///< "cleared"

/// A nomination, or a scheduling gate, of one pod.
struct Withdrawn {
  std::string pod;   ///< "namespace/name"
  std::string node;  ///< That it is nominated for; "": it is the gate.
  WithdrawResult result = WithdrawResult::kCleared;
  std::string why;  ///< One line; empty for kCleared.
};

struct WithdrawReport {
  WithdrawOptions options;
  std::vector<Withdrawn> all;  ///< By pod; the nomination before the gate.
  std::string unseen;          ///< Why it is not known whether anything is left, in one line; "": it is.

  std::size_t count(WithdrawResult result) const;
  /// Nothing of Winnow's is left, as far as it was to go.
  bool is_done() const { return unseen.empty() && count(WithdrawResult::kFailed) == 0; }
};

/// Takes Winnow's nominations of all pods without a node away, and the gate. Lists again afterwards, for what
/// was written meanwhile. Each write names the pod's UID and version: one that has changed is looked at anew.
/// @param ask  reads. @param patcher  writes.
/// @return the report, or one line: the pods are not shown.
std::expected<WithdrawReport, std::string> withdraw_from_pods(const AskServer& ask, live::PodPatcher& patcher,
                                                              live::Clock& clock,
                                                              const WithdrawOptions& options);

/// Waits until no nominator holds a Lease: it would write again what is taken away.
/// @param longest  0: the Leases are looked at once.
/// @return the Leases that are held still, which is none when all is well; or one line: they are not shown.
std::expected<HeldLeases, std::string> await_no_nominator(const AskServer& ask, live::Clock& clock,
                                                          const LeaseName& lease,
                                                          std::chrono::milliseconds longest);

/// A line for each, and one with the counts.
std::string report_text(const WithdrawReport& report);
/// {"dryRun":BOOL,"cleared":N,"left":N,"failed":N,"pods":[{"pod":…,"nomination":NODE,"result":…,"why":…},…]}
/// and a newline. For a gate "gate" stands in the place of "nomination".
std::string report_json(const WithdrawReport& report);

}  // namespace winnow
