// Decoders of API objects from JSON, and of the annotation by which a node avoids controllers' pods.
//
// This header is the public interface of cluster/api. decoders.h declares a decoder for each kind; they use
// cluster/text/json_reader.h. json.h there is the parser. json_scan.h there finds parts of a text that are
// read elsewhere or not at all.
//
// Unknown fields are ignored. null counts as absent. The last of equal keys counts, as in Go's decoder. Any
// other value that is not of the API's type is an error. The first error is returned, and then no object. All
// functions may be called from any thread.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/decoders.h"
#include "cluster/api/node.h"
#include "cluster/function_ref.h"

namespace winnow {

/// The cause and the place of an error: `spec.containers[0].resources.requests.cpu: "1..5" is not a
/// quantity`. For text that is not JSON: `line 3, column 7: not JSON: …`.
struct DecodeError {
  std::string message;
  bool is_json = true;  ///< The text is JSON, but not such an object.
};

/// The number of writable bytes that decode_in_situ needs after its text.
inline constexpr std::size_t kDecodePadding = 8;

namespace decode_detail {

/// A function that reads the fields of one object.
using Fields = FunctionRef<bool(const Reader&)>;
/// The implementations of decode() and decode_in_situ() for any kind. @return nothing on success.
std::optional<DecodeError> decode(std::string_view json, const Fields& fields);
std::optional<DecodeError> decode_in_situ(std::span<char> json, const Fields& fields);

}  // namespace decode_detail

/// Decodes one object from a text with nothing else in it. The object's kind and apiVersion are not checked.
template <Decodable Object>
std::expected<Object, DecodeError> decode(std::string_view json) {
  std::expected<Object, DecodeError> object;
  auto error = decode_detail::decode(json, [&](const Reader& r) { return read_fields(r, *object); });
  if (error) object = std::unexpected(std::move(*error));
  return object;
}

/// The same without a copy of the text. The text is overwritten. The kDecodePadding bytes after it must
/// belong to the caller's buffer: they are overwritten and then restored.
template <Decodable Object>
std::expected<Object, DecodeError> decode_in_situ(std::span<char> json) {
  std::expected<Object, DecodeError> object;
  auto error = decode_detail::decode_in_situ(json, [&](const Reader& r) { return read_fields(r, *object); });
  if (error) object = std::unexpected(std::move(*error));
  return object;
}

inline std::expected<Pod, DecodeError> decode_pod(std::string_view json) { return decode<Pod>(json); }
inline std::expected<Node, DecodeError> decode_node(std::string_view json) { return decode<Node>(json); }

// The annotation by which a node asks not to get the pods of some controllers.

inline constexpr std::string_view kPreferAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// The controllers in the annotation's value, in the order written. An entry without a controller is left
/// out. The value is read like Go's json.Unmarshal of v1.AvoidPods, with keys in any case.
/// @return nothing if the value is invalid.
std::optional<std::vector<AvoidedController>> parse_prefer_avoid_pods(std::string_view annotation);

}  // namespace winnow
