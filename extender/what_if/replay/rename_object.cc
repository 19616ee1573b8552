// Renaming::object: API objects, and the bodies of calls.
#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/api/quantity.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/what_if/replay/anonymize_allowlist.h"
#include "extender/what_if/replay/renaming.h"

namespace winnow {
namespace {

using rapidjson::Value;

/// Fields whose texts are words of the API.
constexpr auto kWordFields = std::to_array<std::string_view>({"accessModes",
                                                              "action",
                                                              "allocationMode",
                                                              "bindingConditions",
                                                              "bindingFailureConditions",
                                                              "effect",
                                                              "nodeAffinityPolicy",
                                                              "nodeTaintsPolicy",
                                                              "operator",
                                                              "phase",
                                                              "preemptionPolicy",
                                                              "protocol",
                                                              "reason",
                                                              "restartPolicy",
                                                              "skipNodeOperations",
                                                              "status",
                                                              "type",
                                                              "volumeBindingMode",
                                                              "volumeMode",
                                                              "whenUnsatisfiable"});

/// Objects whose keys are keys of labels, and their values labels.
constexpr auto kLabelMaps = std::to_array<std::string_view>({"labels", "matchLabels", "nodeSelector"});

/// Objects whose keys are resources, and their values amounts.
constexpr auto kAmountMaps = std::to_array<std::string_view>(
    {"requests", "limits", "capacity", "allocatable", "allocatedResources", "overhead", "podFixed", "default",
     "defaultRequest", "max", "min", "maxLimitRequestRatio"});

/// Fields whose texts are amounts.
constexpr auto kAmounts = std::to_array<std::string_view>(
    {"capacity", "maximumVolumeSize", "default", "min", "max", "step", "validValues"});

/// Fields whose texts are names of attributes of devices.
constexpr auto kAttributeFields = std::to_array<std::string_view>({"matchAttribute", "distinctAttribute"});

/// Fields whose texts are keys of labels, or resources.
constexpr auto kKeyFields = std::to_array<std::string_view>(
    {"key", "topologyKey", "topologyKeys", "matchLabelKeys", "mismatchLabelKeys", "extendedResourceName"});

constexpr auto kImageFields = std::to_array<std::string_view>({"image", "names", "reference"});

/// Objects whose keys are names, of nodes or of pods.
constexpr auto kNameMaps =
    std::to_array<std::string_view>({"nodeNameToVictims", "nodeNameToMetaVictims", "disruptedPods"});

constexpr std::string_view kPreferAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// Go's decoder takes keys in any case.
template <std::size_t kSize>
bool names_one_of(const std::array<std::string_view, kSize>& words, std::string_view key) {
  return std::ranges::any_of(words, [&](std::string_view word) { return equal_but_for_case(word, key); });
}

/// The walk over one object.
class Rewriting {
 public:
  explicit Rewriting(Renaming& names) : names_(names) {}

  /// @param field  the name of the field that has the value, or that has the list with it.
  void value(std::string& out, const Value& value, std::string_view field);

 private:
  void members(std::string& out, const Value& object);
  void labels(std::string& out, const Value& object);
  void amounts(std::string& out, const Value& object);
  void device_amounts(std::string& out, const Value& object);
  void device_amount(std::string& out, const Value& object);
  void device_attributes(std::string& out, const Value& object);
  bool of_devices(std::string& out, const Value& object, std::string_view field);
  void annotations(std::string& out, const Value& object);
  void by_name(std::string& out, const Value& object);
  void pod_template(std::string& out, const Value& object);
  void elements(std::string& out, const Value& list, std::string_view field);
  void text(std::string& out, std::string_view text, std::string_view field);
  bool special(std::string& out, const Value& object, std::string_view field);

  Renaming& names_;
};

/// Appends a member's key and the colon.
void begin_member(std::string& out, std::string_view key) {
  if (!out.ends_with('{')) out += ',';
  append_quoted(out, key);
  out += ':';
}

bool has_only_texts(const Value& object) {
  return std::ranges::all_of(object.GetObject(), [](const auto& member) { return member.value.IsString(); });
}

/// Others are left out. Upstream expects the features in order, so that one that is replaced would hide some.
bool is_feature(std::string_view text) {
  static const std::vector<std::string> kFeatures = feature_names(UINT8_MAX);
  return std::ranges::contains(kFeatures, text);
}

void Rewriting::members(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    const std::string_view key = string_of(member.name);
    if (!is_kept_field(key)) continue;
    begin_member(out, key);
    value(out, member.value, key);
  }
  out += '}';
}

void Rewriting::labels(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    begin_member(out, names_.key(string_of(member.name)));
    value(out, member.value, "labels");
  }
  out += '}';
}

bool is_amount(const Value& value) {
  return value.IsNumber() || (value.IsString() && Quantity::parse(string_of(value)));
}

void Rewriting::amounts(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    if (!is_amount(member.value)) continue;
    begin_member(out, names_.key(string_of(member.name)));
    append_value(out, member.value);
  }
  out += '}';
}

/// An amount with its policy: {"value":"40Gi","requestPolicy":{…}}.
void Rewriting::device_amount(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    const std::string_view key = string_of(member.name);
    const bool is_policy = key == "requestPolicy" && member.value.IsObject();
    if (!is_policy && !(key == "value" && is_amount(member.value))) continue;
    begin_member(out, key);
    value(out, member.value, is_policy ? key : "capacity");
  }
  out += '}';
}

/// The capacities or the counters of a device: bare amounts, or such with a policy.
void Rewriting::device_amounts(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    if (!member.value.IsObject() && !is_amount(member.value)) continue;
    begin_member(out, names_.device_key(string_of(member.name)));
    if (member.value.IsObject())
      device_amount(out, member.value);
    else
      append_value(out, member.value);
  }
  out += '}';
}

/// The types stay, and lists of values go: no rule reads them.
void Rewriting::device_attributes(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    if (!member.value.IsObject()) continue;
    begin_member(out, names_.device_key(string_of(member.name)));
    out += '{';
    for (const auto& one : member.value.GetObject()) {
      const std::string_view type = string_of(one.name);
      if (!(type == "int" || type == "bool" || type == "string" || type == "version")) continue;
      begin_member(out, type);
      if (one.value.IsString())
        append_quoted(out, names_.device_value(string_of(one.value)));
      else
        append_value(out, one.value);
    }
    out += '}';
  }
  out += '}';
}

/// Whether it is what a request asks of a device's capacity: {"requests":{"memory":"1Gi"}}.
bool asks_capacity(const Value& object) {
  const auto requests = object.FindMember("requests");
  return object.MemberCount() == 1 && requests != object.MemberEnd() && requests->value.IsObject() &&
         !requests->value.HasMember("value");
}

/// @return whether the field is one of devices whose objects have keys of their own.
bool Rewriting::of_devices(std::string& out, const Value& object, std::string_view field) {
  const auto is_object = [](const auto& member) { return member.value.IsObject(); };
  if (field == "attributes") return device_attributes(out, object), true;
  if (field == "counters" || field == "consumedCapacity") return device_amounts(out, object), true;
  if (field != "capacity" || std::ranges::none_of(object.GetObject(), is_object)) return false;
  if (!asks_capacity(object)) return device_amounts(out, object), true;
  out += R"({"requests":)";
  device_amounts(out, object["requests"]);
  out += '}';
  return true;
}

void Rewriting::annotations(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    const std::string_view key = string_of(member.name);
    if (!member.value.IsString()) continue;
    if (is_kept_annotation(key)) {
      begin_member(out, key);
      text(out, string_of(member.value), "annotations");
    } else if (key == kPreferAvoidPods) {
      begin_member(out, key);
      append_quoted(out, names_.object(string_of(member.value)));
    }
  }
  out += '}';
}

void Rewriting::by_name(std::string& out, const Value& object) {
  out += '{';
  for (const auto& member : object.GetObject()) {
    begin_member(out, names_.name(string_of(member.name)));
    value(out, member.value, "");
  }
  out += '}';
}

/// The labels of the pods to be: nothing else of a template is read.
void Rewriting::pod_template(std::string& out, const Value& object) {
  out += R"({"metadata":{)";
  const auto metadata = object.FindMember("metadata");
  if (metadata != object.MemberEnd() && metadata->value.IsObject()) {
    const auto found = metadata->value.FindMember("labels");
    if (found != metadata->value.MemberEnd() && found->value.IsObject()) {
      begin_member(out, "labels");
      labels(out, found->value);
    }
  }
  out += "}}";
}

/// Whether it is the overhead of a RuntimeClass, which has its amounts one level below.
bool is_overhead_of_class(const Value& object, std::string_view field) {
  return equal_but_for_case(field, "overhead") &&
         std::ranges::any_of(object.GetObject(), [](const auto& member) { return member.value.IsObject(); });
}

/// @return whether the field is one whose objects have keys of their own.
bool Rewriting::special(std::string& out, const Value& object, std::string_view field) {
  if (of_devices(out, object, field)) return true;
  if (names_one_of(kLabelMaps, field) || (field == "selector" && has_only_texts(object)))
    return labels(out, object), true;
  if (names_one_of(kAmountMaps, field) && !is_overhead_of_class(object, field))
    return amounts(out, object), true;
  if (equal_but_for_case(field, "annotations")) return annotations(out, object), true;
  if (names_one_of(kNameMaps, field)) return by_name(out, object), true;
  if (equal_but_for_case(field, "template")) return pod_template(out, object), true;
  return false;
}

void Rewriting::elements(std::string& out, const Value& list, std::string_view field) {
  out += '[';
  for (const auto& element : list.GetArray()) {
    if (field == "declaredFeatures" && !(element.IsString() && is_feature(string_of(element)))) continue;
    if (!out.ends_with('[')) out += ',';
    // The limits of a LimitRange are a list, and those of a container are not.
    value(out, element, element.IsObject() ? "" : field);
  }
  out += ']';
}

void Rewriting::value(std::string& out, const Value& value, std::string_view field) {
  if (value.IsObject()) {
    if (!special(out, value, field)) members(out, value);
  } else if (value.IsArray()) {
    elements(out, value, field);
  } else if (value.IsString()) {
    text(out, string_of(value), field);
  } else {
    append_value(out, value);
  }
}

void Rewriting::text(std::string& out, std::string_view text, std::string_view field) {
  const auto is = [&](std::string_view name) { return equal_but_for_case(field, name); };
  if (names_one_of(kWordFields, field))
    append_quoted(out, names_.word(text));
  else if (parse_rfc3339(text) || (names_one_of(kAmounts, field) && Quantity::parse(text)))
    append_quoted(out, text);
  else if (is("declaredFeatures") && is_feature(text))
    append_quoted(out, text);
  else if (is("kind"))
    append_quoted(out, names_.kind(text));
  else if (is("apiVersion"))
    append_quoted(out, names_.api_version(text));
  else if (names_one_of(kKeyFields, field))
    append_quoted(out, names_.key(text));
  else if (names_one_of(kImageFields, field))
    append_quoted(out, names_.image(text));
  else if (names_one_of(kAttributeFields, field))
    append_quoted(out, names_.device_key(text));
  else if (is("expression"))
    append_quoted(out, names_.expression(text));
  else if (is("uid") || is("podUID") || is("shareID"))
    append_quoted(out, names_.uid(text));
  else
    append_quoted(out, names_.name(text));
}

}  // namespace

std::string Renaming::object(std::string_view json) {
  if (!json.starts_with('{')) return "";
  const auto document = load_document(std::string(json));
  if (!document || !document->root().IsObject()) return "";
  std::string out;
  Rewriting(*this).value(out, document->root(), "");
  return out;
}

}  // namespace winnow
