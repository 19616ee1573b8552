// Internal: values as JSON text. Only .cc files include this.
#pragma once

#include <rapidjson/document.h>

#include <string>

namespace winnow {

/// Appends the value, without white space. Members keep their order. Numbers read as the same ones again.
void append_value(std::string& out, const rapidjson::Value& value);

}  // namespace winnow
