#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/api/names.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/text/field_result.h"

namespace winnow {
namespace {

constexpr std::array<std::string_view, 3> kOfPods{"Always", "Never", "OnFailure"};
constexpr std::array<std::string_view, 1> kOfOthers{"Always"};
constexpr std::array<std::string_view, 2> kOfJobs{"Never", "OnFailure"};

bool is_of_job(Maker maker) { return maker == Maker::kJob || maker == Maker::kCronJob; }

/// The CronJob controller appends 11 characters to the name of a Job, which a label has.
constexpr std::size_t kLongestCronJob = 52;

void check_names(const Workload& workload, FieldErrors& errors) {
  const std::string& name = workload.metadata.name;
  if (!name.empty())
    if (const std::string wrong = object_name_errors(name); !wrong.empty())
      errors.invalid("metadata.name", name, wrong);
  if (workload.maker == Maker::kCronJob && name.size() > kLongestCronJob)
    errors.invalid("metadata.name", name, "must be no more than 52 characters");
  const std::string& ns = workload.metadata.namespace_;
  if (const std::string wrong = namespace_name_errors(ns); !wrong.empty())
    errors.invalid("metadata.namespace", ns, wrong);
}

void check_labels_of(const Workload& workload, FieldErrors& errors) {
  for (const auto& [key, value] : workload.metadata.labels) {
    if (const std::string wrong = label_key_errors(key, Generation::kToday); !wrong.empty())
      errors.invalid("metadata.labels", key, wrong);
    if (const std::string wrong = label_value_errors(value, Generation::kToday); !wrong.empty())
      errors.invalid("metadata.labels", value, wrong);
  }
}

/// Where the field is missing, an API server has set Always.
void check_restart_policy(const Workload& workload, FieldErrors& errors) {
  const std::string& policy = workload.pods.restart_policy;
  const bool is_default = policy.empty() || policy == "Always";
  if (is_of_job(workload.maker)) {
    const std::string path = workload.maker == Maker::kCronJob
                                 ? "spec.jobTemplate.spec.template.spec.restartPolicy"
                                 : "spec.template.spec.restartPolicy";
    if (is_default) return errors.required(path, R"(valid values: "OnFailure", "Never")");
    if (policy != "OnFailure" && policy != "Never") errors.unsupported(path, policy, kOfJobs);
    return;
  }
  if (workload.maker != Maker::kPod) {
    if (!is_default) errors.unsupported("spec.template.spec.restartPolicy", policy, kOfOthers);
    return;
  }
  if (!is_default && policy != "OnFailure" && policy != "Never")
    errors.unsupported("spec.restartPolicy", policy, kOfPods);
}

}  // namespace

std::vector<FieldError> workload_fields_refused(const Workload& workload) {
  FieldErrors errors;
  if (workload.maker != Maker::kPod) {
    check_names(workload, errors);
    check_labels_of(workload, errors);
  }
  if (workload.maker == Maker::kCronJob && workload.schedule.empty()) errors.required("spec.schedule");
  check_restart_policy(workload, errors);
  return errors.take();
}

}  // namespace winnow
