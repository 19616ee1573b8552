// Arguments of VolumeBinding.
#include <utility>

#include "extender/config/scheduler_config/args/args_checks.h"
#include "extender/config/scheduler_config/args/plugin_args.h"

namespace winnow {

extern const ArgsSchema kVolumeBindingArgs;

namespace {

using namespace fields;

constexpr Field kVolumeBindingFields[] = {
    kKind, kApiVersion, {"bindTimeoutSeconds", &kInt64}, {"shape", &kUtilizationShape}};
constexpr FieldType kVolumeBindingType = object(kVolumeBindingFields);

PluginArgs read_volume_binding(const WrittenArgs& written) {
  const Reader& r = written.object;
  VolumeBindingArgs args;
  std::int64_t timeout = 0;
  UtilizationShape shape;
  r.read("bindTimeoutSeconds", timeout);
  r.read("shape", shape);
  args.shape = shape.empty() ? UtilizationShape{{0, 10}, {100, 0}} : std::move(shape);
  FieldResult sound = check_shape(args.shape, child(written.path, "shape"));
  if (timeout < 0)
    sound = invalid(child(written.path, "bindTimeoutSeconds"), timeout,
                    "invalid BindTimeoutSeconds, should not be a negative value");
  return {std::move(args), std::move(sound)};
}

}  // namespace

const ArgsSchema kVolumeBindingArgs{kVolumeBindingType, read_volume_binding};

}  // namespace winnow
