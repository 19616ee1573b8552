#include "priorities/records.h"

#include <algorithm>
#include <tuple>

#include "cluster/rule/default_profile.h"
#include "cluster/rule/policy_argument.h"
#include "priorities/families.h"

namespace winnow::priorities {
namespace {

/// A rule that exists only by its argument comes last.
std::size_t classic_place(std::string_view name) { return name.empty() ? 1 : 0; }

/// The records of classic priorities, or of plugins, in order of their places and then by name.
std::vector<Record> sorted(bool classic, std::size_t (*place)(std::string_view)) {
  std::vector<Record> all;
  for (Records* const family : kFamilies)
    for (const Record& record : family())
      if ((record.origin == RuleOrigin::kClassic) == classic) all.push_back(record);
  std::ranges::stable_sort(
      all, {}, [place](const Record& record) { return std::tuple(place(record.name), record.name); });
  return all;
}

const Record* find_bind(std::span<const Record> records, BindPriority* rule) {
  const auto found = std::ranges::find(records, rule, &Record::bind);
  return found == records.end() ? nullptr : &*found;
}

const Record* find_name(std::span<const Record> records, std::string_view name) {
  const auto found = std::ranges::find(records, name, &Record::name);
  return name.empty() || found == records.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Record> classic() {
  static const std::vector<Record> kAll = sorted(/*classic=*/true, classic_place);
  return kAll;
}

std::span<const Record> plugins() {
  static const std::vector<Record> kAll = sorted(/*classic=*/false, default_place);
  return kAll;
}

const Record* find_classic(std::string_view name) { return find_name(classic(), name); }

const Record* find_classic_taking(std::string_view argument) {
  const auto all = classic();
  const auto found = std::ranges::find_if(
      all, [argument](const Record& record) { return record.argument && record.argument->name == argument; });
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string_view> classic_names() {
  std::vector<std::string_view> names;
  for (const Record& record : classic())
    if (!record.name.empty()) names.push_back(record.name);
  return names;
}

const Record* find_plugin(std::string_view name) { return find_name(plugins(), name); }

const Record* find_record(BindPriority* rule) {
  const Record* const found = find_bind(classic(), rule);
  return found != nullptr ? found : find_bind(plugins(), rule);
}

std::expected<std::unique_ptr<const Priority>, std::string> fails(const Request&,
                                                                  const Arguments& arguments) {
  return std::unexpected(arguments.get<FailsWith>().error);
}

std::expected<std::unique_ptr<const Priority>, std::string> scores_nothing(const Request&, const Arguments&) {
  return nullptr;
}

}  // namespace winnow::priorities
