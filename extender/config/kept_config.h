// What a recording keeps of a configuration: that of which rules are made, and nothing else.
//
// A configuration may have keys, tokens and passwords, in any notation and in any field that Winnow does not
// know. So what is kept is listed here, and not what is left out.
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// What there is instead of a configuration that cannot be read. load_rules() refuses it.
inline constexpr std::string_view kNoConfig = R"("left out: it cannot be read")";

/// The configuration as JSON on one line. load_rules() makes the same rules of it; what is kept of it is it.
/// Kept are the fields that load_rules() reads. Of an extender these are its resources, which verbs it has,
/// and scheme, host and port of its address. Arguments of plugins that Winnow does not know are left out. Of
/// a file inside an object, such as a ConfigMap, the file is kept: see wrapped_config().
/// @return "" for "", and kNoConfig for what cannot be read.
std::string kept_config(std::string_view text);

/// Whether a rule of a Policy or a plugin of any release has this name.
bool is_rule_name(std::string_view name);

}  // namespace winnow
