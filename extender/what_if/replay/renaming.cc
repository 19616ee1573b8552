#include "extender/what_if/replay/renaming.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <format>

#include "cluster/api/quantity.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/config/kept_config.h"
#include "extender/what_if/replay/anonymize_allowlist.h"

namespace winnow {
namespace {

constexpr auto kCoreGroups =
    std::to_array<std::string_view>({"apps", "autoscaling", "batch", "extensions", "policy"});
/// What keys of whole families of domains end with. What stands before may be the name of a company.
constexpr auto kDomainEnds = std::to_array<std::string_view>({".kubernetes.io", ".k8s.io"});
/// The volumes that a node's resource "attachable-volumes-…" counts.
constexpr auto kAttachable = std::to_array<std::string_view>({"aws-ebs", "gce-pd", "azure-disk", "cinder"});

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// Whether it is a random UID: 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text) {
  constexpr std::string_view kForm = "00000000-0000-0000-0000-000000000000";
  return std::ranges::equal(text, kForm, [](char c, char form) {
    return form == '-' ? c == '-' : is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
  });
}

/// Whether it is v1, v2beta1 or the like.
bool is_version(std::string_view text) {
  if (!text.starts_with('v')) return false;
  std::string_view rest = text.substr(1);
  for (const std::string_view stage : {"alpha", "beta"})
    if (const std::size_t at = rest.find(stage); at != std::string_view::npos && at > 0)
      return is_number(rest.substr(0, at)) && is_number(rest.substr(at + stage.size()));
  return is_number(rest);
}

/// The end of a domain that all of its family have; "" for any other.
std::string_view family_of(std::string_view domain) {
  const auto end =
      std::ranges::find_if(kDomainEnds, [&](std::string_view one) { return domain.ends_with(one); });
  return end == kDomainEnds.end() ? std::string_view() : *end;
}

/// The text with each part between the separators replaced by what `map` makes of it.
template <class Map>
std::string by_parts(std::string_view text, std::string_view separator, const Map& map) {
  std::string out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    out += map(text.substr(begin, end - begin));
    if (end == text.size()) return out;
    out += separator;
    begin = end + separator.size();
  }
}

}  // namespace

std::string Renaming::replacement(std::string_view text) {
  if (!numbered_) {
    numbers_.try_emplace(std::string(text), 0);
    return std::string(text);
  }
  if (const auto found = numbers_.find(text); found != numbers_.end())
    return std::format("x{:0{}}", found->second, std::to_string(numbers_.size()).size());
  // Nobody has noted it. It may be a name all the same.
  return std::format("y{}", late_.try_emplace(std::string(text), late_.size()).first->second);
}

std::string Renaming::name(std::string_view text) {
  if (is_common_text(text) || is_number(text)) return std::string(text);
  // The zones of one volume, and the plug-ins of a node. Then a plug-in, or a name with its namespace.
  const std::string_view before = text.substr(0, text.find('/'));
  if (!text.contains(',') && text.contains('/') && (is_kept_domain(before) || !family_of(before).empty()))
    return key(text);
  for (const std::string_view separator : {"__", ",", "/"})
    if (text.contains(separator))
      return by_parts(text, separator, [&](std::string_view part) { return name(part); });
  return replacement(text);
}

std::string Renaming::domain(std::string_view text) {
  if (is_kept_domain(text)) return std::string(text);
  const std::string_view family = family_of(text);
  return family.empty() ? name(text) : name(text.substr(0, text.size() - family.size())).append(family);
}

std::string Renaming::key(std::string_view text) {
  if (is_common_text(text)) return std::string(text);
  for (const std::string_view quota : {"requests.", "limits."})
    if (text.starts_with(quota)) return std::string(quota) + key(text.substr(quota.size()));
  for (const std::string_view prefix : {"hugepages-", "attachable-volumes-csi-", "attachable-volumes-"}) {
    if (!text.starts_with(prefix)) continue;
    const std::string_view rest = text.substr(prefix.size());
    const bool stays = prefix.starts_with('h') ? Quantity::parse(rest).has_value()
                                               : std::ranges::contains(kAttachable, rest);
    return std::string(prefix) + (stays ? std::string(rest) : name(rest));
  }
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return name(text);
  const std::string_view before = text.substr(0, slash);
  const std::string_view rest = text.substr(slash + 1);
  const bool is_known = (is_kept_domain(before) || !family_of(before).empty()) && is_kept_key_name(rest);
  return domain(before) + '/' + (is_known ? std::string(rest) : name(rest));
}

std::string Renaming::image(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos) {
    const std::string_view digest = text.substr(at + 1);
    const std::size_t colon = std::min(digest.find(':'), digest.size());
    const std::string_view algorithm = digest.substr(0, colon);
    const std::string sum = colon < digest.size() ? ":" + name(digest.substr(colon + 1)) : "";
    const bool stays = algorithm == "sha256" || algorithm == "sha512";
    return image(text.substr(0, at)) + "@" + (stays ? std::string(algorithm) : name(algorithm)) + sum;
  }
  const std::size_t slash = text.rfind('/');
  const std::size_t colon = text.find(':', slash == std::string_view::npos ? 0 : slash);
  if (colon == std::string_view::npos) return name(text);
  const std::string_view tag = text.substr(colon + 1);
  return name(text.substr(0, colon)) + ":" + (tag == "latest" ? "latest" : name(tag));
}

std::string Renaming::uid(std::string_view text) { return is_uuid(text) ? std::string(text) : name(text); }

std::string Renaming::word(std::string_view text) {
  return is_api_word(text) ? std::string(text) : name(text);
}

std::string Renaming::kind(std::string_view text) {
  return is_kept_kind(text) ? std::string(text) : name(text);
}

std::string Renaming::api_version(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string_view version = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const std::string shown = is_version(version) ? std::string(version) : name(version);
  if (slash == std::string_view::npos) return shown;
  const std::string_view group = text.substr(0, slash);
  const bool is_core = std::ranges::contains(kCoreGroups, group);
  return (is_core ? std::string(group) : domain(group)) + "/" + shown;
}

std::string Renaming::rule(std::string_view text) {
  return text == "*" || is_rule_name(text) ? std::string(text) : name(text);
}

void Renaming::number_all() {
  std::size_t next = 0;
  for (auto& [text, number] : numbers_) number = next++;
  numbered_ = true;
}

std::string Renaming::query(std::string_view text) {
  std::string out;
  const auto add = [&](std::string_view parameter, std::string_view value) {
    out += std::format("{}{}={}", out.empty() ? "" : "&", parameter, value);
  };
  for (const std::string_view parameter : {"from", "limit"})
    if (const std::string value = query_value(text, parameter); is_number(value)) add(parameter, value);
  if (const std::string by = query_value(text, "by"); !by.empty()) add("by", rule(by));
  return out;
}

// Renaming::config: configurations.

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
