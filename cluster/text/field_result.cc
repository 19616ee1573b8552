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

namespace {

/// The texts as one. Every object that is checked has its paths made, so that this is quicker than a format.
std::string in_one(std::string_view a, std::string_view b, std::string_view c, std::string_view d = {}) {
  std::string text;
  text.reserve(a.size() + b.size() + c.size() + d.size());
  return text.append(a).append(b).append(c).append(d);
}

}  // namespace

std::string child(std::string_view path, std::string_view field) {
  return path.empty() ? std::string(field) : in_one(path, ".", field);
}

std::string element(std::string_view path, std::size_t index) { return member(path, std::to_string(index)); }

std::string member(std::string_view path, std::string_view key) { return in_one(path, "[", key, "]"); }

}  // namespace winnow
