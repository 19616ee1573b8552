// Internal: an object of a file that pods are made of, as it is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/kinds.h"

namespace winnow {

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

/// A spec.template, or a Pod.
struct PodTemplate {
  Pod pod;
  std::string generate_name;  ///< Of a Pod.
  std::string priority_class_name;
  std::vector<EphemeralClaim> ephemeral_claims;
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
  bool has_template = false;
  PodTemplate pods;
};

/// The names of the kind in the API.
const KindInfo& info_of(Maker maker);
/// "Deployment shop/web"
std::string source_of(const Workload& workload);
/// The text `SOURCE: ERROR`, as one printable line. Long names are cut.
std::string error_of(std::string_view source, std::string_view error);

}  // namespace winnow
