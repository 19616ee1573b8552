#include "cluster/text/json/json_write.h"

#include "cluster/text/json/json_reader.h"
#include "cluster/text/json/json_string.h"

namespace winnow {

// Recursive: the parser has bounded the depth (kMaxJsonDepth).
void append_value(std::string& out, const rapidjson::Value& value) {
  const char* joint = "";
  switch (value.GetType()) {
    case rapidjson::kNullType:
      out += "null";
      break;
    case rapidjson::kFalseType:
      out += "false";
      break;
    case rapidjson::kTrueType:
      out += "true";
      break;
    case rapidjson::kStringType:
      append_quoted(out, string_of(value));
      break;
    case rapidjson::kNumberType:
      out += number_text(value);
      break;
    case rapidjson::kArrayType:
      out += '[';
      for (const auto& element : value.GetArray()) {
        out += joint;
        append_value(out, element);
        joint = ",";
      }
      out += ']';
      break;
    case rapidjson::kObjectType:
      out += '{';
      for (const auto& member : value.GetObject()) {
        out += joint;
        append_quoted(out, string_of(member.name));
        out += ':';
        append_value(out, member.value);
        joint = ",";
      }
      out += '}';
      break;
  }
}

}  // namespace winnow
