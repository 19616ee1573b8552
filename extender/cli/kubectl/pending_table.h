// The pods that wait, each with why it does, in columns as kubectl prints them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "extender/cli/kubectl/pending_list.h"

namespace winnow {

struct Explanation;

/// A pod's line.
struct PendingRow {
  ObjectName pod;
  std::optional<std::int64_t> created;  ///< Seconds since 1970.
  std::string nodes;   ///< Those that take it, of all: "0/4"; "-" where none was asked about.
  std::string reason;  ///< With counts: "3 Insufficient cpu, 1 node(s) were unschedulable".
  std::string causes;  ///< The facts behind it, in words; "": there are none.
};

PendingRow gated_row(const WaitingPod& pod);
PendingRow explained_row(const WaitingPod& pod, const Explanation& explanation);
/// @param why  it is not explained.
PendingRow unexplained_row(const WaitingPod& pod, const std::string& why);

struct PendingTableOptions {
  std::int64_t now = 0;   ///< Seconds since 1970, for AGE.
  bool wide = false;      ///< With CAUSES, and nothing is broken.
  std::size_t width = 0;  ///< Reasons are broken at blanks, so that lines are not wider; 0: they are not.
};

/// Appends the table. Texts of the cluster cannot steer the terminal.
void append_pending_table(std::string& out, std::span<const PendingRow> rows,
                          const PendingTableOptions& options);

/// A time as kubectl tells ages: "45s", "5m12s", "3h", "2d4h". Upstream: HumanDuration of apimachinery
/// v0.37.0, pkg/util/duration/duration.go.
std::string age_text(std::int64_t seconds);

}  // namespace winnow
