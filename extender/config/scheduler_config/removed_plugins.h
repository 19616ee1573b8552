// The plugins of older schedulers that v1.37 does not have.
#pragma once

#include <string_view>

namespace winnow {

/// The message about a removed plugin, such as `was removed in v1, …`; "" for any other name.
std::string_view removed_plugin(std::string_view name);
/// Whether upstream refuses the name where it is enabled at an extension point or configured.
/// Upstream: invalidPlugins of pkg/scheduler/apis/config/validation/validation.go, v1.37.0.
bool is_invalid_plugin(std::string_view name);

}  // namespace winnow
