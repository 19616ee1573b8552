// API objects from their JSON.
//
// This header is the public face of cluster/decode. A decoder of each kind is declared in decoders.h, and
// written in what reader.h offers. cluster/text/json.h is the way to the parser, and json_scan.h there finds
// the parts of a text that are read elsewhere or not at all.
//
// Unknown fields are ignored. null is absent. The last of equal keys wins, as in Go's decoder. Any other
// value that is not of the API's type is an error: the first one is told, and no object is returned.
// Everything here may be called from any thread.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/decode/decoders.h"

namespace winnow {

/// What is wrong and where: `spec.containers[0].resources.requests.cpu: "1..5" is not a quantity`, or for
/// text that is not JSON, `line 3, column 7: not JSON: …`.
struct DecodeError {
  std::string message;
};

/// The writable bytes that decode_in_situ borrows behind its text.
inline constexpr std::size_t kDecodePadding = 8;

namespace decode_detail {

/// Reads the fields of the object that a call is for.
using Fields = std::function<bool(const Reader&)>;
/// These are decode() and decode_in_situ() for any kind. @return nothing for a success.
std::optional<DecodeError> decode(std::string_view json, const Fields& fields);
std::optional<DecodeError> decode_in_situ(std::span<char> json, const Fields& fields);

}  // namespace decode_detail

/// Decodes one object from text that holds nothing else. The object's own kind and apiVersion are not looked
/// at.
template <Decodable Object>
std::expected<Object, DecodeError> decode(std::string_view json) {
  std::expected<Object, DecodeError> object;
  auto error = decode_detail::decode(json, [&](const Reader& r) { return read_fields(r, *object); });
  if (error) object = std::unexpected(std::move(*error));
  return object;
}

/// The same without a copy of the text. The text is spoiled. kDecodePadding bytes behind it must belong to
/// the caller's buffer too: they are overwritten and put back.
template <Decodable Object>
std::expected<Object, DecodeError> decode_in_situ(std::span<char> json) {
  std::expected<Object, DecodeError> object;
  auto error = decode_detail::decode_in_situ(json, [&](const Reader& r) { return read_fields(r, *object); });
  if (error) object = std::unexpected(std::move(*error));
  return object;
}

inline std::expected<Pod, DecodeError> decode_pod(std::string_view json) { return decode<Pod>(json); }
inline std::expected<Node, DecodeError> decode_node(std::string_view json) { return decode<Node>(json); }

}  // namespace winnow
