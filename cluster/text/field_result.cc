#include "cluster/text/field_result.h"

#include <format>

#include "cluster/text/go_format.h"

namespace winnow {
namespace {

std::unexpected<std::string> say(std::string_view path, std::string_view what, std::string_view detail) {
  return std::unexpected(detail.empty() ? std::format("{}: {}", path, what)
                                        : std::format("{}: {}: {}", path, what, detail));
}

}  // namespace

std::unexpected<std::string> invalid(std::string_view path, std::string_view value, std::string_view detail) {
  return say(path, "Invalid value: " + go_quote(value), detail);
}

std::unexpected<std::string> invalid(std::string_view path, std::int64_t value, std::string_view detail) {
  return say(path, "Invalid value: " + std::to_string(value), detail);
}

std::unexpected<std::string> required(std::string_view path, std::string_view detail) {
  return say(path, "Required value", detail);
}

std::unexpected<std::string> forbidden(std::string_view path, std::string_view detail) {
  return say(path, "Forbidden", detail);
}

std::unexpected<std::string> duplicate(std::string_view path, std::string_view value) {
  return say(path, "Duplicate value", go_quote(value));
}

std::unexpected<std::string> unsupported(std::string_view path, std::string_view value,
                                         std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view word : supported) list += (list.empty() ? "" : ", ") + go_quote(word);
  return say(path, "Unsupported value: " + go_quote(value), "supported values: " + list);
}

std::string child(std::string_view path, std::string_view field) {
  return path.empty() ? std::string(field) : std::format("{}.{}", path, field);
}

std::string element(std::string_view path, std::size_t index) { return std::format("{}[{}]", path, index); }

std::string member(std::string_view path, std::string_view key) { return std::format("{}[{}]", path, key); }

}  // namespace winnow
