#include "extender/cli/serve/config_source.h"

#include "cluster/text/source.h"
#include "extender/cli/cluster_source.h"
#include "extender/config/missing_rules.h"

namespace winnow {
namespace {

constexpr const char* kWayOut =
    "--answer=best: kube-scheduler-best.yaml leaves these checks to Winnow; give --config a "
    "KubeSchedulerConfiguration, or keep those plugins on in kube-scheduler and say --allow-missing-rules";

}  // namespace

std::string ConfigSource::text() const {
  if (common_.config.empty() || common_.config == "-") return {};
  return read_source(common_.config, kMaxConfigBytes).value_or("");
}

std::expected<LoadedRules, ConfigSource::Errors> ConfigSource::load() const {
  auto rules = rules_from(common_);
  if (!rules) return std::unexpected(Errors{std::move(rules).error()});
  if (flags_.answer != AnswerMode::kBest) return std::move(*rules);
  const std::string from = common_.config.empty() ? "the default provider" : common_.config;
  Errors missing;
  for (const MissingRule& one : missing_for_best(*rules)) missing.push_back(from + ": " + one.text());
  if (missing.empty()) return std::move(*rules);
  if (!flags_.allow_missing_rules) {
    missing.emplace_back(kWayOut);
    return std::unexpected(std::move(missing));
  }
  for (std::string& line : missing) rules->warnings.push_back(std::move(line));
  return std::move(*rules);
}

}  // namespace winnow
