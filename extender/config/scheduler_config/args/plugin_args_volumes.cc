// Arguments of VolumeBinding.
#include <format>
#include <utility>

#include "extender/config/scheduler_config/args/args_checks.h"
#include "extender/config/scheduler_config/args/plugin_args.h"

namespace winnow {

extern const ArgsSchema kVolumeBindingArgs, kVolumeBindingArgsWithoutShape;

namespace {

using namespace fields;

constexpr Field kVolumeBindingFields[] = {
    kKind, kApiVersion, {"bindTimeoutSeconds", &kInt64}, {"shape", &kUtilizationShape}};
constexpr FieldType kVolumeBindingType = object(kVolumeBindingFields);

FieldResult check_timeout(const Reader& r, std::string_view path) {
  std::int64_t timeout = 0;
  r.read("bindTimeoutSeconds", timeout);
  if (timeout >= 0) return {};
  return invalid(child(path, "bindTimeoutSeconds"), timeout,
                 "invalid BindTimeoutSeconds, should not be a negative value");
}

PluginArgs read_volume_binding(const WrittenArgs& written) {
  const Reader& r = written.object;
  VolumeBindingArgs args;
  UtilizationShape shape;
  r.read("shape", shape);
  args.shape = shape.empty() ? UtilizationShape{{0, 10}, {100, 0}} : std::move(shape);
  FieldResult sound = check_timeout(r, written.path);
  if (sound) sound = check_shape(args.shape, child(written.path, "shape"));
  return {std::move(args), std::move(sound)};
}

/// Up to v1.28 the shape was for the gate VolumeCapacityPriority, which was off by default.
PluginArgs read_without_shape(const WrittenArgs& written) {
  FieldResult sound = check_timeout(written.object, written.path);
  if (sound && written.object.has("shape"))
    sound =
        std::unexpected(std::format("{}: unexpected field `shape`, remove it", child(written.path, "shape")));
  return {VolumeBindingArgs(), std::move(sound)};
}

}  // namespace

const ArgsSchema kVolumeBindingArgs{kVolumeBindingType, read_volume_binding};
const ArgsSchema kVolumeBindingArgsWithoutShape{kVolumeBindingType, read_without_shape};

}  // namespace winnow
