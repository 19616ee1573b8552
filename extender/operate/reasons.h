// The ways to run Winnow (docs/install.md), what is shipped for each, and why a line of a file changes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

enum class LineIn : std::uint8_t;
struct StartFlags;

enum class DeploymentMode : std::uint8_t { kNominate, kScores, kEverything, kBest };

// Internal to extender/operate: what is shipped for each way to run Winnow.

/// The first release, 1.N, that asks an extender about nodes where its own filters need no evictions.
inline constexpr int kAsksAboutAll = 38;

/// The filters of kube-scheduler's own that the manifests keep. Up to 1.37 it preempts for nobody without
/// them.
inline constexpr std::array<std::string_view, 2> kKeptFilters{"NodeResourcesFit", "NodePorts"};

/// Which file is made.
struct MadeFor {
  DeploymentMode way = DeploymentMode::kScores;
  int release = 37;           ///< kube-scheduler 1.N; from 1.38 on `best` has a file of its own.
  bool no_filters = false;    ///< With `best`: kube-scheduler runs no filter plugin.
  bool others_score = false;  ///< Another extender of the file has a prioritizeVerb.
};

/// The manifest, as text: manifests/kube-scheduler-WAY.yaml. "" for kNominate, which changes nothing.
std::string_view shipped_file(const MadeFor& file);

/// The flags of `winnow serve` that the manifest names, in its order.
std::vector<std::string> flags_of(const MadeFor& file);

/// The same flags, for check_setup().
StartFlags start_flags_of(const MadeFor& file);

// Internal to extender/operate: why a line of kube-scheduler's file changes.

/// The reason for a line that is new in the file, or no more in it. Never empty for what put_in() changes.
/// @param path   as yaml_diff() gives it.
/// @param value  as yaml_diff() gives it.
std::string reason_for(const MadeFor& file, std::string_view path, LineIn in, std::string_view value);

}  // namespace winnow
