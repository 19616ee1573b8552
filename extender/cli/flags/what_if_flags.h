// The flags of `winnow compare`, `winnow simulate` and `winnow replay`.
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
  std::string pod;                        ///< See parse_pod_name(); "": the summary.
  bool json = false;
  bool all_pods = false;
  bool all_nodes = false;
  std::optional<int> width;
};

void add_compare(CLI::App& app, CompareFlags& flags, CommonFlags& common);

/// The error for flags of compare that contradict each other, or lack one another; "": none.
std::string wrong_compare_flags(const CompareFlags& flags);

}  // namespace winnow

namespace CLI {

// The flags of `winnow simulate`.

class App;
}  // namespace CLI

namespace winnow {

struct CommonFlags;

struct SimulateFlags {
  std::vector<std::string> pod_files;     ///< Files with what makes pods.
  std::optional<std::uint32_t> replicas;  ///< In place of theirs.
  std::vector<std::string> scale;         ///< Workloads of the cluster: see scaling_of().
  bool pending = false;                   ///< The cluster's pending pods too.
  std::vector<std::string> pending_pods;  ///< These of them; none: all. See parse_pod_name().
  std::vector<std::string> drain;         ///< Nodes: see named_nodes().
  std::vector<std::string> remove_nodes;
  std::vector<std::string> fail_nodes;
  std::vector<std::string> cordon;
  std::vector<std::string> delete_pods;  ///< See parse_pod_name().
  std::vector<std::string> set_labels;   ///< See parse_label_change().
  std::string add_nodes;                 ///< A file with Nodes; "": none.
  std::optional<std::uint32_t> count;    ///< Of each of them; absent: 1.
  bool until_full = false;
  std::string add_nodes_until_fits;   ///< A file with Nodes; "": none.
  std::optional<std::uint32_t> most;  ///< Nodes that it may add; absent: kMostNodes.
  bool preemption = false;
  bool json = false;
  bool all_pods = false;
  bool all_nodes = false;
  std::optional<int> width;

  static constexpr std::uint32_t kMostNodes = 1000;
};

void add_simulate(CLI::App& app, SimulateFlags& flags, CommonFlags& common);

/// The error for flags of simulate that contradict each other, or lack one another; "": none.
std::string wrong_simulate_flags(const SimulateFlags& flags);

}  // namespace winnow

namespace CLI {

// The flags of `winnow replay`.

class App;
}  // namespace CLI

namespace winnow {

struct ReplayFlags {
  std::string recording;  ///< A directory, or one of its files.
  std::string anonymize;  ///< The directory for a recording without names; "": it is only played.
  bool json = false;
};

void add_replay(CLI::App& app, ReplayFlags& flags);

}  // namespace winnow
