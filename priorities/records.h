// The records of the rules that score nodes: all that the program knows of a rule beside its code.
//
// priorities/ has one file a subject, with the rules of all generations side by side. A rule is a function
// that binds it to a request (cluster/rule/rule.h). A file ends with its records, a function FILE_records().
// CMakeLists.txt lists the files; a new one needs a line there. A plugin that filters, too, has a record in
// predicates/ as well. priorities/ includes cluster/ only. rules.h has base classes that rules share.
#pragma once

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
struct PolicyArgument;
}  // namespace winnow

namespace winnow::priorities {

/// A plugin that fails every call. Its arguments are FailsWith.
BindPriority fails;
/// A plugin that gives every node 0.
BindPriority scores_nothing;

/// Whether, with these arguments, a rule reads devices, too: needs::kDevices, and Reads::kCluster.
using ReadsDevices = bool(const Arguments&);

struct Record {
  /// As a Policy or a KubeSchedulerConfiguration names it; "" for a classic rule that exists only by its
  /// argument.
  std::string_view name;
  Required<RuleOrigin> origin;
  BindPriority* bind;
  Required<WatchedKinds> needs;                   ///< The kinds that it reads, nodes and pods apart.
  Reads reads = Reads::kCluster;                  ///< What its raw scores depend on.
  Reads (*reads_by)(const Arguments&) = nullptr;  ///< The same by its arguments; null: `reads` says it.
  ReadsDevices* reads_devices = nullptr;          ///< Null: it never does.
  AsksFor* facts = nullptr;       ///< The numbers of nodes that it reads by View::fact(); null: none.
  FindCauses* made_by = nullptr;  ///< Finds the facts that made its scores, for an explanation; null: none.

  // Of a classic priority.
  bool has_map = true;  ///< False if upstream scores in one step, so that there is no raw score to show.
  const PolicyArgument* argument = nullptr;  ///< Its argument in a Policy; null: it takes none.
  AtGates known = AtGates::kAllGates;        ///< Where v1.16 has the name.
  AtGates by_default = AtGates::kNoGates;    ///< Where the default provider has it.
  std::int64_t default_weight = 1;           ///< Its weight there.

  // Of a plugin.
  /// The error of its Score where its PreScore is not enabled; "" if Score works without.
  std::string_view without_pre_score = {};
  BindPriority* failing = fails;  ///< What runs then, with FailsWith as its arguments.
  /// Whether its PreScore may Skip: a null binding is then a Skip. Otherwise it means "0 for every node".
  bool may_skip = true;
  /// Its error where its PreFilter is not enabled, at PreScore or else at Score; "" if they work without.
  std::string_view without_pre_filter = {};
  /// Whether it scores what its Filter has found. If Filter is not enabled, every node then gets 0.
  bool scores_its_filters = false;
  bool scores_nothing_before_1_37 = false;  ///< Its score was 0 for every node, at the default gates.
  std::int32_t absent_weight = 1;           ///< Where a v1 file enables the plugin without a weight.
  /// The plugin's part in scoring in each release; see the record in predicates/ for its other points.
  Releases releases = {};
};

/// The records of one file.
using Records = std::span<const Record>();

/// The classic priorities by name; those without a name come last. Upstream evaluates them in that order.
std::span<const Record> classic();
/// The plugins in the order in which upstream's default profile scores, then the others by name.
/// Upstream: pkg/scheduler/apis/config/v1/default_plugins.go v1.37.0.
std::span<const Record> plugins();

/// The record of a classic priority; null if there is none of this name.
const Record* find_classic(std::string_view name);
/// The record of the priority that this member of a Policy's `argument` makes; null if there is none.
const Record* find_classic_taking(std::string_view argument);
/// Every name that find_classic takes.
std::vector<std::string_view> classic_names();
/// The record of a plugin; null if there is none of this name.
const Record* find_plugin(std::string_view name);
/// The record of a rule, by its function; null if no record has it, as of a rule that only returns an error.
const Record* find_record(BindPriority* rule);

}  // namespace winnow::priorities
