// The plugins of older schedulers that v1.37 does not have. Winnow runs them: a row of plugin_table.cc is
// kRemoved.
#pragma once

#include <string_view>

namespace winnow {

/// The message about a removed plugin, such as `was removed in v1, …`; "" for any other name.
std::string_view removed_plugin(std::string_view name);

}  // namespace winnow
