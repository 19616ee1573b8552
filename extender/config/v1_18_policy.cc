#include "extender/config/v1_18_policy.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <format>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cluster/text/go_format.h"
#include "cluster/text/json_reader.h"
#include "extender/config/config_document.h"
#include "extender/config/config_release.h"
#include "extender/config/config_schema.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/policy.h"
#include "extender/config/rule_names.h"

namespace winnow {
namespace policy_beside {
namespace {

using namespace fields;

// Upstream: k8s.io/kube-scheduler/config/v1/types.go v0.18.19. Extenders are read leniently.
constexpr Field kLabelsFields[] = {{"labels", &kStrings}};
constexpr FieldType kLabels = object(kLabelsFields);
constexpr Field kPresenceFields[] = {{"labels", &kStrings}, {"presence", &kBool}};
constexpr FieldType kPresence = object(kPresenceFields);
constexpr Field kPredicateArgumentFields[] = {{"serviceAffinity", &kLabels}, {"labelsPresence", &kPresence}};
constexpr FieldType kPredicateArgument = object(kPredicateArgumentFields);
constexpr Field kPredicateFields[] = {{"name", &kString}, {"argument", &kPredicateArgument}};
constexpr FieldType kPredicate = object(kPredicateFields);
constexpr FieldType kPredicates = list_of(kPredicate);
constexpr Field kLabelFields[] = {{"label", &kString}};
constexpr FieldType kLabel = object(kLabelFields);
constexpr Field kPreferenceFields[] = {{"label", &kString}, {"presence", &kBool}};
constexpr FieldType kPreference = object(kPreferenceFields);
constexpr Field kPointFields[] = {{"utilization", &kInt32}, {"score", &kInt32}};
constexpr FieldType kPoint = object(kPointFields);
constexpr FieldType kShape = list_of(kPoint);
constexpr Field kResourceFields[] = {{"name", &kString}, {"weight", &kInt64}};
constexpr FieldType kResource = object(kResourceFields);
constexpr FieldType kResources = list_of(kResource);
constexpr Field kRatioFields[] = {{"shape", &kShape}, {"resources", &kResources}};
constexpr FieldType kRatio = object(kRatioFields);
constexpr Field kPriorityArgumentFields[] = {{"serviceAntiAffinity", &kLabel},
                                             {"labelPreference", &kPreference},
                                             {"requestedToCapacityRatioArguments", &kRatio}};
constexpr FieldType kPriorityArgument = object(kPriorityArgumentFields);
constexpr Field kPriorityFields[] = {
    {"name", &kString}, {"weight", &kInt64}, {"argument", &kPriorityArgument}};
constexpr FieldType kPriority = object(kPriorityFields);
constexpr FieldType kPriorities = list_of(kPriority);
constexpr Field kOldPolicyFields[] = {{"kind", &kString},
                                      {"apiVersion", &kString},
                                      {"predicates", &kPredicates},
                                      {"priorities", &kPriorities},
                                      {"extenders", &kAnything},
                                      {"hardPodAffinitySymmetricWeight", &kInt32},
                                      {"alwaysCheckAllPredicates", &kBool}};
constexpr FieldType kPolicyType = object(kOldPolicyFields);

/// Whether v1.18 had no rule of this name at its default gates. RequestedToCapacityRatioPriority
/// needed its arguments there.
bool is_lost(std::string_view name) {
  constexpr std::string_view kNeedsArguments = "RequestedToCapacityRatioPriority";
  return name == kNeedsArguments || is_refused_by_v1_16(name, {.even_pods_spread = true});
}

FieldResult check_names(const Reader& policy, std::string_view list) {
  FieldResult result;
  std::size_t index = 0;
  policy.for_each_in(list, [&](const Reader& rule) {
    const std::string at = child(element(list, index++), "name");
    if (rule.is_null()) return true;
    std::string name;
    rule.read("name", name);
    if (!rule.has("argument") && is_lost(name))
      result = invalid(at, name, "kube-scheduler 1.18 had no such rule");
    return result.has_value();
  });
  return result;
}

/// Upstream: validateCustomPriorities. All priorities of a kind become one plugin, so they need one weight.
FieldResult check_weights(const Reader& policy) {
  constexpr std::string_view kKinds[] = {"labelPreference", "serviceAntiAffinity",
                                         "requestedToCapacityRatioArguments"};
  std::optional<std::int64_t> weights[std::size(kKinds)];
  FieldResult result;
  std::size_t index = 0;
  policy.for_each_in("priorities", [&](const Reader& priority) {
    const std::string at = child(element("priorities", index++), "weight");
    if (priority.is_null()) return true;
    std::int64_t weight = 0;
    priority.read("weight", weight);
    return priority.within("argument", [&](const Reader& argument) {
      for (std::size_t i = 0; i < std::size(kKinds) && result; ++i) {
        if (!argument.has(kKinds[i])) continue;
        const bool once = i == 2;
        if (weights[i] && (once || *weights[i] != weight))
          result = invalid(at, weight,
                           std::format("another priority has {}, {}", kKinds[i],
                                       once ? "which may be there once" : "and another weight"));
        weights[i] = weight;
      }
      return result.has_value();
    });
  });
  return result;
}

FieldResult check(const ConfigDocument& document) {
  if (auto first = document.first(Merges::kStrict); !first) return first;
  const rapidjson::Value& root = document.root();
  std::string error;
  const Reader policy(root, nullptr, error);
  if (!check_fields(policy, kPolicyType)) return std::unexpected(error);
  if (!root.IsObject()) return {};
  for (const std::string_view list : {"predicates", "priorities"})
    if (auto good = check_names(policy, list); !good) return good;
  if (auto good = check_weights(policy); !good) return good;
  const auto extenders = read_extenders(policy);
  return extenders ? FieldResult() : std::unexpected(extenders.error());
}

std::expected<std::string, std::string> read(const std::string& path) {
  constexpr std::uintmax_t kMost = 16U << 20U;
  std::error_code error;
  const bool is_file = std::filesystem::is_regular_file(path, error);
  if (!is_file || std::filesystem::file_size(path, error) > kMost || error)
    return std::unexpected(std::format("{} is no file, or larger than 16 MiB", go_quote(path)));
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return std::unexpected(std::format("{} cannot be read", go_quote(path)));
  return text.str();
}

}  // namespace
}  // namespace policy_beside

std::expected<LoadedRules, std::string> load_policy_beside(const std::optional<std::string>& path,
                                                           Gates gates) {
  gates.even_pods_spread = true;
  if (!path) {
    ConfigDocument empty(R"({"apiVersion": "v1", "kind": "Policy"})");
    return load_policy(empty, gates);
  }
  const auto text = policy_beside::read(*path);
  if (!text) return std::unexpected(text.error());
  ConfigDocument document(*text);
  if (auto good = policy_beside::check(document); !good)
    return std::unexpected(std::format("{}: {}", *path, good.error()));
  auto loaded = load_policy(document, gates);
  if (!loaded) return std::unexpected(std::format("{}: {}", *path, loaded.error()));
  return loaded;
}

}  // namespace winnow
