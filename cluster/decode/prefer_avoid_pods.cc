#include "cluster/decode/prefer_avoid_pods.h"

#include <algorithm>

#include "cluster/decode/reader.h"
#include "cluster/text/ascii.h"
#include "cluster/text/json/json.h"

namespace winnow {
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
