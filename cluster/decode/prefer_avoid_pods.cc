#include <algorithm>

#include "cluster/decode/decode.h"
#include "cluster/decode/json.h"
#include "cluster/decode/reader.h"

namespace winnow {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_in_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

/// One field of a Go struct: the key in any case, and what reads it.
template <class Read>
struct Field {
  std::string_view key;
  Read read;
};
template <class Read>
Field(std::string_view, Read) -> Field<Read>;

/// Reads the object's members in the order written, as encoding/json does; null is absent. A key that
/// comes twice is read twice, into the same place.
template <class... Reads>
bool read_struct(const Reader& r, const Field<Reads>&... fields) {
  return r.for_each_member([&](std::string_view key, const Reader& value) {
    if (value.is_null()) return true;
    bool good = true;
    (void)((same_in_any_case(key, fields.key) && (good = fields.read(value), true)) || ...);
    return good;
  });
}

/// A field whose type is checked and whose value is of no interest.
template <class T>
auto ignored(std::string_view key) {
  return Field{key, [](const Reader& value) {
                 T target{};
                 return read_value(value, target);
               }};
}

struct Controller {
  std::string kind;
  std::string uid;
};

bool read_controller(const Reader& r, Controller& controller) {
  return read_struct(r,
                     Field{"kind", [&](const Reader& value) { return read_value(value, controller.kind); }},
                     Field{"uid", [&](const Reader& value) { return read_value(value, controller.uid); }},
                     ignored<std::string>("apiVersion"), ignored<std::string>("name"),
                     ignored<bool>("controller"), ignored<bool>("blockOwnerDeletion"));
}

bool read_entry(const Reader& r, std::optional<Controller>& controller) {
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

std::optional<std::vector<std::pair<std::string, std::string>>> parse_prefer_avoid_pods(
    std::string_view annotation) {
  std::string text(annotation);
  text.append(kJsonPadding, '\0');
  rapidjson::Document document;
  if (JsonText(text.data(), annotation.size()).only(document)) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> controllers;
  if (document.IsNull()) return controllers;

  std::string error;
  const auto read_entries = [&](const Reader& entries) {
    controllers.clear();
    return entries.for_each_element([&](const Reader& entry) {
      std::optional<Controller> controller;
      if (!entry.is_null() && !read_entry(entry, controller)) return false;
      if (controller) controllers.emplace_back(std::move(controller->kind), std::move(controller->uid));
      return true;
    });
  };
  if (!read_struct(Reader(document, nullptr, error), Field{"preferAvoidPods", read_entries}))
    return std::nullopt;
  return controllers;
}

}  // namespace winnow
