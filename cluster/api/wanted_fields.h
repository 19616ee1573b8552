// Which fields of pods and nodes are kept beside what rules know: those that users' expressions read.
//
// A process has one list of them. Configurations add to it before objects are decoded by them; decoders keep
// what it names. Fields that an earlier configuration wanted stay in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

class Reader;
struct Pod;

enum class FieldsOf : std::uint8_t { kPods, kNodes };

/// A field as the keys that lead to it: {"metadata", "annotations", "example.com/load"}.
using FieldPath = std::vector<std::string>;
/// The field as a JSON Pointer (RFC 6901), "/metadata/annotations/example.com~1load", and back.
std::string pointer_of(const FieldPath& path);
FieldPath path_of(std::string_view pointer);

/// Sorted, each once, and without those that are inside another one.
std::vector<std::string> least_fields(std::vector<std::string> pointers);

/// Adds fields to the list, by their pointers. Thread-safe.
void want_fields(FieldsOf of, std::span<const std::string> pointers);
/// From now on decoders read when a pod's containers have started: see PodStatus::running_since. Thread-safe.
void want_running_since();
bool wants_running_since();
/// An object's JSON with the wanted fields that it has, the objects around them, also those without any, and
/// nothing else; "" where none is wanted or there.
/// Thread-safe.
std::string kept_fields(FieldsOf of, const Reader& object);
/// What of a pod that was made from another object's template, or from another pod, would be kept: the
/// template's fields, with what the pod itself says of its metadata, its scheduler and its priority.
/// @param pod  its `fields` are the template's. Thread-safe.
std::string fields_of_made(const Pod& pod);

}  // namespace winnow
