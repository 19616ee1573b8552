// How label keys and values are spelled, with upstream's complaints about those that are not.
// Upstream: apimachinery v0.16.15, pkg/util/validation/validation.go; v0.37.0, pkg/api/validate/content. Both
// accept the same, and complain in other words.
#pragma once

#include <string>
#include <string_view>

#include "cluster/generation.h"

namespace winnow {

/// What is wrong with a label key, the complaints joined by "; "; empty if nothing is.
std::string label_key_errors(std::string_view key, Generation generation = Generation::kClassic);
/// The same for a label value.
std::string label_value_errors(std::string_view value, Generation generation = Generation::kClassic);
/// Go's %q.
std::string go_quote(std::string_view text);

}  // namespace winnow
