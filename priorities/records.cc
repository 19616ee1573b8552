#include "priorities/records.h"

#include "cluster/rule/default_profile.h"
#include "cluster/rule/record_table.h"
#include "priorities/families.h"

namespace winnow::priorities {
namespace {

/// A rule that exists only by its argument comes last.
std::size_t classic_place(std::string_view name) { return name.empty() ? 1 : 0; }

}  // namespace

std::span<const Record> classic() {
  static const std::vector<Record> kAll = sorted_records<Record>(kFamilies, /*classic=*/true, classic_place);
  return kAll;
}

std::span<const Record> plugins() {
  static const std::vector<Record> kAll = sorted_records<Record>(kFamilies, /*classic=*/false, default_place);
  return kAll;
}

const Record* find_classic(std::string_view name) { return find_record_named(classic(), name); }

const Record* find_classic_taking(std::string_view argument) {
  const Record* const found = find_record_taking(classic(), argument);
  return found != nullptr ? found : find_record_taking(plugins(), argument);
}

std::vector<std::string_view> classic_names() {
  std::vector<std::string_view> names;
  for (const Record& record : classic())
    if (!record.name.empty()) names.push_back(record.name);
  return names;
}

const Record* find_plugin(std::string_view name) { return find_record_named(plugins(), name); }

const Record* find_record(BindPriority* rule) { return find_record_bound(classic(), plugins(), rule); }

std::expected<std::unique_ptr<const Priority>, std::string> fails(const Request&,
                                                                  const Arguments& arguments) {
  return std::unexpected(arguments.get<FailsWith>().error);
}

std::expected<std::unique_ptr<const Priority>, std::string> scores_nothing(const Request&, const Arguments&) {
  return nullptr;
}

}  // namespace winnow::priorities
