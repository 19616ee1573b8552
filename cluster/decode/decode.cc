#include "cluster/decode/decode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>

#include "cluster/decode/json.h"
#include "cluster/decode/reader.h"

namespace winnow {
namespace {

static_assert(kDecodePadding == kJsonPadding);

/// The first memory of a document. A pod fits; what does not goes to the heap.
constexpr std::size_t kScratchBytes = 64 * 1024;

/// One for a thread, not one for a kind.
std::span<char> scratch_memory() {
  alignas(std::max_align_t) thread_local std::array<char, kScratchBytes> scratch;
  return scratch;
}

/// @param text with zeros behind it.
template <class Object>
std::expected<Object, DecodeError> decode_padded(char* text, std::size_t size) {
  const std::span<char> scratch = scratch_memory();
  rapidjson::MemoryPoolAllocator<> memory(scratch.data(), scratch.size());
  rapidjson::Document document(&memory);
  if (const auto error = JsonText(text, size).only(document)) {
    return std::unexpected(
        DecodeError{std::format("line {}, column {}: {}", error->line, error->column, error->message)});
  }
  Object object;
  std::string error;
  if (!read_value(Reader(document, nullptr, error), object))
    return std::unexpected(DecodeError{std::move(error)});
  return object;
}

}  // namespace

template <class Object>
std::expected<Object, DecodeError> decode(std::string_view json) {
  std::string text;
  text.reserve(json.size() + kJsonPadding);
  text.append(json).append(kJsonPadding, '\0');
  return decode_padded<Object>(text.data(), json.size());
}

template <class Object>
std::expected<Object, DecodeError> decode_in_situ(std::span<char> json) {
  char* const behind = json.data() + json.size();
  std::array<char, kJsonPadding> kept{};
  std::copy_n(behind, kJsonPadding, kept.begin());
  std::fill_n(behind, kJsonPadding, '\0');
  auto object = decode_padded<Object>(json.data(), json.size());
  std::ranges::copy(kept, behind);
  return object;
}

#define WINNOW_DECODE(Kind)                                                 \
  template std::expected<Kind, DecodeError> decode<Kind>(std::string_view); \
  template std::expected<Kind, DecodeError> decode_in_situ<Kind>(std::span<char>)

WINNOW_DECODE(Pod);
WINNOW_DECODE(Node);
WINNOW_DECODE(Namespace);
WINNOW_DECODE(Service);
WINNOW_DECODE(ReplicationController);
WINNOW_DECODE(ReplicaSet);
WINNOW_DECODE(StatefulSet);
WINNOW_DECODE(PersistentVolume);
WINNOW_DECODE(PersistentVolumeClaim);
WINNOW_DECODE(StorageClass);
WINNOW_DECODE(CsiNode);
WINNOW_DECODE(CsiDriver);
WINNOW_DECODE(CsiStorageCapacity);
WINNOW_DECODE(VolumeAttachment);
WINNOW_DECODE(PodDisruptionBudget);
WINNOW_DECODE(EndpointSlice);

#undef WINNOW_DECODE

}  // namespace winnow
