// API objects from their JSON.
//
// cluster/decode has one file for each group of kinds (pod.cc, node.cc, workload.cc, storage.cc), which
// read as lists of fields; reader.h is what they are written in, json.h the way to the parser; json_scan.h
// finds the parts of a text that are read elsewhere or not at all. This header
// is the public face. Unknown fields are ignored and null is absent, as Go's decoder has it; the last of
// equal keys wins. Anything else that is not of the API's type is an error, the first one found, and
// then nothing is returned. Everything here may be called from any thread.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/model/node.h"
#include "cluster/model/pod.h"
#include "cluster/model/storage.h"
#include "cluster/model/workload.h"

namespace winnow {

/// What is wrong and where: `spec.containers[0].resources.requests.cpu: "1..5" is not a quantity`, or for
/// text that is not JSON, `line 3, column 7: not JSON: …`.
struct DecodeError {
  std::string message;
};

/// Decodes one object of the kind, one of the 16 of cluster/model, from text that holds nothing else. Its
/// own kind and apiVersion are not looked at.
template <class Object>
std::expected<Object, DecodeError> decode(std::string_view json);

/// The writable bytes that decode_in_situ borrows behind its text.
inline constexpr std::size_t kDecodePadding = 8;

/// The same without a copy of the text. The text is spoiled; kDecodePadding bytes behind it must belong to
/// the caller's buffer too: they are overwritten and put back.
template <class Object>
std::expected<Object, DecodeError> decode_in_situ(std::span<char> json);

inline std::expected<Pod, DecodeError> decode_pod(std::string_view json) { return decode<Pod>(json); }
inline std::expected<Node, DecodeError> decode_node(std::string_view json) { return decode<Node>(json); }

/// The annotation scheduler.alpha.kubernetes.io/preferAvoidPods: kind and uid of the controllers of the pods
/// to be avoided, in the order written; an entry without a controller is left out. As Go's json.Unmarshal of
/// v1.AvoidPods: keys in any case. @return nothing where that fails.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_prefer_avoid_pods(
    std::string_view annotation);

}  // namespace winnow
