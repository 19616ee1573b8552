// Makes configured priorities, sorted by name, from a Policy's entries or the default provider's.
#include <algorithm>
#include <format>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "cluster/rule/expression_args.h"
#include "cluster/text/go_format.h"
#include "extender/config/gates.h"
#include "extender/config/policy_file.h"
#include "extender/config/policy_rules.h"
#include "extender/config/rule_names.h"
#include "extender/engine/ruleset.h"
#include "priorities/records.h"

namespace winnow {
namespace {

using Result = std::expected<void, std::string>;

// Upstream: MaxPriority, MaxTotalPriority and MaxWeight of pkg/scheduler/api/types.go v1.16.15. Upstream
// refuses MaxWeight itself, so the greatest weight here is one less.
constexpr std::int64_t kMaxPriority = 10;
constexpr std::int64_t kMaxTotal = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMaxWeight = kMaxTotal / kMaxPriority - 1;

class PriorityMaker {
 public:
  PriorityMaker(const Gates& gates, Notes& notes) : gates_(gates), notes_(notes) {}

  Result add(std::size_t index, PolicyPriority entry) {
    path_ = std::format("priorities[{}]", index);
    if (entry.name.empty()) return fail("name", "is missing");
    if (entry.weight < 1 || entry.weight > kMaxWeight) {
      return fail("weight", std::format("{} is out of range (1 to {})", entry.weight, kMaxWeight));
    }
    return !entry.argument.name.empty() ? add_argued(std::move(entry)) : add_plain(std::move(entry));
  }

  void add_default() {
    for (const priorities::Record& row : priorities::classic())
      if (holds(row.by_default, gates_))
        append({std::string(row.name), row.bind, {}, row.default_weight, row.has_map});
  }

  /// Refuses weights whose sum overflows. Upstream: validateSelectedConfigs of factory/plugins.go v1.16.15,
  /// in its words.
  Result check_total() const {
    std::int64_t left = kMaxTotal;
    for (const ConfiguredPriority& priority : made_) {
      if (priority.weight * kMaxPriority > left)
        return std::unexpected("priorities: total priority of priority functions has overflown");
      left -= priority.weight * kMaxPriority;
    }
    return {};
  }

  std::vector<ConfiguredPriority> finish() {
    std::ranges::sort(made_, {}, &ConfiguredPriority::name);
    return std::move(made_);
  }

 private:
  Result add_argued(PolicyPriority entry) {
    if (!is_valid_rule_name(entry.name)) {
      return fail("name", std::format("{} does not match [a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])",
                                      go_quote(entry.name)));
    }
    const priorities::Record* const row = priorities::find_classic_taking(entry.argument.name);
    if (row == nullptr) return fail("name", std::format("no priority takes {}", entry.argument.name));
    const bool is_own = entry.name == "RequestedToCapacityRatioPriority" &&
                        entry.argument.name == "requestedToCapacityRatioArguments";
    if (!is_own && priorities::find_classic(entry.name) != nullptr) {
      note(std::format("{} takes the place of {}", entry.argument.name, entry.name));
    }
    Arguments arguments = with_name(std::move(entry.argument.value), entry.name);
    put({std::move(entry.name), row->bind, std::move(arguments), entry.weight, row->has_map});
    return {};
  }

  Result add_plain(PolicyPriority entry) {
    if (ConfiguredPriority* const same = find(entry.name)) {
      note(std::format("{} is there twice, this weight counts", entry.name));
      same->weight = entry.weight;
      return {};
    }
    const priorities::Record* const row = priorities::find_classic(entry.name);
    if (row == nullptr) return fail("name", unknown_rule(RuleKind::kPriority, entry.name));
    if (const auto departs = departure(entry.name, gates_); !departs.empty())
      note(std::format("{} {}", entry.name, departs));
    put({std::move(entry.name), row->bind, {}, entry.weight, row->has_map});
    return {};
  }

  void put(ConfiguredPriority priority) {
    if (ConfiguredPriority* const same = find(priority.name)) {
      note(std::format("{} is there twice, this one counts", priority.name));
      *same = std::move(priority);
    } else {
      append(std::move(priority));
    }
  }

  void append(ConfiguredPriority priority) {
    places_.try_emplace(priority.name, made_.size());
    made_.push_back(std::move(priority));
  }

  ConfiguredPriority* find(std::string_view name) {
    const auto found = places_.find(std::string(name));
    return found == places_.end() ? nullptr : &made_[found->second];
  }

  Result fail(std::string_view field, std::string_view what) const {
    return std::unexpected(std::format("{}.{}: {}", path_, field, what));
  }
  void note(std::string_view what) { notes_.push_back(std::format("{}: {}", path_, what)); }

  const Gates& gates_;
  Notes& notes_;
  std::string path_;
  std::vector<ConfiguredPriority> made_;
  std::unordered_map<std::string, std::size_t> places_;  ///< In made_, by name.
};

}  // namespace

std::expected<std::vector<ConfiguredPriority>, std::string> make_priorities(
    std::vector<PolicyPriority> entries, const Gates& gates, Notes& notes) {
  PriorityMaker maker(gates, notes);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (auto added = maker.add(i, std::move(entries[i])); !added)
      return std::unexpected(std::move(added).error());
  }
  if (auto total = maker.check_total(); !total) return std::unexpected(std::move(total).error());
  return maker.finish();
}

std::vector<ConfiguredPriority> default_priorities(const Gates& gates) {
  Notes silent;
  PriorityMaker maker(gates, silent);
  maker.add_default();
  return maker.finish();
}

}  // namespace winnow
