#include "extender/config/policy_arguments.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/rule/policy_argument.h"
#include "cluster/text/words.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace {

using PolicyArguments = std::vector<const PolicyArgument*>;

/// The arguments that the records name.
template <class Record>
PolicyArguments arguments_of(std::span<const Record> classic, std::span<const Record> plugins) {
  PolicyArguments all;
  for (const std::span<const Record> records : {classic, plugins})
    for (const Record& record : records)
      if (record.argument != nullptr) all.push_back(record.argument);
  return all;
}

PolicyArguments arguments_of(RuleKind kind) {
  return kind == RuleKind::kPredicate ? arguments_of(predicates::classic(), predicates::plugins())
                                      : arguments_of(priorities::classic(), priorities::plugins());
}

std::vector<std::string_view> names_of(const PolicyArguments& arguments) {
  std::vector<std::string_view> names;
  for (const PolicyArgument* const argument : arguments) names.push_back(argument->name);
  std::ranges::sort(names);
  return names;
}

/// Adds a note for each field of the value, and of what is in it, that is not of its type.
void note_unknown(const Reader& value, const FieldType& type, std::string& error,
                  std::vector<std::string>& notes) {
  if (type.kind == FieldKind::kList && value.value().IsArray())
    value.for_each_element([&](const Reader& element) {
      note_unknown(element, *type.element, error, notes);
      return true;
    });
  if (type.kind != FieldKind::kObject || !value.value().IsObject()) return;
  std::vector<std::string_view> known;
  for (const Field& field : type.fields) known.push_back(field.name);
  note_unknown_fields(value, known, error, notes);
  for (const Field& field : type.fields)
    value.for_each_member([&](std::string_view key, const Reader& member) {
      if (key == field.name) note_unknown(member, *field.type, error, notes);
      return true;
    });
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  return list;
}

/// Upstream requires exactly one member that is not null.
bool check_one_member(const Reader& argument, const std::vector<std::string_view>& mine,
                      const std::vector<std::string_view>& others, std::string_view others_are) {
  for (const std::string_view other : others)
    if (argument.has(other) && !std::ranges::contains(mine, other))
      return argument.complain(std::format("{} is an argument of {}", other, others_are));
  const auto given =
      std::ranges::count_if(mine, [&](std::string_view member) { return argument.has(member); });
  return given == 1 ||
         argument.complain(std::format("exactly 1 of {} is required, {} are given", listed(mine), given));
}

}  // namespace

void note_unknown_fields(const Reader& object, std::span<const std::string_view> known, std::string& error,
                         std::vector<std::string>& notes) {
  object.for_each_member([&](std::string_view key, const Reader& member) {
    if (std::ranges::find(known, key) != known.end()) return true;
    member.complain("not a field of a Policy, ignored" + did_you_mean(key, known));
    notes.push_back(std::exchange(error, {}));
    return true;
  });
}

std::vector<Field> policy_argument_fields() {
  std::vector<Field> all;
  for (const RuleKind kind : {RuleKind::kPredicate, RuleKind::kPriority})
    for (const PolicyArgument* const one : arguments_of(kind))
      if (!std::ranges::contains(all, one->name, &Field::name)) all.push_back({one->name, &one->type});
  return all;
}

std::string policy_argument_names(RuleKind kind) {
  const auto names = names_of(arguments_of(kind));
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text.append(i == 0 ? "" : i + 1 < names.size() ? ", " : " or ").append(names[i]);
  return text;
}

bool read_argument(const Reader& argument, RuleKind kind, PolicyEntryArgument& target, std::string& error,
                   std::vector<std::string>& notes) {
  const bool is_predicate = kind == RuleKind::kPredicate;
  const PolicyArguments mine = arguments_of(kind);
  const auto names = names_of(mine);
  note_unknown_fields(argument, names, error, notes);
  if (!check_one_member(argument, names,
                        names_of(arguments_of(is_predicate ? RuleKind::kPriority : RuleKind::kPredicate)),
                        is_predicate ? "priorities" : "predicates"))
    return false;
  return std::ranges::all_of(mine, [&](const PolicyArgument* one) {
    return argument.within(one->name, [&](const Reader& member) {
      note_unknown(member, one->type, error, notes);
      target.name = one->name;
      return one->read(member, target.value);
    });
  });
}

}  // namespace winnow
