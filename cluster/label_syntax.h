// How label keys and values are spelled, with upstream's complaints about those that are not.
// Upstream: apimachinery v0.16.15, pkg/util/validation/validation.go (v0.37.0 accepts the same).
#pragma once

#include <string>
#include <string_view>

namespace winnow {

/// What is wrong with a label key, the complaints joined by "; "; empty if nothing is.
std::string label_key_errors(std::string_view key);
/// The same for a label value.
std::string label_value_errors(std::string_view value);
/// Go's %q.
std::string go_quote(std::string_view text);

}  // namespace winnow
