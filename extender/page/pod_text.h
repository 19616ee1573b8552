// A pod as people write it.
#pragma once

#include <expected>
#include <string>

namespace winnow {

/// Reads one object, YAML or JSON. @return it as JSON; or one line: "line 3, column 7: …", "expected a Pod".
std::expected<std::string, std::string> pod_as_json(std::string text);

}  // namespace winnow
