#include "tests/oracle/winnow_cel_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "cluster/cel/quantity_value.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/json.h"

namespace winnow::cel {
namespace {

void append_text(std::string& out, std::string_view kind, std::string_view text) {
  out += "{\"";
  out += kind;
  out += "\":";
  append_quoted(out, text);
  out += '}';
}

void append_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    append_text(out, "double", std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
    return;
  }
  std::array<char, 64> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::scientific).ptr;
  append_text(out, "double", {digits.data(), end});
}

void append_list(std::string& out, const List& list) {
  out += "{\"list\":[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    append_typed(out, list.at(i));
  }
  out += "]}";
}

void append_map(std::string& out, const Map& map) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (std::size_t i = 0; i < map.size(); ++i) {
    auto& [key, value] = entries.emplace_back();
    append_typed(key, map.key_at(i));
    append_typed(value, map.value_at(i));
  }
  std::ranges::sort(entries);
  out += "{\"map\":[";
  for (const auto& [key, value] : entries) {
    if (&key != &entries.front().first) out += ',';
    out += '[' + key + ',' + value + ']';
  }
  out += "]}";
}

void append_opaque(std::string& out, const Opaque& opaque) {
  static const std::map<std::string_view, std::string_view> kKinds = {{"kubernetes.Quantity", "quantity"},
                                                                      {"kubernetes.Semver", "semver"},
                                                                      {"kubernetes.URL", "url"},
                                                                      {"kubernetes.NamedFormat", "format"},
                                                                      {"net.IP", "ip"},
                                                                      {"net.CIDR", "cidr"}};
  const auto kind = kKinds.find(opaque.type_name());
  if (kind == kKinds.end()) return append_text(out, "other", opaque.text());
  if (kind->second != "quantity") return append_text(out, kind->second, opaque.text());
  const auto amount = QuantityValue::parse(opaque.text());
  append_text(out, "quantity", amount ? amount->canonical_text() : opaque.text());
}

}  // namespace

void append_typed(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      out += R"({"null":true})";
      return;
    case Kind::kBool:
      out += value.as_bool() ? R"({"bool":true})" : R"({"bool":false})";
      return;
    case Kind::kInt:
      return append_text(out, "int", std::to_string(value.as_int()));
    case Kind::kUint:
      return append_text(out, "uint", std::to_string(value.as_uint()));
    case Kind::kDouble:
      return append_double(out, value.as_double());
    case Kind::kString:
      if (find_not_utf8(value.text()) != std::string_view::npos)
        return append_text(out, "string64", to_base64(value.text()));
      return append_text(out, "string", value.text());
    case Kind::kBytes:
      return append_text(out, "bytes", to_base64(value.text()));
    case Kind::kTimestamp: {
      const Timestamp time = value.as_timestamp();
      out += R"({"timestamp":[")" + std::to_string(time.seconds) + R"(",")" + std::to_string(time.nanos) +
             R"("]})";
      return;
    }
    case Kind::kDuration:
      return append_text(out, "duration", std::to_string(value.as_duration()));
    case Kind::kList:
      return append_list(out, value.as_list());
    case Kind::kMap:
      return append_map(out, value.as_map());
    case Kind::kType:
      return append_text(out, "type", value.text());
    case Kind::kOptional:
      out += R"({"optional":)";
      if (const Value* held = value.as_optional()) {
        append_typed(out, *held);
      } else {
        out += "null";
      }
      out += '}';
      return;
    case Kind::kOpaque:
      return append_opaque(out, value.as_opaque());
    case Kind::kError:
      return append_text(out, "error", value.message());
  }
}

}  // namespace winnow::cel
