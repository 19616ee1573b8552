#include "cluster/admission/field_errors.h"

#include <cstdint>
#include <format>
#include <span>
#include <string_view>

#include "cluster/api/quantity.h"
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

void FieldErrors::required(std::string_view path, std::string_view detail) {
  add(path, "Required value", detail);
}

void FieldErrors::forbidden(std::string_view path, std::string_view detail) {
  add(path, "Forbidden", detail);
}

void FieldErrors::duplicate(std::string_view path, std::string_view value) {
  add(path, "Duplicate value", shown(value));
}

void FieldErrors::unsupported(std::string_view path, std::string_view value,
                              std::span<const std::string_view> supported) {
  std::string list;
  for (const std::string_view word : supported) list += (list.empty() ? "" : ", ") + go_quote(word);
  add(path, "Unsupported value: " + shown(value), "supported values: " + list);
}

namespace {

/// A number with a suffix.
struct Written {
  std::int64_t number;
  std::string_view suffix;
};

/// The amount with the largest suffix that leaves a whole number.
Written with_suffix(std::int64_t units, std::int64_t step, std::span<const std::string_view> suffixes) {
  Written written{units, ""};
  for (const std::string_view suffix : suffixes) {
    if (units == 0 || written.number % step != 0) break;
    written = {written.number / step, suffix};
  }
  return written;
}

std::uint64_t size_of(std::int64_t number) {
  return number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
}

}  // namespace

std::string quantity_text(const Quantity& amount) {
  const std::int64_t units = amount.value();
  if (Quantity::of_units(units) != amount) return std::to_string(amount.milli_value()) + "m";
  constexpr std::string_view kDecimal[] = {"k", "M", "G", "T", "P", "E"};
  constexpr std::string_view kBinary[] = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  // Counts of cores are small. What is large, and round in the binary way, are bytes.
  constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
  const Written decimal = with_suffix(units, 1000, kDecimal);
  const Written binary = with_suffix(units, 1024, kBinary);
  const bool is_binary = size_of(units) >= kMebi && size_of(binary.number) <= size_of(decimal.number);
  const Written& shown = is_binary ? binary : decimal;
  return std::to_string(shown.number).append(shown.suffix);
}

}  // namespace winnow
