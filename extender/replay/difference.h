// Where two answers differ, in words.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

/// The first differences of two JSON texts, a line each: `FailedNodes.n-1: "Insufficient cpu", now nothing`.
/// Elements of a list with a Host or a name are called by it. Texts that are not JSON are compared as they
/// are.
std::vector<std::string> find_differences(std::string_view recorded, std::string_view now, std::size_t most);

}  // namespace winnow
