#include "extender/protocol/bind_args.h"

#include <array>

#include "cluster/api/object_name.h"
#include "cluster/text/json/json_scan.h"
#include "cluster/text/json/json_string.h"

namespace winnow {
namespace {

/// The part of a wrong name that an error shows.
constexpr std::size_t kShownOfName = 64;

struct Field {
  std::string_view key;
  std::string live::Binding::* member;
  std::string (*errors)(std::string_view);  ///< Null: any text, or none.
};
constexpr std::array kFields = {
    Field{"PodName", &live::Binding::name, &object_name_errors},
    Field{"PodNamespace", &live::Binding::ns, &namespace_name_errors},
    Field{"PodUID", &live::Binding::uid, nullptr},
    Field{"Node", &live::Binding::node, &object_name_errors},
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

/// @return what is wrong with the field, in one line; "" if nothing is.
std::string error_of(const Field& field, std::string_view value) {
  if (!field.errors) return {};
  if (value.empty()) return std::string(field.key) + ": the request has none";
  const std::string errors = field.errors(value);
  if (errors.empty()) return {};
  std::string text = std::string(field.key) + ": ";
  append_quoted(text, value.substr(0, kShownOfName));
  return text + ": " + errors;
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
    if (auto error = error_of(field, binding.*field.member); !error.empty())
      return std::unexpected(std::move(error));
  return binding;
}

}  // namespace winnow
