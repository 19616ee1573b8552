// The records of the rules that filter nodes: all that the program knows of a rule beside its code.
//
// predicates/ has one file a subject, with the rules of all generations side by side. A rule is a function
// that binds it to a request (cluster/rule/rule.h). A file ends with its records, a function FILE_records().
// What the program says and does about a rule follows from its record: configurations, what is watched,
// preemption, docs/rules.md, benchmarks. CMakeLists.txt lists the files; a new one needs a line there.
// predicates/ includes cluster/ only. rules.h has base classes that rules share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/at_gates.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/releases.h"
#include "cluster/rule/rule.h"

namespace winnow {

struct PodSpec;
struct PolicyArgument;

}  // namespace winnow

namespace winnow::predicates {

/// How a rule follows the dry run of a preemption, as pods leave a node and come back.
class FollowsBy {
 public:
  enum Way : std::uint8_t {
    kNever,       ///< The rule looks at no pods: no eviction turns its verdict.
    kBoundAgain,  ///< It has no trial: it is bound again after each change.
  };
  constexpr FollowsBy(Way way) : way_(way) {}
  constexpr FollowsBy(MakeTrial* make) : way_(kBoundAgain), make_(make) {}

  bool never() const { return make_ == nullptr && way_ == kNever; }
  /// Null: see `never`. Where the function makes no trial for a pod, the rule is bound again, too.
  MakeTrial* make_trial() const { return make_; }

 private:
  Way way_;
  MakeTrial* make_ = nullptr;
};
inline constexpr FollowsBy kNever = FollowsBy::kNever;
inline constexpr FollowsBy kBoundAgain = FollowsBy::kBoundAgain;

/// Whether a plugin's verdict about the pod may hang on these victims, which are on the node. The function
/// reads pods exactly as the plugin's Filter does.
using TurnedByEviction = bool(const PodSpec& pod, std::span<const PodSpec* const> victims);

/// Who filters where Winnow decides alone: with --answer=best, and manifests/kube-scheduler-best.yaml.
enum class Best : std::uint8_t {
  kWinnow,         ///< The file switches the plugin off in kube-scheduler.
  kKubeScheduler,  ///< The plugin stays on there: preemption or reserving needs it. Winnow filters as well.
};

/// Which classic predicates check what a plugin checks.
struct ClassicCheck {
  std::string_view predicate = {};     ///< The one to name; "": there is none.
  std::string_view also = {};          ///< Another one that does.
  std::string_view lacking = {};       ///< What of the plugin's check these do not know; "": nothing.
  bool skips_init_containers = false;  ///< They read a pod's containers alone.
};

/// Whether, with these arguments, the Filter reads what the PreFilter has prepared.
using UsesPreFilter = bool(const Arguments&);

struct Record {
  std::string_view name;  ///< As a Policy or a KubeSchedulerConfiguration names it.
  Required<RuleOrigin> origin;
  BindPredicate* bind;
  Required<WatchedKinds> needs;                   ///< The kinds that it reads, nodes and pods apart.
  Reads reads = Reads::kCluster;                  ///< What its verdicts depend on.
  Reads (*reads_by)(const Arguments&) = nullptr;  ///< The same by its arguments; null: `reads` says it.
  Required<FollowsBy> follows_by;
  Required<FindCauses*> causes;  ///< Finds the facts behind its refusals, for an explanation.
  AsksFor* facts = nullptr;      ///< The numbers of nodes that it reads by View::fact(); null: none.

  // Of a classic predicate.
  std::array<std::string_view, 2> aliases = {};  ///< Older names that a Policy may still use; "": none.
  AtGates aliases_known = AtGates::kNoGates;     ///< Where v1.16 accepts these. It never runs them.
  const PolicyArgument* argument = nullptr;      ///< Its argument in a Policy; null: it takes none.
  AtGates known = AtGates::kAllGates;            ///< Where v1.16 has the name.
  AtGates by_default = AtGates::kNoGates;        ///< Where the default provider has it.
  AtGates mandatory = AtGates::kNoGates;         ///< Where it runs whether a Policy names it or not.

  // Of a plugin.
  std::string_view checks = {};  ///< What goes unchecked without it, for messages: `no rule for …`.
  ClassicCheck classic = {};
  Best best = Best::kWinnow;                       ///< Of a plugin of kube-scheduler's.
  TurnedByEviction* turned_by_eviction = nullptr;  ///< Null: no eviction turns its verdict.
  /// The error of its Filter where its PreFilter is not enabled; "" if the Filter works without.
  std::string_view without_pre_filter = {};
  UsesPreFilter* uses_pre_filter = nullptr;  ///< Null: whatever its arguments are.
  /// Whether its PreFilter may Skip: a null binding is then a Skip. Otherwise it means "fits everywhere".
  bool may_skip = true;
  /// The plugin in each release of kube-scheduler. In 1.37 a removed plugin, or one of Winnow's own, is as a
  /// v1 file has it for Winnow.
  Releases releases = {};

  bool is_own() const { return origin == RuleOrigin::kRemoved || origin == RuleOrigin::kWinnow; }
  /// Whether Winnow alone runs the plugin with --answer=best, and kube-scheduler has it.
  bool left_to_winnow() const { return !is_own() && best == Best::kWinnow; }
};

/// The records of one file.
using Records = std::span<const Record>();

/// The classic predicates in upstream's order of evaluation (predicates.go predicatesOrdering v1.16.15);
/// those that it lacks follow by name.
std::span<const Record> classic();
/// The plugins in the order in which upstream's default profile filters, then the others by name.
/// Upstream: pkg/scheduler/apis/config/v1/default_plugins.go v1.37.0.
std::span<const Record> plugins();

/// The record of a classic predicate, by its name or an older one; null if there is none.
const Record* find_classic(std::string_view name);
/// The record of the predicate that this member of a Policy's `argument` makes; null if there is none.
const Record* find_classic_taking(std::string_view argument);
/// Every name that find_classic takes.
std::vector<std::string_view> classic_names();
/// The record of a plugin; null if there is none of this name.
const Record* find_plugin(std::string_view name);
/// The record of a rule, by its function; null if no record has it, as of a rule that only returns an error.
const Record* find_record(BindPredicate* rule);

/// A plugin whose every verdict is an error. Its arguments are FailsWith.
BindPredicate fails;

}  // namespace winnow::predicates
