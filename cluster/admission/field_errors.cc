#include "cluster/admission/field_errors.h"

#include <cstdint>
#include <format>
#include <span>
#include <string_view>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

constexpr std::size_t kLongestText = 1024;
constexpr std::size_t kLongestValue = 256;

std::string shown(std::string_view value) { return go_quote(value, kLongestValue); }

}  // namespace

void FieldErrors::add(std::string_view path, std::string_view what, std::string_view detail) {
  if (is_full()) return;
  std::string text =
      detail.empty() ? std::format("{}: {}", path, what) : std::format("{}: {}: {}", path, what, detail);
  text = utf8_shortened(text, kLongestText);
  kept_.push_back({.path = std::string(path), .text = std::move(text)});
}

void FieldErrors::invalid(std::string_view path, std::string_view value, std::string_view detail) {
  add(path, "Invalid value: " + shown(value), detail);
}

void FieldErrors::invalid(std::string_view path, std::int64_t value, std::string_view detail) {
  add(path, "Invalid value: " + std::to_string(value), detail);
}

void FieldErrors::invalid_object(std::string_view path, std::string_view json, std::string_view detail) {
  add(path, std::string("Invalid value: ").append(json), detail);
}

void FieldErrors::required(std::string_view path, std::string_view detail) {
  add(path, "Required value", detail);
}

void FieldErrors::forbidden(std::string_view path, std::string_view detail) {
  add(path, "Forbidden", detail);
}

void FieldErrors::duplicate(std::string_view path, std::string_view value) {
  add(path, "Duplicate value", shown(value));
}

void FieldErrors::not_found(std::string_view path, std::string_view value) {
  add(path, "Not found", shown(value));
}

void FieldErrors::unsupported(std::string_view path, std::string_view value,
                              std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view word : supported) list += (list.empty() ? "" : ", ") + go_quote(word);
  add(path, "Unsupported value: " + shown(value), "supported values: " + list);
}

}  // namespace winnow
