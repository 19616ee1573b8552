// The flags of `winnow check`, `winnow doctor` and `winnow configure`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extender/cli/flags/common_flags.h"
#include "extender/operate/reasons.h"
#include "extender/operate/setup_check.h"

namespace winnow {

/// The flags of `winnow check`.
struct CheckFlags {
  std::vector<std::string> files;  ///< Files of rules.
  std::string scheduler_config;    ///< kube-scheduler's configuration file; "": not checked.
  bool strict = false;             ///< A warning is as bad as an error.
  StartFlags start;
};

/// The flags of `winnow doctor`.
struct DoctorFlags {
  std::string scheduler_config;   ///< kube-scheduler's configuration file; "": not looked at.
  std::string scheduler_metrics;  ///< A file with kube-scheduler's /metrics; "": none.
  ServerFlags server;             ///< A Winnow that runs. Its /flagz then stands for the flags below.
  std::string user;               ///< Whose rights are asked about; "": the caller's.
  bool json = false;
  StartFlags start;
  bool nominate = false;
  std::string gate;    ///< --nominate-gate; "": none.
  bool events = true;  ///< --nominate-events
  bool leader_elect = true;
  std::string lease_name = "winnow-nominator";  ///< --leader-elect-resource-name
  std::string lease_namespace;                  ///< --leader-elect-resource-namespace; "": as serve finds it.
  bool reviews_tokens = false;                  ///< --authorization-webhook=apiserver
  std::vector<std::string> node_metrics;        ///< --node-metrics
};

/// Adds `winnow check`.
void add_check(CLI::App& app, CheckFlags& flags, CommonFlags& common);
/// Adds `winnow doctor`.
void add_doctor(CLI::App& app, DoctorFlags& flags, CommonFlags& common);

// The flags of `winnow configure`.

/// What `winnow configure` prints.
enum class ConfigureShows : std::uint8_t { kDiff, kScheduler, kRules };

struct ConfigureFlags {
  std::string scheduler_config;  ///< kube-scheduler's configuration file; "-" is standard input.
  DeploymentMode way = DeploymentMode::kScores;
  int release = 37;                       ///< --for: kube-scheduler 1.N.
  std::optional<std::string> url_prefix;  ///< Absent: the shipped files' own.
  ConfigureShows shows = ConfigureShows::kDiff;
  std::string output_dir;  ///< "": nothing is written.
};

/// Adds `winnow configure`.
void add_configure(CLI::App& app, ConfigureFlags& flags, CommonFlags& common);

}  // namespace winnow
