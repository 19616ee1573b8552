// The extension points of kube-scheduler's plugins. Upstream: pkg/scheduler/apis/config/types.go v1.37.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace winnow {

/// The extension points, in the order in which upstream processes them.
enum class Point : std::uint8_t {
  kPreFilter,
  kFilter,
  kPostFilter,
  kReserve,
  kPreScore,
  kScore,
  kPreBind,
  kBind,
  kPostBind,
  kPermit,
  kPreEnqueue,
  kQueueSort,
  kPlacementGenerate,
  kPlacementScore,
  kPodGroupPostFilter,
  kUnreserve,  ///< Of v1.18 alone.
};
inline constexpr std::size_t kPoints = 16;

struct PointName {
  std::string_view field;      ///< The field of a profile's `plugins`.
  std::string_view interface;  ///< The name in upstream's errors.
};
const PointName& name_of(Point point);

/// A set of extension points; not empty.
class PointSet {
 public:
  template <class... Points>
  constexpr explicit PointSet(Point first, Points... more) : bits_((bit(first) | ... | bit(more))) {}
  constexpr bool has(Point point) const { return (bits_ & bit(point)) != 0; }

 private:
  static constexpr std::uint32_t bit(Point point) { return 1U << static_cast<unsigned>(point); }
  std::uint32_t bits_;
};

}  // namespace winnow
