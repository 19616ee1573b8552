// The flags of `winnow compare`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace winnow {

struct CommonFlags;

/// Beside CommonFlags, whose --config is A.
struct CompareFlags {
  std::string with;                       ///< The file of rules that is B; "": none.
  std::optional<std::string> with_gates;  ///< Feature gates of B; absent: those of A.
  std::vector<std::string> pod_files;     ///< Files with what makes pods.
  std::optional<std::uint32_t> replicas;  ///< In place of theirs.
  bool pending = false;                   ///< The cluster's pending pods too.
  bool placed = false;                    ///< Ask about the pods that run.
  std::string pod;                        ///< "namespace/name", or a name in "default"; "": the summary.
  bool json = false;
  bool all_pods = false;
  bool all_nodes = false;
  std::optional<int> width;
};

void add_compare(CLI::App& app, CompareFlags& flags, CommonFlags& common);

/// The error for flags of compare that contradict each other, or lack one another; "": none.
std::string wrong_compare_flags(const CompareFlags& flags);

}  // namespace winnow
