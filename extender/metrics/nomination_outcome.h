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
};
inline constexpr std::size_t kNominationOutcomes = 12;
std::string_view to_string(NominationOutcome outcome);  ///< The metric's label value, such as "pod_gone".

}  // namespace winnow
