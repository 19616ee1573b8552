#include "cluster/expand/workload_checks.h"

#include <cstddef>
#include <cstdint>
#include <format>
#include <optional>
#include <string_view>

#include "cluster/api/selector.h"
#include "cluster/text/go_quote.h"
#include "cluster/text/json/json_string.h"
#include "cluster/validation/field_errors.h"

namespace winnow {
namespace {

void check_not_negative(FieldErrors& errors, const std::string& path, std::optional<std::int32_t> number) {
  if (number && *number < 0) errors.invalid(path, *number, "must be greater than or equal to 0");
}

std::string json_of_labels(const StringMap& labels) {
  std::string text = "{";
  for (const auto& [key, value] : labels) {
    if (text.size() > 1) text += ',';
    append_quoted(text, key);
    text += ':';
    append_quoted(text, value);
  }
  return text + "}";
}

/// The kind in upstream's texts; those of ReplicaSets speak of deployments.
std::string_view kind_in_text(Maker maker) {
  return maker == Maker::kStatefulSet ? "statefulset"
         : maker == Maker::kDaemonSet ? "daemonset"
                                      : "deployment";
}

std::string selector_error(const Workload& workload) {
  const auto& selector = workload.selector;
  if (!selector) return "spec.selector: Required value";
  if (selector->match_labels.empty() && selector->match_expressions.empty())
    return std::format("spec.selector: Invalid value: {{}}: empty selector is invalid for {}",
                       kind_in_text(workload.maker));
  const auto parsed = parse_label_selector(*selector);
  if (!parsed) return std::format("spec.selector: Invalid value: {}", parsed.error());
  const StringMap& labels = workload.pods.pod.metadata.labels;
  if (parsed->matches(labels)) return "";
  return std::format(
      "spec.template.metadata.labels: Invalid value: {}: `selector` does not match template "
      "`labels`",
      json_of_labels(labels));
}

/// An error of a Job's spec. @param path  "spec", or that of a CronJob's Job.
std::string job_error(const Workload& workload, const std::string& path) {
  FieldErrors errors;
  check_not_negative(errors, path + ".parallelism", workload.parallelism);
  check_not_negative(errors, path + ".completions", workload.completions);
  if (workload.indexed && workload.parallelism && !workload.completions)
    errors.required(path + ".completions", "when completion mode is Indexed");
  const auto kept = errors.take();
  return kept.empty() ? "" : kept.front().text;
}

std::string number_error(const Workload& workload) {
  FieldErrors errors;
  check_not_negative(errors, "spec.replicas", workload.replicas);
  check_not_negative(errors, "spec.ordinals.start", workload.first_ordinal);
  for (std::size_t i = 0; i < workload.claim_templates.size() && !errors.is_full(); ++i)
    if (workload.claim_templates[i].metadata.name.empty())
      errors.required(std::format("spec.volumeClaimTemplates[{}].metadata.name", i));
  const auto kept = errors.take();
  return kept.empty() ? "" : kept.front().text;
}

std::string node_name_error(const Workload& workload, const std::string& path) {
  const Pod& pod = workload.pods.pod;
  const bool was_stored = workload.maker == Maker::kPod && !pod.metadata.uid.empty();
  if (pod.spec.node_name.empty() || was_stored) return "";
  return std::format("{}.nodeName: {}: no scheduler places such a pod; expected none", path,
                     go_quote(pod.spec.node_name));
}

}  // namespace

std::string workload_error(const Workload& workload) {
  if (workload.maker == Maker::kPod) return node_name_error(workload, "spec");
  const bool is_cron = workload.maker == Maker::kCronJob;
  const std::string path = is_cron ? "spec.jobTemplate.spec" : "spec";
  if (is_cron || workload.maker == Maker::kJob) {
    if (std::string error = job_error(workload, path); !error.empty()) return error;
  } else {
    if (std::string error = number_error(workload); !error.empty()) return error;
    if (std::string error = selector_error(workload); !error.empty()) return error;
  }
  return node_name_error(workload, path + ".template.spec");
}

}  // namespace winnow
