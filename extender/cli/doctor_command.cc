// `winnow doctor`: looks at files, at a cluster and at a Winnow that runs, as far as the flags name them.
#include <algorithm>
#include <chrono>
#include <format>
#include <iostream>
#include <utility>

#include "cluster/text/source.h"
#include "extender/cli/cluster_asker.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/explain_rules.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/winnow_server.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/config/rules_summary.h"
#include "extender/config/wrapped_config.h"
#include "extender/operate/diagnosis.h"
#include "extender/operate/doctor.h"

namespace winnow {
namespace {

class Examination {
 public:
  Examination(const CommonFlags& common, const DoctorFlags& flags) : common_(common), flags_(flags) {
    setup_.start = flags.start;
    setup_.nominate = flags.nominate;
    setup_.discovers = common.discover_api_servers;
    setup_.reviews_tokens = flags.reviews_tokens;
    setup_.asks_metrics_server = std::ranges::contains(flags.node_metrics, "metrics-server");
    setup_.removes_gate = !flags.gate.empty();
    if (setup_.removes_gate) setup_.gate = flags.gate;
    setup_.writes_events = flags.events;
    setup_.elects = flags.leader_elect;
    setup_.lease_name = flags.lease_name;
    setup_.lease_namespace = flags.lease_namespace;
  }

  int run() {
    if (flags_.scheduler_config.empty() && flags_.server.url.empty() && !names_live_cluster(common_))
      return fail("nothing to look at: name --scheduler-config FILE, --kubeconfig FILE or --server URL");
    if (!take_rules() || !look_at_winnow() || !look_at_files() || !look_at_cluster()) return kBadInput;
    if (!has_looked_) {
      for (const std::string& line : silent_) fail(line);
      return kBadInput;
    }
    examine_denied(metrics_, found_);
    std::cout << (flags_.json ? report_json(found_) : report_text(found_)) << std::flush;
    if (!std::cout) return fail("standard output cannot be written");
    return found_.has_errors() ? kAnswerIsNo : kDone;
  }

 private:
  int fail(const std::string& line) {
    stderr_line("winnow doctor: " + line);
    return kBadInput;
  }
  bool refuse(const std::string& line) { return fail(line), false; }

  /// A server that cannot be asked is a diagnosis, if there is anything else to look at.
  /// @return true: the other parts are looked at.
  bool tell_of_silence(std::string check, const std::string& line, std::string mend) {
    silent_.push_back(line);
    found_.error(std::move(check), line, std::move(mend));
    return true;
  }

  bool take_rules() {
    auto loaded = rules_from(common_);
    if (!loaded) return refuse(loaded.error());
    rules_ = std::move(*loaded);
    return true;
  }

  /// Comes first, for its flags count in all the other checks. @return false: a flag or a file is wrong.
  bool look_at_winnow() {
    if (const std::string wrong = wrong_server(flags_.server); !wrong.empty()) return refuse(wrong);
    if (flags_.server.url.empty()) {
      found_.skipped("winnow", "no --server is given");
      return true;
    }
    auto server = WinnowServer::make(flags_.server);
    if (!server) return refuse(server.error());
    auto winnow = ask_winnow(*server);
    if (!winnow) {
      found_.skipped("flags", "those of the command line are taken for Winnow's");
      return tell_of_silence("ready", winnow.error(),
                             "see whether Winnow runs, and whether --server is its address and port");
    }
    has_looked_ = true;
    if (const auto page = server->get_good("/flagz"))
      take_flags(*page, setup_);
    else
      found_.skipped("flags", "those of the command line are taken for Winnow's: " + page.error());
    metrics_ = winnow->metrics;
    return look_at_metrics(*winnow);
  }

  /// What it says of itself, or why it cannot be looked at.
  std::expected<RunningWinnow, std::string> ask_winnow(WinnowServer& server) {
    const auto rules = server.get_good("/rules");
    if (!rules) return std::unexpected(rules.error());
    const auto summary = read_rules_summary(*rules);
    if (!summary) return std::unexpected(flags_.server.url + ": GET /rules is not answered as Winnow does");
    const auto metrics = server.get_good("/metrics");
    if (!metrics) return std::unexpected(metrics.error());
    RunningWinnow winnow;
    winnow.metrics = read_prometheus_text(*metrics);
    for (const RulesProfile& profile : summary->profiles) winnow.profiles.push_back(profile.scheduler_name);
    take_difference(difference(summarize(rules_), *summary), winnow);
    if (const auto ready = server.get("/readyz")) {
      winnow.ready_status = ready->status;
      winnow.ready_text = ready->body;
    } else {
      winnow.ready_text = ready.error();
    }
    return winnow;
  }

  /// The other checks are made with the rules of --config, or without it with today's.
  void take_difference(std::string differs, RunningWinnow& winnow) {
    if (!common_.config.empty())
      winnow.other_rules = std::move(differs);
    else if (!differs.empty())
      found_.warning(
          "rules",
          "rights and files are checked for 1.37's default profile, and Winnow runs other rules: " + differs,
          "winnow doctor --config FILE, with the rules that Winnow has");
  }

  bool look_at_metrics(const RunningWinnow& winnow) {
    if (flags_.scheduler_metrics.empty()) {
      examine_winnow(winnow, nullptr, setup_, found_);
      return true;
    }
    const auto text = read_source(flags_.scheduler_metrics, kMaxMetricsBytes);
    if (!text) return refuse(flags_.scheduler_metrics + ": " + text.error());
    const Samples samples = read_prometheus_text(*text);
    if (!std::ranges::any_of(samples, [](const Sample& one) { return one.name.starts_with("scheduler_"); }))
      return refuse(flags_.scheduler_metrics +
                    ": it has no metric of kube-scheduler, such as "
                    "scheduler_schedule_attempts_total");
    examine_winnow(winnow, &samples, setup_, found_);
    return true;
  }

  bool look_at_files() {
    if (flags_.scheduler_config.empty()) {
      found_.skipped("scheduler-config", "no --scheduler-config is given");
      return true;
    }
    const auto file = read_unwrapped(flags_.scheduler_config);
    if (!file) return refuse(flags_.scheduler_config + ": " + file.error());
    auto setup = read_scheduler_setup(file->text);
    if (!setup) return refuse(flags_.scheduler_config + ": " + setup.error());
    file_ = SchedulerFile{flags_.scheduler_config, std::move(*setup)};
    has_looked_ = true;
    if (names_live_cluster(common_))
      if (const auto cluster = ClusterAsker::make(common_))
        if (auto uses = ask_uses([&](const live::ApiRequest& request) { return cluster->ask(request); }))
          uses_ = std::move(*uses);
    examine_files(*file_, rules_, setup_, found_, uses());
    return true;
  }
  const ClusterUses* uses() const { return uses_ ? &*uses_ : nullptr; }

  bool look_at_cluster() {
    if (!names_live_cluster(common_)) {
      found_.skipped("cluster", "no --kubeconfig is given");
      return true;
    }
    const auto cluster = ClusterAsker::make(common_);
    if (!cluster) return refuse(cluster.error());
    const auto ask = [&](const live::ApiRequest& request) { return cluster->ask(request); };
    const auto wrong = examine_cluster({.ask = ask,
                                        .setup = setup_,
                                        .rules = rules_,
                                        .file = file_ ? &*file_ : nullptr,
                                        .uses = uses(),
                                        .user = flags_.user,
                                        .now = [] { return std::chrono::system_clock::now(); }},
                                       found_);
    if (wrong) return tell_of_silence("api-server", *wrong, "docs/operate.md, \"Credentials and rights\"");
    has_looked_ = true;
    return true;
  }

  static constexpr std::size_t kMaxMetricsBytes = std::size_t{64} << 20;

  const CommonFlags& common_;
  const DoctorFlags& flags_;
  DoctorSetup setup_;
  LoadedRules rules_;
  std::optional<SchedulerFile> file_;
  std::optional<ClusterUses> uses_;  ///< Nothing: not known.
  Samples metrics_;                  ///< Winnow's.
  bool has_looked_ = false;          ///< At a file of kube-scheduler's, the cluster or a Winnow.
  std::vector<std::string> silent_;  ///< Why servers cannot be looked at, a line each.
  Diagnoses found_;
};

}  // namespace

int examine(const CommonFlags& common, const DoctorFlags& flags) { return Examination(common, flags).run(); }

}  // namespace winnow
