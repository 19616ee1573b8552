// The flags of `winnow configure`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "extender/cli/flags/groups/common_flags.h"
#include "extender/configure/way.h"

namespace winnow {

/// What `winnow configure` prints.
enum class ConfigureShows : std::uint8_t { kDiff, kScheduler, kRules };

struct ConfigureFlags {
  std::string scheduler_config;  ///< kube-scheduler's configuration file; "-" is standard input.
  Way way = Way::kScores;
  int release = 37;                       ///< --for: kube-scheduler 1.N.
  std::optional<std::string> url_prefix;  ///< Absent: the shipped files' own.
  ConfigureShows shows = ConfigureShows::kDiff;
  std::string output_dir;  ///< "": nothing is written.
};

/// Adds `winnow configure`.
void add_configure(CLI::App& app, ConfigureFlags& flags, CommonFlags& common);

}  // namespace winnow
