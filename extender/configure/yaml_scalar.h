// Internal to extender/configure: values of JSON as YAML on one line.
#pragma once

#include <string>
#include <string_view>

#include "cluster/text/json/json_reader.h"

namespace winnow {

/// A string as a scalar. It is quoted unless every reader takes it for that string.
std::string yaml_string(std::string_view text);

/// A value in flow style.
std::string yaml_flow(const rapidjson::Value& value);

}  // namespace winnow
