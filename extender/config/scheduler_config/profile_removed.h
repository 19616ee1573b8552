// Internal to extender/config: the removed plugins that profiles enable. Only .cc files include this.
#pragma once

#include <string>
#include <vector>

#include "extender/config/common/field_error.h"
#include "extender/config/scheduler_config/profile.h"

namespace winnow {

/// What a start says about the removed plugins that profiles enable, in one line; "" if there are none.
std::string removed_plugins_warning(const std::vector<Profile>& profiles);
/// Fails for the first plugin that the profile enables and its release had lost: kube-scheduler of that time
/// refused the file.
FieldResult check_known_then(const Profile& profile);
/// Fails for the first removed plugin that the profile enables: the stock kube-scheduler refuses its file.
FieldResult check_not_removed(const Profile& profile);

}  // namespace winnow
