// Internal: what the pods of one object have in common, and what tells them apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/storage.h"
#include "cluster/expand/workload.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// What makes one pod differ from the others of its object.
enum class Identity : std::uint8_t {
  kSuffix,   ///< A generated name.
  kGiven,    ///< The pattern has the name: the one pod of a Pod.
  kOrdinal,  ///< StatefulSet: name, two labels and volumes by number.
  kIndex,    ///< Indexed Job: a label and an annotation by number, and a generated name.
  kNode,     ///< DaemonSet: a node, and a generated name.
};

/// One pod.
struct PodNumber {
  std::uint32_t number = 0;  ///< The ordinal, the index, or the node's place in `nodes`.
  std::uint32_t suffix = 0;  ///< Of generated_name().
};

struct PodRecipe {
  std::string source;
  Identity identity = Identity::kSuffix;
  std::string prefix;  ///< The generateName; of StatefulSets and indexed Jobs the object's name.
  std::vector<PodNumber> numbers;
  std::vector<std::string> nodes;
  /// A pod that is admitted, but for its identity and what an API server prepares by it.
  Pod pattern;
  bool was_stored = false;  ///< An API server has prepared it already.
  /// Claims with defaults, but for their identity. Of a StatefulSet the name is that of the volume.
  std::vector<PersistentVolumeClaim> claim_templates;
  std::vector<EphemeralClaim> ephemeral_claims;
  TextSet known_claims;  ///< "NAMESPACE/NAME" of claims that are there already.
};

/// The name that a pod would have.
std::string name_of(const PodRecipe& recipe, const PodNumber& number);
/// The pod of this number; see PodSet.
Pod make_pod(const PodRecipe& recipe, const PodNumber& number);
std::vector<PersistentVolumeClaim> make_claims(const PodRecipe& recipe, const PodNumber& number);

}  // namespace winnow
