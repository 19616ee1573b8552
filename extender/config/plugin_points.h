// The in-tree plugins of kube-scheduler, where each one runs, and what is enabled by default.
//
// Upstream: pkg/scheduler/framework/plugins/registry.go, apis/config/v1/default_plugins.go and each plugin's
// interfaces, v1.37.0 at its default feature gates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace winnow {

/// The extension points, in the order in which upstream goes through them.
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
};
inline constexpr std::size_t kPoints = 15;

struct PointName {
  std::string_view field;      ///< In a profile's `plugins`.
  std::string_view interface;  ///< As upstream's errors name it.
};
const PointName& name_of(Point point);

/// A set of extension points.
class PointSet {
 public:
  template <class... Points>
  constexpr explicit PointSet(Points... points) : bits_((0U | ... | bit(points))) {}
  constexpr bool has(Point point) const { return (bits_ & bit(point)) != 0; }

 private:
  static constexpr std::uint32_t bit(Point point) { return 1U << static_cast<unsigned>(point); }
  std::uint32_t bits_;
};

struct PluginRow {
  std::string_view name;
  PointSet points;
  bool takes_args = false;  ///< It cannot be made without arguments; those missing are the default ones.
  /// It decides about nodes, and Winnow does not run it.
  bool stays_upstream = false;
};

/// All plugins, by name.
std::span<const PluginRow> in_tree_plugins();
/// The row of a name; null if there is none.
const PluginRow* find_in_tree(std::string_view name);

struct DefaultPlugin {
  std::string_view name;
  std::int32_t weight = 0;  ///< 0: none given.
};
/// What multiPoint enables where a profile says nothing, in order.
std::span<const DefaultPlugin> default_plugins();

/// What is to be said of a plugin that older schedulers had, `was removed in v1.29; …`; "" for any other
/// name.
std::string_view removed_plugin(std::string_view name);
/// Whether upstream refuses the name wherever it is enabled at one extension point, or configured.
bool is_invalid_plugin(std::string_view name);

}  // namespace winnow
