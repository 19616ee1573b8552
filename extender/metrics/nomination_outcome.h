// What becomes of nominations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace winnow {

/// The end of one nomination: of a node that Winnow decided for a waiting pod. Each nomination has one end.
enum class NominationOutcome : std::uint8_t {
  kFollowed,      ///< The pod is bound to the node.
  kElsewhere,     ///< The pod is bound to another node.
  kRefused,       ///< kube-scheduler has tried the pod, and taken the nomination away.
  kUnfollowed,    ///< kube-scheduler has given the pod up, and does not try it again.
  kCleared,       ///< Somebody has taken the nomination away.
  kOverruled,     ///< The pod has a nomination by somebody else.
  kPodChanged,    ///< The pod has changed in what rules read.
  kPodGone,       ///< The pod is deleted, or has ended.
  kNoLongerFits,  ///< The node is gone, or the pod does not fit there any more.
  kRejected,      ///< The API server has refused to write it.
  kDenied,        ///< Winnow may not write it.
  kNotLeading,    ///< Winnow lost the lease before it was written.
  kLeftOut,       ///< The pod is one that gets no nomination: see WhyNotNominated.
};
inline constexpr std::size_t kNominationOutcomes = 13;
std::string_view to_string(NominationOutcome outcome);  ///< The metric's label value, such as "pod_gone".

/// Why a waiting pod gets no nomination: the rules cannot judge it, or kube-scheduler does not try it. Its
/// place would be held for nobody.
enum class WhyNotNominated : std::uint8_t {
  kSchedulingGates,  ///< Others have gates on it.
  kResourceClaims,   ///< It has spec.resourceClaims. No rule reads them.
  kPodGroup,         ///< It is in a group, which kube-scheduler places as a whole.
  // The cluster tells these, the others the pod.
  kDevices,        ///< A DeviceClass provides a resource that it requests.
  kClaimMissing,   ///< A PersistentVolumeClaim of it does not exist.
  kVolumeMissing,  ///< A claim of it is bound to a PersistentVolume that does not exist.
};
inline constexpr std::size_t kWhysNotNominated = 6;
std::string_view to_string(WhyNotNominated why);  ///< The metric's label value, such as "pod_group".

}  // namespace winnow
