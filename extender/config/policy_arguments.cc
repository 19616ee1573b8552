#include "extender/config/policy_arguments.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/text/words.h"

namespace winnow {
namespace {

constexpr std::string_view kPredicateArguments[] = {"serviceAffinity", "labelsPresence"};
constexpr std::string_view kPriorityArguments[] = {"serviceAntiAffinity", "labelPreference",
                                                   "requestedToCapacityRatioArguments"};
constexpr std::string_view kLabels[] = {"labels"};
constexpr std::string_view kLabel[] = {"label"};
constexpr std::string_view kLabelsAndPresence[] = {"labels", "presence"};
constexpr std::string_view kLabelAndPresence[] = {"label", "presence"};
constexpr std::string_view kRatioFields[] = {"shape", "resources"};
constexpr std::string_view kPointFields[] = {"utilization", "score"};
constexpr std::string_view kResourceFields[] = {"name", "weight"};
constexpr std::int64_t kMaxUtilization = 100;
constexpr std::int64_t kMaxShapeScore = 10;

/// The error for a shape; "" if it is valid.
/// Upstream: NewFunctionShape of priorities/requested_to_capacity_ratio.go v1.16.15, in its words.
std::string shape_error(std::span<const UtilizationPoint> points) {
  if (points.empty()) return "at least one point must be specified";
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::int64_t before = points[i - 1].utilization;
    const std::int64_t after = points[i].utilization;
    if (before >= after) {
      return std::format("utilization values must be sorted. Utilization[{}]=={} >= Utilization[{}]=={}",
                         i - 1, before, i, after);
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [utilization, score] = points[i];
    if (utilization < 0)
      return std::format("utilization values must not be less than 0. Utilization[{}]=={}", i, utilization);
    if (utilization > kMaxUtilization)
      return std::format("utilization values must not be greater than 100. Utilization[{}]=={}", i,
                         utilization);
    if (score < 0) return std::format("score values must not be less than 0. Score[{}]=={}", i, score);
    if (score > kMaxShapeScore)
      return std::format("score values must not be greater than 10. Score[{}]=={}", i, score);
  }
  return {};
}

/// Upstream: buildScoringFunctionShapeFromRequestedToCapacityRatioArguments of factory/plugins.go v1.16.15. A
/// weight of 0 is 1, the last of equal names counts, and an empty list is cpu and memory. Upstream only logs
/// a negative weight, and then divides by a sum of any sign. Here it is an error.
bool add_resource(const Reader& element, WeighedResource resource, std::vector<WeighedResource>& to) {
  if (resource.weight < 0) return element.complain(std::format("weight: {} is less than 0", resource.weight));
  if (resource.weight == 0) resource.weight = 1;
  const auto same = std::ranges::find(to, resource.name, &WeighedResource::name);
  if (same == to.end()) {
    to.push_back(std::move(resource));
  } else {
    *same = std::move(resource);
  }
  return true;
}

/// Reads the members of one `argument`. Adds a note for each unknown field.
class ArgumentReader {
 public:
  ArgumentReader(std::string& error, std::vector<std::string>& notes) : error_(error), notes_(notes) {}

  bool read_presence(const Reader& member, LabelsPresence& target) {
    note(member, kLabelsAndPresence);
    return member.read("labels", target.labels) && member.read("presence", target.presence);
  }

  bool read_affinity(const Reader& member, ServiceAffinityLabels& target) {
    note(member, kLabels);
    return member.read("labels", target.labels);
  }

  bool read_anti_affinity(const Reader& member, ServiceAntiAffinityLabel& target) {
    note(member, kLabel);
    return member.read("label", target.label);
  }

  bool read_preference(const Reader& member, LabelPreference& target) {
    note(member, kLabelAndPresence);
    return member.read("label", target.label) && member.read("presence", target.presence);
  }

  bool read_ratio(const Reader& member, CapacityRatioShape& target) {
    note(member, kRatioFields);
    const bool read =
        member.for_each_in("shape", [&](const Reader& point) { return read_point(point, target); }) &&
        member.for_each_in("resources",
                           [&](const Reader& resource) { return read_resource(resource, target); });
    if (!read) return false;
    if (const std::string wrong = shape_error(target.points); !wrong.empty())
      return member.complain("shape: " + wrong);
    if (target.resources.empty()) target.resources = {{"cpu", 1}, {"memory", 1}};
    return true;
  }

 private:
  bool read_point(const Reader& element, CapacityRatioShape& target) {
    if (!element.expect_object()) return false;
    note(element, kPointFields);
    UtilizationPoint& point = target.points.emplace_back();
    return element.read("utilization", point.utilization) && element.read("score", point.score);
  }

  bool read_resource(const Reader& element, CapacityRatioShape& target) {
    if (!element.expect_object()) return false;
    note(element, kResourceFields);
    WeighedResource resource{.name = {}, .weight = 0};
    return element.read("name", resource.name) && element.read("weight", resource.weight) &&
           add_resource(element, std::move(resource), target.resources);
  }

  void note(const Reader& object, std::span<const std::string_view> known) {
    note_unknown_fields(object, known, error_, notes_);
  }

  std::string& error_;
  std::vector<std::string>& notes_;
};

/// Upstream requires exactly one member that is not null.
bool check_one_member(const Reader& argument, std::span<const std::string_view> mine,
                      std::span<const std::string_view> others, std::string_view others_are) {
  for (const std::string_view other : others)
    if (argument.has(other))
      return argument.complain(std::format("{} is an argument of {}", other, others_are));
  const auto given =
      std::ranges::count_if(mine, [&](std::string_view member) { return argument.has(member); });
  if (given == 1) return true;
  std::string choice;
  for (const std::string_view member : mine) choice.append(choice.empty() ? "" : ", ").append(member);
  return argument.complain(std::format("exactly 1 of {} is required, {} are given", choice, given));
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

bool read_predicate_argument(const Reader& argument, Arguments& target, std::string& error,
                             std::vector<std::string>& notes) {
  note_unknown_fields(argument, kPredicateArguments, error, notes);
  if (!check_one_member(argument, kPredicateArguments, kPriorityArguments, "priorities")) return false;
  ArgumentReader reader(error, notes);
  return argument.within("labelsPresence", [&](const Reader& member) {
    return reader.read_presence(member, target.emplace<LabelsPresence>());
  }) && argument.within("serviceAffinity", [&](const Reader& member) {
    return reader.read_affinity(member, target.emplace<ServiceAffinityLabels>());
  });
}

bool read_priority_argument(const Reader& argument, Arguments& target, std::string& error,
                            std::vector<std::string>& notes) {
  note_unknown_fields(argument, kPriorityArguments, error, notes);
  if (!check_one_member(argument, kPriorityArguments, kPredicateArguments, "predicates")) return false;
  ArgumentReader reader(error, notes);
  return argument.within("serviceAntiAffinity", [&](const Reader& member) {
    return reader.read_anti_affinity(member, target.emplace<ServiceAntiAffinityLabel>());
  }) && argument.within("labelPreference", [&](const Reader& member) {
    return reader.read_preference(member, target.emplace<LabelPreference>());
  }) && argument.within("requestedToCapacityRatioArguments", [&](const Reader& member) {
    return reader.read_ratio(member, target.emplace<CapacityRatioShape>());
  });
}

}  // namespace winnow
