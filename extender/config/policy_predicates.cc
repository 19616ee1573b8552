// Makes configured predicates, in order of evaluation, from a Policy's entries or the default provider's.
#include <algorithm>
#include <cstddef>
#include <format>
#include <string>
#include <unordered_map>
#include <utility>

#include "cluster/rule/expression_args.h"
#include "cluster/rule/policy_argument.h"
#include "cluster/text/go_format.h"
#include "extender/config/gates.h"
#include "extender/config/policy_file.h"
#include "extender/config/policy_rules.h"
#include "extender/config/rule_names.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"

namespace winnow {
namespace {

using Result = std::expected<void, std::string>;

/// The row with exactly this name. Aliases do not count: upstream's order has these names only.
const predicates::Record* row_named(std::string_view name) {
  const auto rows = predicates::classic();
  const auto row = std::ranges::find(rows, name, &predicates::Record::name);
  return row == rows.end() ? nullptr : &*row;
}

/// The position of a predicate in the order: that of its name. If upstream's order lacks the name, it is that
/// of the predicate's kind; and a kind that v1.16 lacks comes last.
std::size_t slot(const ConfiguredPredicate& predicate) {
  const predicates::Record* row = row_named(predicate.name);
  if (row == nullptr) row = predicates::find_record(predicate.bind);
  const auto rows = predicates::classic();
  const bool is_classic = row->origin == RuleOrigin::kClassic;
  return is_classic ? static_cast<std::size_t>(row - rows.data()) : rows.size();
}

class PredicateMaker {
 public:
  PredicateMaker(const Gates& gates, Notes& notes) : gates_(gates), notes_(notes) {}

  Result add(std::size_t index, PolicyPredicate entry) {
    path_ = std::format("predicates[{}]", index);
    if (entry.name.empty()) return fail("is missing");
    return !entry.argument.name.empty() ? add_argued(std::move(entry)) : add_plain(std::move(entry));
  }

  void add_default() {
    for (const predicates::Record& row : predicates::classic())
      if (holds(row.by_default, gates_)) add_known(row);
  }

  void add_mandatory() {
    for (const predicates::Record& row : predicates::classic()) {
      if (!holds(row.mandatory, gates_) || find(row.name) != nullptr) continue;
      add_known(row);
      notes_.push_back(std::format("predicates: {} is mandatory, added", row.name));
    }
  }

  std::vector<ConfiguredPredicate> finish() {
    std::ranges::stable_sort(made_, {}, slot);
    return std::move(made_);
  }

 private:
  Result add_argued(PolicyPredicate entry) {
    if (!is_valid_rule_name(entry.name)) {
      return fail(
          std::format("{} does not match [a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])", go_quote(entry.name)));
    }
    const predicates::Record* const row = predicates::find_classic_taking(entry.argument.name);
    if (row == nullptr) return fail(std::format("no predicate takes {}", entry.argument.name));
    note_argued(entry, *row);
    Arguments arguments = with_name(std::move(entry.argument.value), entry.name);
    put({std::move(entry.name), row->bind, std::move(arguments)});
    return {};
  }

  void note_argued(const PolicyPredicate& entry, const predicates::Record& row) {
    const predicates::Record* const named = row_named(entry.name);
    if (named == &row) return;
    if (named != nullptr) {
      note(std::format("{} makes {} a {}", entry.argument.name, entry.name, row.name));
    } else if (!row.is_own()) {
      note(std::format("{} runs here, as {}; v1.16 accepts a predicate under such a name and never runs it",
                       entry.name, row.name));
    }
  }

  Result add_plain(PolicyPredicate entry) {
    if (find(entry.name) != nullptr) {
      note(std::format("{} is there twice, this one changes nothing", entry.name));
      return {};
    }
    const predicates::Record* const row = predicates::find_classic(entry.name);
    if (row == nullptr) return fail(unknown_rule(RuleKind::kPredicate, entry.name));
    if (row->argument != nullptr)
      return fail(std::format("{} needs an argument: {}", go_quote(entry.name), row->argument->name));
    if (const auto departs = departure(entry.name, gates_); !departs.empty())
      note(std::format("{} {}", entry.name, departs));
    put({std::move(entry.name), row->bind, {}});
    return {};
  }

  void add_known(const predicates::Record& row) { append({std::string(row.name), row.bind, {}}); }

  void put(ConfiguredPredicate predicate) {
    if (ConfiguredPredicate* const same = find(predicate.name)) {
      note(std::format("{} is there twice, this one counts", predicate.name));
      *same = std::move(predicate);
    } else {
      append(std::move(predicate));
    }
  }

  void append(ConfiguredPredicate predicate) {
    places_.try_emplace(predicate.name, made_.size());
    made_.push_back(std::move(predicate));
  }

  ConfiguredPredicate* find(std::string_view name) {
    const auto found = places_.find(std::string(name));
    return found == places_.end() ? nullptr : &made_[found->second];
  }

  Result fail(std::string_view what) const {
    return std::unexpected(std::format("{}.name: {}", path_, what));
  }
  void note(std::string_view what) { notes_.push_back(std::format("{}: {}", path_, what)); }

  const Gates& gates_;
  Notes& notes_;
  std::string path_;
  std::vector<ConfiguredPredicate> made_;
  std::unordered_map<std::string, std::size_t> places_;  ///< In made_, by name.
};

}  // namespace

std::expected<std::vector<ConfiguredPredicate>, std::string> make_predicates(
    std::vector<PolicyPredicate> entries, const Gates& gates, Notes& notes) {
  PredicateMaker maker(gates, notes);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (auto added = maker.add(i, std::move(entries[i])); !added)
      return std::unexpected(std::move(added).error());
  }
  maker.add_mandatory();
  return maker.finish();
}

std::vector<ConfiguredPredicate> default_predicates(const Gates& gates) {
  Notes silent;
  PredicateMaker maker(gates, silent);
  maker.add_default();
  return maker.finish();
}

}  // namespace winnow
