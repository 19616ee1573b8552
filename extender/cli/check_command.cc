// `winnow check`: checks files of rules, and kube-scheduler's own configuration with them, before they are
// used; or looks through a cluster for what cannot work as meant.
#include <algorithm>
#include <array>
#include <format>
#include <iostream>
#include <ranges>
#include <span>

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/workload.h"
#include "cluster/files/cluster_file.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/source.h"
#include "extender/cli/cluster_asker.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/config/scheduler_setup.h"
#include "extender/config/wrapped_config.h"
#include "extender/operate/lint.h"
#include "extender/operate/setup_check.h"

namespace winnow {
namespace {

int fail_check(const std::string& line) {
  stderr_line("winnow check: " + line);
  return kBadInput;
}

/// Prints a line for each finding, and remembers whether one is an error.
class Report {
 public:
  void add(bool is_error, std::string_view file, std::string_view what) {
    say(file, is_error ? "error" : "warning", what);
    ++(is_error ? errors_ : warnings_);
  }
  void note(std::string_view file, std::string_view what) { say(file, "note", what); }
  void ok(std::string_view file, std::string_view what) { say(file, "ok", what); }
  std::size_t errors() const { return errors_; }
  std::size_t warnings() const { return warnings_; }

 private:
  static void say(std::string_view file, std::string_view sort, std::string_view what) {
    std::cout << one_line(file) << ": " << sort << ": " << one_line(what, kMostLineBytes) << '\n';
  }

  std::size_t errors_ = 0, warnings_ = 0;
};

std::string describe(const RuleSet& rules) {
  const auto filters = std::ranges::count_if(rules.predicates, &ConfiguredPredicate::filters);
  const auto scores = std::ranges::count_if(rules.priorities, &ConfiguredPriority::scores);
  if (rules.generation == Generation::kClassic)
    return std::format("Policy, {} predicates, {} priorities", filters, scores);
  return std::format("profile {} with {} filter and {} score plugins", rules.scheduler_name, filters, scores);
}

std::string describe(const LoadedRules& loaded) {
  if (loaded.sets.front().generation == Generation::kClassic) return describe(loaded.sets.front());
  std::string text = "KubeSchedulerConfiguration";
  for (const RuleSet& rules : loaded.sets) text += ", " + describe(rules);
  return text;
}

std::string describe(const ExtenderStanza& winnow) {
  std::string verbs;
  for (const std::string& verb :
       {winnow.filter_verb, winnow.prioritize_verb, winnow.preempt_verb, winnow.bind_verb})
    if (!verb.empty()) verbs += (verbs.empty() ? "" : ", ") + verb;
  return std::format("KubeSchedulerConfiguration, asks {} to {}", winnow.url_prefix, verbs);
}

/// Whether the text is a list of objects, as kubectl writes one.
bool is_list(const std::string& text) {
  const std::string_view start = std::string_view(text).substr(0, 4096);
  return std::ranges::any_of(std::array{"\"kind\": \"List\"", "\"kind\":\"List\"", "kind: List"},
                             [&](const char* const kind) { return start.contains(kind); }) ||
         (start.contains("\"items\"") && !start.contains("Policy"));
}

class Check {
 public:
  Check(const CheckFlags& flags, const Gates& gates, const std::optional<ClusterUses>& uses)
      : flags_(flags), gates_(gates), uses_(uses ? &*uses : nullptr) {}

  int run() {
    for (const std::string& file : flags_.files) check_rules(file);
    if (!flags_.scheduler_config.empty()) check_scheduler();
    const bool is_bad = report_.errors() > 0 || (flags_.strict && report_.warnings() > 0);
    return is_bad ? kBadInput : kDone;
  }

 private:
  struct Rules {
    std::string file;
    LoadedRules loaded;
  };

  void check_rules(const std::string& file) {
    const auto text = read_source(file, kMaxConfigBytes);
    if (!text) return report_.add(true, file, text.error());
    auto loaded = load_rules("f", *text, gates_);
    if (!loaded) {
      std::string why = loaded.error().substr(3);  // Without "f: ".
      if (is_list(*text)) why += "; objects of a cluster are checked by --cluster " + file;
      return report_.add(true, file, why);
    }
    const std::size_t before = report_.errors();
    for (const std::string& note : loaded->notes) report_.note(file, note);
    for (const std::string& warning : loaded->warnings) report_.add(false, file, warning);
    // kube-scheduler's own file, if given, shows more exactly which checks are left to the rules.
    if (flags_.start.answer == AnswerMode::kBest && flags_.scheduler_config.empty())
      for (const MissingRule& one : missing_for_best(*loaded))
        report_.add(!flags_.start.allow_missing_rules, file, one.text());
    if (report_.errors() == before) report_.ok(file, describe(*loaded));
    rules_.push_back({file, std::move(*loaded)});
  }

  void check_scheduler() {
    const std::string& file = flags_.scheduler_config;
    const auto unwrapped = read_unwrapped(file);
    if (!unwrapped) return report_.add(true, file, unwrapped.error());
    const auto setup = read_scheduler_setup(unwrapped->text);
    if (!setup) return report_.add(true, file, setup.error());
    if (!unwrapped->note.empty()) report_.note(file, unwrapped->note);
    if (flags_.files.empty()) {
      auto loaded = named_rules(kDefaultRules, gates_);
      if (!loaded) return report_.add(true, kDefaultRules, loaded.error());
      rules_.push_back({std::string(kDefaultRules), std::move(*loaded)});
    }
    const std::size_t before = report_.errors();
    for (const Rules& rules : rules_) hold_together(*setup, rules);
    if (report_.errors() == before)
      if (const ExtenderStanza* const winnow = find_winnow(*setup, flags_.start))
        report_.ok(file, describe(*winnow));
  }

  void hold_together(const SchedulerSetup& setup, const Rules& rules) {
    for (const Finding& finding : check_setup(setup, rules.loaded.sets, flags_.start, uses_)) {
      std::string line = finding.where + ": " + finding.what;
      if (std::ranges::find(told_, line) != told_.end()) continue;
      report_.add(finding.is_error, flags_.scheduler_config, line);
      told_.push_back(std::move(line));
    }
  }

  const CheckFlags& flags_;
  const Gates& gates_;
  const ClusterUses* uses_;
  Report report_;
  std::vector<Rules> rules_;
  std::vector<std::string> told_;  ///< Findings that several files of rules share are printed once.
};

// ---- a cluster alone ----

/// Prints what is found, or that nothing is. @param from  the file, or "cluster".
int list_findings(const State& state, std::span<const Service> services, std::string_view from, bool strict) {
  constexpr std::size_t kMost = 200;
  const std::vector<LintFinding> found = lint(state, services);
  Report report;
  for (const LintFinding& one : found | std::views::take(kMost)) report.add(false, from, one.text());
  if (found.size() > kMost) std::cout << "… and " << found.size() - kMost << " more\n";
  if (found.empty())
    report.ok("cluster", std::format("{} nodes, {} pods, nothing found that cannot work as meant",
                                     state.node_count(), state.pod_count()));
  return strict && !found.empty() ? kBadInput : kDone;
}

int look_through_files(const CommonFlags& common, const State::Options& options, bool strict) {
  const auto objects = read_cluster(common.cluster);
  if (!objects) return fail_check(objects.error().message);
  warn_of_fields(objects->warnings);
  warn_of_refused(objects->refused);
  const bool has_nodes = !objects->of<Node>().empty();
  if (!has_nodes || objects->of<Pod>().empty())
    return fail_check(
        std::format("{}: no {} is there: expected what 'kubectl get nodes,pods,services,poddisruptionbudgets,"
                    "priorityclasses,namespaces -A -o json' writes",
                    common.cluster.front(), has_nodes ? "Pod" : "Node"));
  State state(options);
  load(state, *objects);
  return list_findings(state, objects->of<Service>(),
                       common.cluster.size() == 1 ? common.cluster.front() : "cluster", strict);
}

int look_through(NamedCluster where, const CommonFlags& common, const Gates& gates, bool strict) {
  const auto rules = named_rules(kDefaultRules, gates);
  if (!rules) return fail_check(rules.error());
  if (where == NamedCluster::kFiles) return look_through_files(common, state_options(*rules), strict);
  const auto cache = live_snapshot(common, *rules, kLintNeeds);
  if (!cache) return fail_check(cache.error());
  return list_findings(*(*cache)->read(), {}, "cluster", strict);
}

}  // namespace

int check_files(const CommonFlags& common, const CheckFlags& flags) {
  const auto gates = parse_gates(common.feature_gates);
  if (!gates) return fail_check("--feature-gates: " + gates.error());
  const auto cluster = named_cluster(common);
  if (!cluster) return fail_check(cluster.error());
  if (flags.files.empty() && flags.scheduler_config.empty()) {
    if (*cluster != NamedCluster::kUnnamed) return look_through(*cluster, common, *gates, flags.strict);
    return fail_check(
        "nothing to check: name files of rules, --scheduler-config FILE, or a cluster by --cluster FILE or "
        "--kubeconfig FILE, or by KUBECONFIG");
  }
  const auto uses = uses_from(common);
  if (!uses) return fail_check(uses.error());
  return Check(flags, *gates, *uses).run();
}

}  // namespace winnow
