// The syntax of label keys and values, with upstream's error texts.
// Upstream: apimachinery v0.16.15, pkg/util/validation/validation.go; v0.37.0, pkg/api/validate/content. Both
// accept the same texts and differ only in the wording of errors.
#pragma once

#include <string>
#include <string_view>

#include "cluster/api/generation.h"

namespace winnow {

/// The errors of a label key, joined by "; "; empty if it is valid.
std::string label_key_errors(std::string_view key, Generation generation = Generation::kClassic);
/// The errors of a label value, joined in the same way.
std::string label_value_errors(std::string_view value, Generation generation = Generation::kClassic);

}  // namespace winnow
