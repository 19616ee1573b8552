#include "cluster/api/decode.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>

#include "cluster/api/decoders.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"

namespace winnow {
namespace {

static_assert(kDecodePadding == kJsonPadding);

/// The memory that a document uses first. A usual pod fits in it; a larger document takes more from the heap.
constexpr std::size_t kScratchBytes = 64 * 1024;
/// And what it takes for values whose list has not ended: those of a usual pod.
constexpr std::size_t kStackBytes = 4 * 1024;

/// The calling thread's memory. It is in its own function so that all kinds share it.
std::span<char> scratch_memory() {
  alignas(std::max_align_t) thread_local std::array<char, kScratchBytes> scratch;
  return scratch;
}

/// @param text  `size` bytes followed by kJsonPadding zeros.
std::optional<DecodeError> decode_padded(char* text, std::size_t size, const decode_detail::Fields& fields) {
  const std::span<char> scratch = scratch_memory();
  rapidjson::MemoryPoolAllocator<> memory(scratch.data(), scratch.size());
  rapidjson::Document document(&memory, kStackBytes);
  if (const auto error = JsonText(text, size).only(document)) {
    return DecodeError{std::format("line {}, column {}: {}", error->line, error->column, error->message),
                       false};
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

namespace {

/// An element of metadata.managedFields.
struct ManagedFields {
  std::string manager;
  std::string time;  ///< RFC 3339 in UTC: the order of the texts is that of the times.
  bool nominates = false;
};

/// fieldsV1 has a member "f:NAME" for each field that the manager owns, and inside it those of the field.
bool read_fields(const Reader& r, ManagedFields& entry) {
  return r.read("manager", entry.manager) && r.read("time", entry.time) &&
         r.within("fieldsV1", [&](const Reader& fields) {
           return fields.within("f:status", [&](const Reader& status) {
             entry.nominates = status.has("f:nominatedNodeName");
             return true;
           });
         });
}

}  // namespace

// A field that was written by an update has one manager. Only server-side apply of the same value makes it
// two; then the later one is told. Upstream: structured-merge-diff merge/update.go, by apimachinery
// pkg/util/managedfields v0.37.0.
bool read_nominated_by(const Reader& pod, PodStatus& status) {
  std::string newest;
  return pod.within("metadata", [&](const Reader& metadata) {
    return metadata.for_each_in("managedFields", [&](const Reader& element) {
      ManagedFields entry;
      if (element.is_null()) return true;
      if (!read_value(element, entry)) return false;
      if (entry.nominates && entry.time >= newest) {
        newest = std::move(entry.time);
        status.nominated_by = std::move(entry.manager);
        status.nominated_at = parse_rfc3339(newest);
      }
      return true;
    });
  });
}

bool read_value(const Reader& reader, Quantity& target) {
  const rapidjson::Value& value = reader.value();
  if (!value.IsString() && !value.IsNumber()) return reader.fail("a quantity");
  const auto quantity = Quantity::parse(value.IsString() ? trim(string_of(value)) : number_text(value));
  if (!quantity) return reader.fail("a quantity");
  target = *quantity;
  return true;
}

bool read_value(const Reader& reader, Time& target) {
  if (!reader.value().IsString()) return reader.fail("a time");
  const auto seconds = parse_rfc3339(string_of(reader.value()));
  if (!seconds) return reader.fail("a time in RFC 3339 form");
  target.seconds = *seconds;
  return true;
}

static bool read_fields(const Reader& r, OwnerReference& owner) {
  return r.read("apiVersion", owner.api_version) && r.read("kind", owner.kind) &&
         r.read("name", owner.name) && r.read("uid", owner.uid) && r.read("controller", owner.controller);
}

bool read_fields(const Reader& r, ObjectMeta& meta) {
  std::optional<Time> created;
  std::optional<Time> deleted;
  const bool good = r.read("name", meta.name) && r.read("namespace", meta.namespace_) &&
                    r.read("uid", meta.uid) && r.read("resourceVersion", meta.resource_version) &&
                    r.read("labels", meta.labels) && r.read("annotations", meta.annotations) &&
                    r.read("ownerReferences", meta.owner_references) &&
                    r.read("creationTimestamp", created) && r.read("deletionTimestamp", deleted);
  if (created) meta.creation_timestamp = created->seconds;
  meta.deleting = deleted.has_value();
  return good;
}

bool read_fields(const Reader& r, SelectorRequirement& requirement) {
  return r.read("key", requirement.key) && r.read("operator", requirement.op) &&
         r.read("values", requirement.values);
}

bool read_fields(const Reader& r, LabelSelector& selector) {
  return r.read("matchLabels", selector.match_labels) &&
         r.read("matchExpressions", selector.match_expressions);
}

bool read_fields(const Reader& r, NodeSelectorTerm& term) {
  return r.read("matchExpressions", term.match_expressions) && r.read("matchFields", term.match_fields);
}

bool read_fields(const Reader& r, NodeSelector& selector) {
  return r.read("nodeSelectorTerms", selector.terms);
}

namespace {

// Upstream decodes this annotation with encoding/json, which ignores the case of keys. The decoder of objects
// respects the case. As in Go, one field of a wrong type makes the whole annotation invalid, even an unused
// field.

/// A field of a Go struct: its key, which matches in any case, and the function that reads it.
template <class Read>
struct Field {
  std::string_view key;
  Read read;
};
template <class Read>
Field(std::string_view, Read) -> Field<Read>;

/// Reads the object's members in the order written, as encoding/json does. Null counts as absent. A key that
/// occurs twice is read twice, into the same target.
template <class... Reads>
bool read_struct(const Reader& r, const Field<Reads>&... fields) {
  return r.for_each_member([&](std::string_view key, const Reader& value) {
    if (value.is_null()) return true;
    bool good = true;
    (void)((equal_but_for_case(key, fields.key) && (good = fields.read(value), true)) || ...);
    return good;
  });
}

/// A field whose type is checked but whose value is not used.
template <class T>
auto ignored(std::string_view key) {
  return Field{key, [](const Reader& value) {
                 T target{};
                 return read_value(value, target);
               }};
}

bool read_controller(const Reader& r, AvoidedController& controller) {
  return read_struct(r,
                     Field{"kind", [&](const Reader& value) { return read_value(value, controller.kind); }},
                     Field{"uid", [&](const Reader& value) { return read_value(value, controller.uid); }},
                     ignored<std::string>("apiVersion"), ignored<std::string>("name"),
                     ignored<bool>("controller"), ignored<bool>("blockOwnerDeletion"));
}

bool read_entry(const Reader& r, std::optional<AvoidedController>& controller) {
  const auto read_signature = [&](const Reader& signature) {
    return read_struct(signature, Field{"podController", [&](const Reader& value) {
                                          if (!controller) controller.emplace();
                                          return read_controller(value, *controller);
                                        }});
  };
  return read_struct(r, Field{"podSignature", read_signature}, ignored<Time>("evictionTime"),
                     ignored<std::string>("reason"), ignored<std::string>("message"));
}

}  // namespace

std::optional<std::vector<AvoidedController>> parse_prefer_avoid_pods(std::string_view annotation) {
  std::string text(annotation);
  text.append(kJsonPadding, '\0');
  rapidjson::Document document;
  if (JsonText(text.data(), annotation.size()).only(document)) return std::nullopt;
  std::vector<AvoidedController> controllers;
  if (document.IsNull()) return controllers;

  std::string error;
  const auto read_entries = [&](const Reader& entries) {
    controllers.clear();
    return entries.for_each_element([&](const Reader& entry) {
      std::optional<AvoidedController> controller;
      if (!entry.is_null() && !read_entry(entry, controller)) return false;
      if (controller) controllers.push_back(std::move(*controller));
      return true;
    });
  };
  if (!read_struct(Reader(document, nullptr, error), Field{"preferAvoidPods", read_entries}))
    return std::nullopt;
  return controllers;
}

}  // namespace winnow
