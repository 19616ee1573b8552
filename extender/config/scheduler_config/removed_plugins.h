// Plugins that older schedulers had.
#pragma once

#include <string_view>

namespace winnow {

/// What is to be said of a plugin that older schedulers had, `was removed in v1.29; …`; "" for any other
/// name.
std::string_view removed_plugin(std::string_view name);
/// Whether upstream refuses the name wherever it is enabled at one extension point, or configured.
/// Upstream: pkg/scheduler/apis/config/validation/validation.go invalidPlugins v1.37.0.
bool is_invalid_plugin(std::string_view name);

}  // namespace winnow
