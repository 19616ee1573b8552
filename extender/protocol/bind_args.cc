#include "extender/protocol/bind_args.h"

#include <array>

#include "cluster/text/json/json_scan.h"
#include "cluster/text/json/json_string.h"

namespace winnow {
namespace {

struct Field {
  std::string_view key;
  std::string live::Binding::* member;
};
constexpr std::array kFields = {
    Field{"PodName", &live::Binding::name},
    Field{"PodNamespace", &live::Binding::ns},
    Field{"PodUID", &live::Binding::uid},
    Field{"Node", &live::Binding::node},
};

bool read_member(JsonScan& scan, live::Binding& binding) {
  const std::string_view key = scan.string();
  if (scan.failed() || !scan.expect(':')) return false;
  const bool is_string = scan.peek() == '"';
  const std::string_view value = scan.value();
  if (scan.failed()) return false;
  for (const Field& field : kFields) {
    if (!key_is(key, field.key) || value == "null") continue;
    if (!is_string || !unescape(value, binding.*field.member))
      return scan.fail(std::string(field.key) + " to be a string");
  }
  return true;
}

}  // namespace

std::expected<live::Binding, std::string> read_binding(std::string_view body) {
  JsonScan scan(body);
  live::Binding binding;
  if (!scan.expect('{')) return std::unexpected(scan.error());
  if (!scan.eat('}')) {
    do {
      if (!read_member(scan, binding)) return std::unexpected(scan.error());
    } while (scan.eat(','));
    if (!scan.expect('}')) return std::unexpected(scan.error());
  }
  if (!scan.expect_end()) return std::unexpected(scan.error());
  for (const Field& field : kFields)
    if ((binding.*field.member).empty() && field.key != "PodUID")
      return std::unexpected(std::string(field.key) + ": the request has none");
  return binding;
}

}  // namespace winnow
