#include "cluster/decode/decode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>

#include "cluster/decode/reader.h"
#include "cluster/text/json/json.h"

namespace winnow {
namespace {

static_assert(kDecodePadding == kJsonPadding);

/// The memory that a document uses first. A usual pod fits in it; a larger document takes more from the heap.
constexpr std::size_t kScratchBytes = 64 * 1024;

/// The calling thread's memory. It is in its own function so that all kinds share it.
std::span<char> scratch_memory() {
  alignas(std::max_align_t) thread_local std::array<char, kScratchBytes> scratch;
  return scratch;
}

/// @param text  `size` bytes followed by kJsonPadding zeros.
std::optional<DecodeError> decode_padded(char* text, std::size_t size, const decode_detail::Fields& fields) {
  const std::span<char> scratch = scratch_memory();
  rapidjson::MemoryPoolAllocator<> memory(scratch.data(), scratch.size());
  rapidjson::Document document(&memory);
  if (const auto error = JsonText(text, size).only(document)) {
    return DecodeError{std::format("line {}, column {}: {}", error->line, error->column, error->message)};
  }
  std::string error;
  const Reader reader(document, nullptr, error);
  if (!reader.expect_object() || !fields(reader)) return DecodeError{std::move(error)};
  return std::nullopt;
}

}  // namespace

std::optional<DecodeError> decode_detail::decode(std::string_view json, const Fields& fields) {
  std::string text;
  text.reserve(json.size() + kJsonPadding);
  text.append(json).append(kJsonPadding, '\0');
  return decode_padded(text.data(), json.size(), fields);
}

std::optional<DecodeError> decode_detail::decode_in_situ(std::span<char> json, const Fields& fields) {
  char* const behind = json.data() + json.size();
  std::array<char, kJsonPadding> kept{};
  std::copy_n(behind, kJsonPadding, kept.begin());
  std::fill_n(behind, kJsonPadding, '\0');
  auto error = decode_padded(json.data(), json.size(), fields);
  std::ranges::copy(kept, behind);
  return error;
}

}  // namespace winnow
