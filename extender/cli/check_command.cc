// `winnow check`: checks files of rules, and kube-scheduler's own configuration with them, before they are
// used.
#include <algorithm>
#include <format>
#include <iostream>

#include "cluster/text/characters.h"
#include "cluster/text/source.h"
#include "extender/cli/cluster_asker.h"
#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/config/scheduler_setup.h"
#include "extender/operate/setup_check.h"

namespace winnow {
namespace {

constexpr std::string_view kNoFile = "default provider";

int fail(const std::string& line) {
  stderr_line("winnow check: " + line);
  return kBadInput;
}

/// Prints a line for each finding, and remembers whether one is an error.
class Report {
 public:
  void add(bool is_error, std::string_view file, std::string_view what) {
    std::cout << one_line(file) << (is_error ? ": error: " : ": warning: ") << one_line(what, kMostLineBytes)
              << '\n';
    errors_ += is_error ? 1 : 0;
  }
  void ok(std::string_view file, std::string_view what) {
    std::cout << one_line(file) << ": ok: " << one_line(what, kMostLineBytes) << '\n';
  }
  std::size_t errors() const { return errors_; }

 private:
  std::size_t errors_ = 0;
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

class Check {
 public:
  Check(const CheckFlags& flags, const Gates& gates, const std::optional<ClusterUses>& uses)
      : flags_(flags), gates_(gates), uses_(uses ? &*uses : nullptr) {}

  int run() {
    for (const std::string& file : flags_.files) check_rules(file);
    if (!flags_.scheduler_config.empty()) check_scheduler();
    return report_.errors() == 0 ? kDone : kBadInput;
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
    if (!loaded)
      return report_.add(true, file, std::string_view(loaded.error()).substr(3));  // Without "f: ".
    const std::size_t before = report_.errors();
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
    const auto text = read_source(file, kMaxConfigBytes);
    if (!text) return report_.add(true, file, text.error());
    const auto setup = read_scheduler_setup(*text);
    if (!setup) return report_.add(true, file, setup.error());
    if (flags_.files.empty()) rules_.push_back({std::string(kNoFile), default_rules(gates_)});
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

}  // namespace

int check_files(const CommonFlags& common, const CheckFlags& flags) {
  const auto gates = parse_gates(common.feature_gates);
  if (!gates) return fail("--feature-gates: " + gates.error());
  if (flags.files.empty() && flags.scheduler_config.empty())
    return fail("nothing to check: name files of rules, or --scheduler-config FILE");
  const auto uses = uses_from(common);
  if (!uses) return fail(uses.error());
  return Check(flags, *gates, *uses).run();
}

}  // namespace winnow
