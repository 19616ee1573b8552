// The plugins of older schedulers that v1.37 does not have. Winnow runs them: a row of plugin_table.cc is
// kRemoved.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extender/config/common/field_error.h"
#include "extender/config/scheduler_config/profile.h"

namespace winnow {

/// The message about a removed plugin, such as `was removed in v1, …`; "" for any other name.
std::string_view removed_plugin(std::string_view name);
/// What a start says about the removed plugins that profiles enable, in one line; "" if there are none.
std::string removed_plugins_warning(const std::vector<Profile>& profiles);
/// Fails for the first plugin that the profile enables and its release had lost: kube-scheduler of that time
/// refused the file.
FieldResult check_known_then(const Profile& profile);
/// Fails for the first removed plugin that the profile enables: the stock kube-scheduler refuses its file.
FieldResult check_not_removed(const Profile& profile);

}  // namespace winnow
