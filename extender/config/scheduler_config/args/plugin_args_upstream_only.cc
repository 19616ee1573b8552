// Arguments of plugins that Winnow does not run: DefaultPreemption and DynamicResources. They are checked,
// and not used.
#include <optional>

#include "cluster/text/go_duration.h"
#include "extender/config/scheduler_config/args/args_checks.h"
#include "extender/config/scheduler_config/args/plugin_args.h"

namespace winnow {

extern const ArgsSchema kDefaultPreemptionArgs, kDynamicResourcesArgs;

namespace {

using namespace fields;

constexpr Field kDefaultPreemptionFields[] = {
    kKind, kApiVersion, {"minCandidateNodesPercentage", &kInt32}, {"minCandidateNodesAbsolute", &kInt32}};
constexpr FieldType kDefaultPreemptionType = object(kDefaultPreemptionFields);
constexpr Field kDynamicResourcesFields[] = {
    kKind, kApiVersion, {"filterTimeout", &kOptionalDuration}, {"bindingTimeout", &kOptionalDuration}};
constexpr FieldType kDynamicResourcesType = object(kDynamicResourcesFields);

constexpr std::int64_t kSecond = 1'000'000'000;

FieldResult check_preemption(const Reader& r, std::string_view path) {
  std::int64_t percentage = 10;
  std::int64_t absolute = 100;
  r.read("minCandidateNodesPercentage", percentage);
  r.read("minCandidateNodesAbsolute", absolute);
  const std::string at = child(path, "minCandidateNodesPercentage");
  if (auto good = check_range(at, percentage, 0, kMaxPercent); !good) return good;
  if (absolute < 0)
    return invalid(child(path, "minCandidateNodesAbsolute"), absolute, "not in valid range [0, inf)");
  if (percentage == 0 && absolute == 0)
    return invalid(at, percentage, "cannot be zero at the same time as minCandidateNodesAbsolute");
  return {};
}

std::optional<std::int64_t> written_duration(const Reader& r, std::string_view key, std::string& text) {
  if (!r.has(key)) return std::nullopt;
  r.read(key, text);
  return parse_go_duration(text);
}

FieldResult check_dynamic_resources(const Reader& r, std::string_view path) {
  std::string text;
  if (written_duration(r, "filterTimeout", text).value_or(0) < 0)
    return invalid(child(path, "filterTimeout"), text, "must be zero or positive");
  if (written_duration(r, "bindingTimeout", text).value_or(kSecond) < kSecond)
    return invalid(child(path, "bindingTimeout"), text, "must be at least 1 second");
  return {};
}

PluginArgs read_default_preemption(const WrittenArgs& written) {
  return {{}, check_preemption(written.object, written.path)};
}

PluginArgs read_dynamic_resources(const WrittenArgs& written) {
  return {{}, check_dynamic_resources(written.object, written.path)};
}

}  // namespace

const ArgsSchema kDefaultPreemptionArgs{kDefaultPreemptionType, read_default_preemption};
const ArgsSchema kDynamicResourcesArgs{kDynamicResourcesType, read_dynamic_resources};

}  // namespace winnow
