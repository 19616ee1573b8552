// Internal: the workloads of files, as they are written, decoded, and what the API server refuses of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/api/storage.h"

namespace winnow {

class Reader;
struct KindInfo;
struct TypeMeta;

/// The kinds that make pods. A Pod makes itself.
enum class Maker : std::uint8_t {
  kPod,
  kDeployment,
  kReplicaSet,
  kReplicationController,
  kStatefulSet,
  kDaemonSet,
  kJob,
  kCronJob,
};

/// The claim of a volume of the source `ephemeral`, made for each pod. Of its metadata only labels and
/// annotations are set.
struct EphemeralClaim {
  std::string volume;
  PersistentVolumeClaim claim;
};

/// The classes that a pod names. Only admission reads them, so that PodSpec has no such fields.
struct PodClasses {
  std::string priority;                ///< spec.priorityClassName
  std::optional<std::string> runtime;  ///< spec.runtimeClassName
};

/// Those of a Pod's JSON. @return false at an error; the reader has been told then.
bool read_classes(const Reader& pod, PodClasses& classes);

/// A spec.template, or a Pod.
struct PodTemplate {
  Pod pod;
  std::string generate_name;  ///< Of a Pod.
  PodClasses classes;
  std::string restart_policy;
  std::vector<EphemeralClaim> ephemeral_claims;
  std::vector<FieldError> written;  ///< See written_errors().
  /// Equal for templates with equal fields, also those that Winnow does not decode.
  std::uint32_t hash = 0;
};

struct Workload {
  Maker maker = Maker::kPod;
  std::string file;
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;
  std::optional<std::int32_t> replicas;
  std::optional<std::int32_t> parallelism;  ///< Of Jobs, as the following.
  std::optional<std::int32_t> completions;
  bool indexed = false;
  bool suspended = false;
  bool manual_selector = false;
  std::int32_t first_ordinal = 0;                      ///< Of StatefulSets: spec.ordinals.start.
  std::vector<PersistentVolumeClaim> claim_templates;  ///< The same. The name is that of the volume.
  std::string schedule;                                ///< Of CronJobs.
  bool has_template = false;
  PodTemplate pods;
};

/// The names of the kind in the API.
const KindInfo& info_of(Maker maker);
/// "Deployment shop/web"
std::string source_of(const Workload& workload);
/// The text `SOURCE: ERROR`, as one printable line. Long names are cut.
std::string error_of(std::string_view source, std::string_view error);

// What the API server refuses of a workload, beside the fields of its pods.

/// The first error, in the API server's words: "spec.selector: Required value"; "": there is none. Numbers,
/// selectors and claim templates are checked. Pods that name their node are refused too: no scheduler sees
/// them.
/// Upstream: pkg/apis/{apps,batch,core}/validation/validation.go v1.37.0.
std::string workload_error(const Workload& workload);
/// Other fields of the object itself that the API server refuses. Such an object is expanded as it is.
/// workload_fields.cc has it.
std::vector<FieldError> workload_fields_refused(const Workload& workload);

// Internal: workloads, decoded. Only .cc files include this.

/// What makes the pods of an object of this type; nothing for other kinds.
std::optional<Maker> maker_of(const TypeMeta& type);

/// Reads an object that maker_of() knows. An object without a namespace is in "default".
/// @return nothing at an error; the reader has been told then.
std::optional<Workload> read_workload(const Reader& object, const TypeMeta& type, Maker maker);

/// The field that has containers in an object of a kind that maker_of() does not know, as "spec.template";
/// "" if the object has none. Such an object makes pods in a way that is not known here.
std::string unknown_template(const Reader& object, const TypeMeta& type);

}  // namespace winnow
