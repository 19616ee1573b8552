#include "cluster/decode/reader.h"

#include "cluster/text/ascii.h"
#include "cluster/text/rfc3339.h"

namespace winnow {

bool read_value(const Reader& reader, Quantity& target) {
  const rapidjson::Value& value = reader.value();
  if (!value.IsString() && !value.IsNumber()) return reader.fail("a quantity");
  const auto quantity = Quantity::parse(value.IsString() ? trim(string_of(value)) : number_text(value));
  if (!quantity) return reader.fail("a quantity");
  target = *quantity;
  return true;
}

bool read_value(const Reader& reader, Time& target) {
  if (!reader.value().IsString()) return reader.fail("a time");
  const auto seconds = parse_rfc3339(string_of(reader.value()));
  if (!seconds) return reader.fail("a time in RFC 3339 form");
  target.seconds = *seconds;
  return true;
}

}  // namespace winnow
