// Renaming::config: configurations.
#include <rapidjson/document.h>

#include <algorithm>
#include <array>

#include "cluster/text/json/document.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/json/json_string.h"
#include "cluster/text/json/json_write.h"
#include "extender/config/kept_config.h"
#include "extender/replay/renaming.h"

namespace winnow {
namespace {

using rapidjson::Value;

/// Fields whose texts are words of a configuration.
constexpr auto kConfigWords =
    std::to_array<std::string_view>({"operator", "type", "whenUnsatisfiable", "defaultingType", "provider",
                                     "nodeAffinityPolicy", "nodeTaintsPolicy"});
/// Fields whose texts kept_config() has made sure of: durations, and which verbs an extender has.
constexpr auto kMadeSure = std::to_array<std::string_view>(
    {"filterTimeout", "bindingTimeout", "filterVerb", "preemptVerb", "prioritizeVerb", "bindVerb"});
/// Lists of things whose name is a resource's.
constexpr auto kResourceLists = std::to_array<std::string_view>({"resources", "managedResources"});

/// The walk over what is kept of a configuration. What is not known for a word is replaced, so that a label
/// is the same here and there.
class ConfigRewriting {
 public:
  explicit ConfigRewriting(Renaming& names) : names_(names) {}

  /// @param field  the name of the field that has the value, or that has the list with it.
  void value(std::string& out, const Value& value, std::string_view field, std::string_view parent) {
    if (value.IsObject()) {
      members(out, value, field);
    } else if (value.IsArray()) {
      out += '[';
      for (const auto& element : value.GetArray()) {
        if (!out.ends_with('[')) out += ',';
        this->value(out, element, field, parent);
      }
      out += ']';
    } else if (value.IsString()) {
      append_quoted(out, text(string_of(value), field, parent));
    } else {
      append_value(out, value);
    }
  }

 private:
  void members(std::string& out, const Value& object, std::string_view field) {
    const bool is_map = field == "matchLabels";
    out += '{';
    for (const auto& member : object.GetObject()) {
      const std::string_view key = string_of(member.name);
      if (!out.ends_with('{')) out += ',';
      append_quoted(out, is_map ? names_.key(key) : std::string(key));
      out += ':';
      value(out, member.value, is_map ? "matchLabels" : key, field);
    }
    out += '}';
  }

  std::string text(std::string_view text, std::string_view field, std::string_view parent) {
    if (std::ranges::contains(kMadeSure, field)) return std::string(text);
    if (std::ranges::contains(kConfigWords, field)) return names_.word(text);
    if (field == "kind") return is_config_kind(text) ? std::string(text) : names_.name(text);
    if (field == "apiVersion") return names_.api_version(text);
    if (field == "urlPrefix") return "http://extender";
    if (field == "name" && !std::ranges::contains(kResourceLists, parent)) return names_.rule(text);
    return names_.key(text);
  }

  static bool is_config_kind(std::string_view text) {
    constexpr std::string_view kArgs = "Args";
    return text == "Policy" || text == "KubeSchedulerConfiguration" ||
           (text.ends_with(kArgs) && is_rule_name(text.substr(0, text.size() - kArgs.size())));
  }

  Renaming& names_;
};

}  // namespace

std::string Renaming::config(std::string_view text) {
  const std::string kept = kept_config(text);
  if (kept.empty() || kept == kNoConfig) return kept;
  // In JSON a key may be there twice: then both are, as before.
  const auto document = load_document(kept);
  if (!document) return std::string(kNoConfig);
  std::string out;
  ConfigRewriting(*this).value(out, document->root(), "", "");
  return out;
}

}  // namespace winnow
