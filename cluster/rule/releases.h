// A plugin as each release of kube-scheduler has it: its extension points, its arguments, its weight.
//
// Upstream: pkg/scheduler/framework/plugins/registry.go, each plugin's interfaces, and default_plugins.go
// below pkg/scheduler/apis/config, at the default feature gates of each release.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace winnow {

struct ArgsSchema;

/// The releases whose configurations Winnow reads: the last one that served each version of the file.
enum class Release : std::uint8_t {
  k1_18,  ///< v1alpha1 and v1alpha2: v1.18.20.
  k1_22,  ///< v1beta1: v1.22.17.
  k1_27,  ///< v1beta2: v1.27.16.
  k1_28,  ///< v1beta3: v1.28.15.
  k1_37,  ///< v1: v1.37.2.
};

/// The extension points, in the order in which upstream processes them (scheduler/apis/config/types.go).
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

/// A set of extension points.
class PointSet {
 public:
  constexpr PointSet() = default;
  template <class... Points>
  constexpr explicit PointSet(Point first, Points... more) : bits_((bit(first) | ... | bit(more))) {}
  constexpr bool has(Point point) const { return (bits_ & bit(point)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr PointSet operator|(PointSet other) const {
    PointSet both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }

 private:
  static constexpr std::uint32_t bit(Point point) { return 1U << static_cast<unsigned>(point); }
  std::uint32_t bits_ = 0;
};

namespace points {

inline constexpr PointSet kNone;
inline constexpr PointSet kFilter(Point::kFilter);
inline constexpr PointSet kPreFilterAndFilter(Point::kPreFilter, Point::kFilter);
inline constexpr PointSet kScore(Point::kScore);
inline constexpr PointSet kPreScoreAndScore(Point::kPreScore, Point::kScore);

}  // namespace points

/// The plugin from one release on, until another entry says otherwise.
struct SinceRelease {
  Release release;
  PointSet points;  ///< None: the release has no such plugin.
  /// Null: it takes no arguments. Otherwise upstream cannot make it without; absent ones are the defaults.
  const ArgsSchema* args = nullptr;
  std::int32_t weight = 0;     ///< In the release's default profile; 0: it is not there, or has none.
  std::string_view name = {};  ///< Where it is another than the rule's.
  /// The release's plugin has no PreFilter, and today's rule cannot do without its own.
  bool pre_filters_as_today = false;
};

/// A plugin in all releases: one entry for each release that changed it, oldest first. Before the first one
/// there was no such plugin.
class Releases {
 public:
  constexpr Releases() = default;
  constexpr Releases(std::initializer_list<SinceRelease> entries) : count_(entries.size()) {
    std::ranges::copy(entries, entries_.begin());
  }
  /// The plugin as the release has it; null if it has none.
  constexpr const SinceRelease* find(Release release) const {
    const SinceRelease* last = nullptr;
    for (const SinceRelease& entry : all())
      if (entry.release <= release) last = &entry;
    return last == nullptr || last->points.empty() ? nullptr : last;
  }
  constexpr std::span<const SinceRelease> all() const { return {entries_.data(), count_}; }

 private:
  std::array<SinceRelease, 5> entries_{};
  std::size_t count_ = 0;
};

/// Where a rule comes from.
enum class RuleOrigin : std::uint8_t {
  kClassic,  ///< A predicate or priority of v1.16, or one of Winnow's own that a Policy names.
  kToday,    ///< A plugin of kube-scheduler v1.37.
  kRemoved,  ///< A plugin that kube-scheduler no longer has, and that Winnow runs.
  kWinnow,   ///< A plugin of Winnow's own: kube-scheduler has none of this name.
};

}  // namespace winnow
