// The tables that predicates/ and priorities/ make of their records: their order, and look-ups in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "cluster/rule/policy_argument.h"
#include "cluster/rule/releases.h"

namespace winnow {

/// The records of classic rules, or of plugins, in order of their places and then by name.
/// @param families  functions that give the records of one file each.
template <class Record, class Families>
std::vector<Record> sorted_records(const Families& families, bool classic,
                                   std::size_t (*place)(std::string_view)) {
  std::vector<Record> all;
  for (auto* const family : families)
    for (const Record& record : family())
      if ((record.origin == RuleOrigin::kClassic) == classic) all.push_back(record);
  std::ranges::stable_sort(
      all, {}, [place](const Record& record) { return std::tuple(place(record.name), record.name); });
  return all;
}

/// The first record for which `is` holds; null if there is none.
template <class Record, class Is>
const Record* find_record_if(std::span<const Record> records, const Is& is) {
  const auto found = std::ranges::find_if(records, is);
  return found == records.end() ? nullptr : &*found;
}

/// The record of a name; null if there is none. Without a name no record is meant.
template <class Record>
const Record* find_record_named(std::span<const Record> records, std::string_view name) {
  if (name.empty()) return nullptr;
  return find_record_if(records, [name](const Record& record) { return record.name == name; });
}

/// The record of the rule that this member of a Policy's `argument` makes; null if there is none.
template <class Record>
const Record* find_record_taking(std::span<const Record> records, std::string_view argument) {
  return find_record_if(records, [argument](const Record& record) {
    return record.argument && record.argument->name == argument;
  });
}

/// The record with this function, of a classic rule first; null if no record has it.
template <class Record, class Bind>
const Record* find_record_bound(std::span<const Record> classic, std::span<const Record> plugins,
                                Bind* rule) {
  const auto is_it = [rule](const Record& record) { return record.bind == rule; };
  const Record* const found = find_record_if(classic, is_it);
  return found != nullptr ? found : find_record_if(plugins, is_it);
}

}  // namespace winnow
