#include "cluster/expand/workload_reader.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <format>
#include <optional>
#include <string_view>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/api/decoders.h"
#include "cluster/api/selector.h"
#include "cluster/expand/made_names.h"
#include "cluster/files/object_reader.h"
#include "cluster/text/characters.h"
#include "cluster/text/field_result.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"

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

namespace {

constexpr std::array kMakers{
    KindInfo{"Pod", "pods", "v1", kNamespaced},
    KindInfo{"Deployment", "deployments", "apps/v1", kNamespaced},
    KindInfo{"ReplicaSet", "replicasets", "apps/v1", kNamespaced},
    KindInfo{"ReplicationController", "replicationcontrollers", "v1", kNamespaced},
    KindInfo{"StatefulSet", "statefulsets", "apps/v1", kNamespaced},
    KindInfo{"DaemonSet", "daemonsets", "apps/v1", kNamespaced},
    KindInfo{"Job", "jobs", "batch/v1", kNamespaced},
    KindInfo{"CronJob", "cronjobs", "batch/v1", kNamespaced},
};
static_assert(kMakers.size() == static_cast<std::size_t>(Maker::kCronJob) + 1);

/// The hash of a value, whatever the order of its members. Documents are nested at most 64 levels deep.
std::uint32_t hash_of(const rapidjson::Value& value, std::uint32_t seed) {
  if (value.IsString()) return fnv32(string_of(value), fnv32("s", seed));
  if (value.IsNumber()) return fnv32(number_text(value), fnv32("n", seed));
  if (value.IsArray()) {
    seed = fnv32("[", seed);
    for (const auto& element : value.GetArray()) seed = hash_of(element, seed);
    return fnv32("]", seed);
  }
  if (!value.IsObject()) return fnv32(value.IsNull() ? "z" : value.IsTrue() ? "t" : "f", seed);
  std::vector<const rapidjson::Value::Member*> members;
  for (const auto& member : value.GetObject()) members.push_back(&member);
  std::ranges::stable_sort(members, {}, [](const auto* member) { return string_of(member->name); });
  seed = fnv32("{", seed);
  for (const auto* member : members)
    seed = hash_of(member->value, fnv32(string_of(member->name), fnv32("k", seed)));
  return fnv32("}", seed);
}

/// Reads the claim of a volume, if it has one.
bool read_ephemeral(const Reader& volume, std::vector<EphemeralClaim>& claims) {
  return volume.within("ephemeral", [&](const Reader& source) {
    return source.within("volumeClaimTemplate", [&](const Reader& claim) {
      EphemeralClaim& made = claims.emplace_back();
      return volume.read("name", made.volume) && read_fields(claim, made.claim);
    });
  });
}

bool read_class_names(const Reader& spec, PodClasses& classes) {
  return spec.read("priorityClassName", classes.priority) && spec.read("runtimeClassName", classes.runtime);
}

/// Reads a Pod, or a template: both have metadata and a spec.
/// @param claims  volumes that come with the pods of a StatefulSet.
bool read_pods(const Reader& r, PodTemplate& pods, const std::vector<std::string>& claims = {}) {
  pods.hash = hash_of(r.value(), fnv32(""));
  pods.written = written_errors(r, claims);
  return read_fields(r, pods.pod) && r.within("metadata", [&](const Reader& metadata) {
    return metadata.read("generateName", pods.generate_name);
  }) && r.within("spec", [&](const Reader& spec) {
    return read_class_names(spec, pods.classes) && spec.read("restartPolicy", pods.restart_policy) &&
           spec.for_each_in("volumes", [&](const Reader& volume) {
             return volume.is_null() || read_ephemeral(volume, pods.ephemeral_claims);
           });
  });
}

bool read_template(const Reader& spec, Workload& workload) {
  workload.has_template = spec.has("template");
  std::vector<std::string> claims;
  const bool good = spec.for_each_in("volumeClaimTemplates", [&](const Reader& claim) {
    return claim.is_null() || claim.within("metadata", [&](const Reader& metadata) {
      return metadata.read("name", claims.emplace_back());
    });
  });
  return good &&
         spec.within("template", [&](const Reader& r) { return read_pods(r, workload.pods, claims); });
}

bool read_replicas(const Reader& spec, Workload& workload) {
  return spec.read("replicas", workload.replicas) && spec.read("selector", workload.selector) &&
         read_template(spec, workload);
}

bool read_replication_controller(const Reader& spec, Workload& workload) {
  StringMap selector;
  if (!spec.read("selector", selector) || !spec.read("replicas", workload.replicas) ||
      !read_template(spec, workload))
    return false;
  if (selector.empty()) selector = workload.pods.pod.metadata.labels;
  if (!selector.empty()) workload.selector = LabelSelector{.match_labels = selector, .match_expressions = {}};
  return true;
}

bool read_stateful_set(const Reader& spec, Workload& workload) {
  return read_replicas(spec, workload) && spec.within("ordinals", [&](const Reader& ordinals) {
    return ordinals.read("start", workload.first_ordinal);
  }) && spec.read("volumeClaimTemplates", workload.claim_templates);
}

bool read_daemon_set(const Reader& spec, Workload& workload) {
  return spec.read("selector", workload.selector) && read_template(spec, workload);
}

bool read_job(const Reader& spec, Workload& workload) {
  std::string mode;
  if (!spec.read("completionMode", mode)) return false;
  workload.indexed = mode == "Indexed";
  return spec.read("parallelism", workload.parallelism) && spec.read("completions", workload.completions) &&
         spec.read("suspend", workload.suspended) && spec.read("selector", workload.selector) &&
         spec.read("manualSelector", workload.manual_selector) && read_template(spec, workload);
}

bool read_cron_job(const Reader& spec, Workload& workload) {
  bool suspended = false;
  const bool good =
      spec.read("suspend", suspended) && spec.read("schedule", workload.schedule) &&
      spec.within("jobTemplate", [&](const Reader& job) {
        return job.within("spec", [&](const Reader& inner) { return read_job(inner, workload); });
      });
  workload.suspended |= suspended;
  return good;
}

bool read_spec(const Reader& spec, Workload& workload) {
  switch (workload.maker) {
    case Maker::kReplicationController:
      return read_replication_controller(spec, workload);
    case Maker::kStatefulSet:
      return read_stateful_set(spec, workload);
    case Maker::kDaemonSet:
      return read_daemon_set(spec, workload);
    case Maker::kJob:
      return read_job(spec, workload);
    case Maker::kCronJob:
      return read_cron_job(spec, workload);
    default:
      return read_replicas(spec, workload);
  }
}

/// Whether it is a container, or a list of such.
bool are_containers(std::string_view name, const rapidjson::Value& value) {
  if (name == "container") return value.IsObject() && value.HasMember("image");
  return name == "containers" && value.IsArray() && (value.Empty() || value[0].IsObject());
}

/// The path of the first template of pods below a value; "": there is none. What a spec has in it is the
/// template that the spec is in.
std::string find_template(const rapidjson::Value& value, const std::string& path) {
  if (value.IsArray())
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i)
      if (std::string found = find_template(value[i], element(path, i)); !found.empty()) return found;
  if (!value.IsObject()) return "";
  for (const auto& member : value.GetObject()) {
    const std::string_view name = string_of(member.name);
    if (path.empty() && (name == "metadata" || name == "status")) continue;
    const std::string at = path.empty() ? std::string(name) : child(path, name);
    if (are_containers(name, member.value)) {
      constexpr std::string_view kSpec = ".spec";
      return path.ends_with(kSpec) ? path.substr(0, path.size() - kSpec.size()) : at;
    }
    if (std::string found = find_template(member.value, at); !found.empty()) return found;
  }
  return "";
}

/// Whether objects of the group have containers as patterns or schemas, and make no pods.
bool only_speaks_of_pods(const TypeMeta& type) {
  constexpr std::string_view kGroups[] = {"kyverno.io", "gatekeeper.sh", "apiextensions.k8s.io",
                                          "admissionregistration.k8s.io"};
  return type.kind == "ControllerRevision" ||
         std::ranges::any_of(kGroups, [&](std::string_view group) { return type.group.ends_with(group); });
}

}  // namespace

bool read_classes(const Reader& pod, PodClasses& classes) {
  return pod.within("spec", [&](const Reader& spec) { return read_class_names(spec, classes); });
}

const KindInfo& info_of(Maker maker) { return kMakers[static_cast<std::size_t>(maker)]; }

std::string source_of(const Workload& workload) {
  const std::string& name = workload.metadata.name;
  return std::string(info_of(workload.maker).kind) + " " + workload.metadata.namespace_ + "/" +
         (name.empty() ? workload.pods.generate_name : name);
}

std::string error_of(std::string_view source, std::string_view error) {
  constexpr std::size_t kLongestError = 2048;
  return one_line(source) + ": " + one_line(error, kLongestError);
}

std::optional<Maker> maker_of(const TypeMeta& type) {
  for (std::size_t i = 0; i < kMakers.size(); ++i)
    if (type.is(kMakers[i])) return static_cast<Maker>(i);
  return std::nullopt;
}

std::optional<Workload> read_workload(const Reader& object, const TypeMeta& type, Maker maker) {
  const auto wrong = [&](std::string_view what) {
    object.complain(what);
    return std::nullopt;
  };
  if (!type.is_known_version(info_of(maker))) return wrong(wrong_version(type, info_of(maker)));
  Workload workload;
  workload.maker = maker;
  if (!object.read("metadata", workload.metadata)) return std::nullopt;
  if (maker == Maker::kPod) {
    workload.has_template = true;
    if (!read_pods(object, workload.pods)) return std::nullopt;
  } else if (!object.within("spec", [&](const Reader& spec) { return read_spec(spec, workload); })) {
    return std::nullopt;
  }
  if (workload.metadata.namespace_.empty()) workload.metadata.namespace_ = "default";
  if (workload.metadata.name.empty() && workload.pods.generate_name.empty())
    return wrong("has no metadata.name");
  if (!workload.has_template)
    return wrong(error_of(source_of(workload),
                          maker == Maker::kCronJob
                              ? "spec.jobTemplate.spec.template: is missing; expected the template of a pod"
                              : "spec.template: is missing; expected the template of a pod"));
  return workload;
}

std::string unknown_template(const Reader& object, const TypeMeta& type) {
  return only_speaks_of_pods(type) ? "" : find_template(object.value(), "");
}

}  // namespace winnow
