// "Did you mean …?", for names that a user wrote.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// The known names that `name` may have been meant to be, the nearest first, at most three. Near is: equal
/// but for case, a few letters off (insert, delete, replace, swap two), or one holding the other. Equally
/// near ones stay in the order of `known`.
std::vector<std::string_view> near_names(std::string_view name, std::span<const std::string_view> known);

/// ` (did you mean "A" or "B"?)`; empty if nothing is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace winnow
