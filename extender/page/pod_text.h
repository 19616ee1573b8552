// A pod as people write it.
#pragma once

#include <expected>
#include <functional>
#include <string>

namespace winnow {

/// Reads one object, YAML or JSON. @return it as JSON; or one line: "line 3, column 7: …", "expected a Pod".
/// @param look  called now and then; what it throws ends the reading. Null: nothing is called.
std::expected<std::string, std::string> pod_as_json(std::string text, std::function<void()> look = nullptr);

}  // namespace winnow
