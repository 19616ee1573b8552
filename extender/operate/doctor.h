// `winnow doctor`: what is wrong with an installation, and what mends it.
//
// extender/operate holds the operators' commands: doctor.h, setup_check.h, lint.h, configure.h and
// withdraw.h. Here each function makes the checks of one source: of files and of a Winnow that runs
// (from_winnow.cc), and of a cluster (from_cluster.cc with rights.cc and held_leases.cc). Nothing is written
// to the cluster but reviews, which it does not keep. prometheus_text.h reads metrics; diagnosis.h prints.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/client/transport/transport.h"
#include "cluster/function_ref.h"
#include "extender/config/scheduler_setup.h"
#include "extender/operate/prometheus_text.h"
#include "extender/operate/setup_check.h"

namespace winnow {

class Diagnoses;
struct ClusterUses;
struct LoadedRules;

/// Sends a request. @return the answer, or one line that says why there is none.
using AskServer = FunctionRef<std::expected<live::ApiResponse, std::string>(const live::ApiRequest&)>;

/// What `winnow serve` is started with, as far as the checks depend on it.
struct DoctorSetup {
  StartFlags start;
  bool nominate = false;
  std::string gate = "winnow.dev/nominate";  ///< --nominate-gate; the shipped one if there is none.
  bool removes_gate = false;                 ///< --nominate-gate is given.
  bool writes_events = true;                 ///< --nominate-events
  bool elects = true;                        ///< --leader-elect
  std::string lease_name = "winnow-nominator";
  std::string lease_namespace;       ///< "": the pod's own, else kube-system.
  bool discovers = false;            ///< --discover-api-servers
  bool reviews_tokens = false;       ///< --authorization-webhook=apiserver
  bool asks_metrics_server = false;  ///< --node-metrics has metrics-server.
};

/// Takes the flags of a Winnow that runs from its /flagz. @param page  the page's text.
void take_flags(const std::string& page, DoctorSetup& setup);

/// The name of kube-scheduler's configuration file, and what it says.
struct SchedulerFile {
  std::string name;
  SchedulerSetup setup;
};

/// Checks kube-scheduler's file, Winnow's rules and flags against each other, as `winnow check` does.
/// @param uses  see check_setup().
void examine_files(const SchedulerFile& file, const LoadedRules& rules, const DoctorSetup& setup,
                   Diagnoses& found, const ClusterUses* uses = nullptr);

/// What is asked about a live cluster.
struct ClusterQuestions {
  AskServer ask;
  const DoctorSetup& setup;
  const LoadedRules& rules;
  const SchedulerFile* file = nullptr;  ///< kube-scheduler's file; null: not known.
  const ClusterUses* uses = nullptr;    ///< What the cluster uses; null: not known.
  std::string user;                     ///< Whose rights are asked about; "": the caller's own.
  std::function<std::chrono::system_clock::time_point()> now;  ///< This machine's clock.
};

/// Checks the cluster: who Winnow is, what it may do, the clock, the version, nominators, gated pods.
/// @return nothing, or one line: no API server answers, or the credentials are refused.
std::optional<std::string> examine_cluster(const ClusterQuestions& asked, Diagnoses& found);

/// What is known of a Winnow that runs.
struct RunningWinnow {
  int ready_status = 0;               ///< Of GET /readyz.
  std::string ready_text;             ///< What it says.
  Samples metrics;                    ///< GET /metrics
  std::vector<std::string> profiles;  ///< The schedulerNames of its rules; "" is for all pods.
  std::string other_rules;            ///< How its rules differ from those of --config; "": not, or not asked.
};

/// Checks a Winnow that runs. @param scheduler  kube-scheduler's metrics; null: not known.
void examine_winnow(const RunningWinnow& winnow, const Samples* scheduler, const DoctorSetup& setup,
                    Diagnoses& found);

/// Tells of requests that API servers have denied since Winnow's start. Comes last: where `found` has all
/// rights as they should be, nothing is left to mend. @param winnow  its metrics.
void examine_denied(const Samples& winnow, Diagnoses& found);

}  // namespace winnow
