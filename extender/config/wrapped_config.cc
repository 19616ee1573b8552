#include "extender/config/wrapped_config.h"

#include <algorithm>
#include <format>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/json_document.h"
#include "cluster/text/other_texts.h"
#include "cluster/text/source.h"
#include "extender/config/config_document.h"
#include "extender/config/config_release.h"

namespace winnow {
namespace {

using UnwrappedResult = std::expected<WrappedConfig, std::string>;

const rapidjson::Value* member_of(const rapidjson::Value& object, const char* key) {
  if (!object.IsObject()) return nullptr;
  const auto found = object.FindMember(key);
  return found == object.MemberEnd() ? nullptr : &found->value;
}

/// Whether the text names a kind that has rules.
bool has_rules(const WrappedConfig& one) {
  const ConfigDocument document(one.text);
  if (!document.root().IsObject()) return false;
  const std::string_view kind = string_at(document.root(), "kind");
  return kind == kSchedulerConfigKind || kind == "Policy";
}

bool is_named_as_usual(const WrappedConfig& one) {
  constexpr std::string_view kUsual[] = {"data[config.yaml]", "data[policy.cfg]", "data[policy.json]",
                                         "data[scheduler-config.yaml]"};
  return std::ranges::contains(kUsual, one.path);
}

/// Leaves the ones that are so, where one alone is.
template <class Is>
void choose(std::vector<WrappedConfig>& files, const Is& is) {
  if (files.size() > 1 && std::ranges::count_if(files, is) == 1) std::erase_if(files, std::not_fn(is));
}

UnwrappedResult in_config_map(const rapidjson::Value& root) {
  std::vector<WrappedConfig> files;
  std::string keys;
  if (const rapidjson::Value* const data = member_of(root, "data"); data != nullptr && data->IsObject())
    for (const auto& member : data->GetObject()) {
      if (!member.value.IsString()) continue;
      const std::string key(string_of(member.name));
      keys += (keys.empty() ? "" : ", ") + key;
      files.push_back({.path = std::format("data[{}]", key),
                       .text = std::string(string_of(member.value)),
                       .note = std::format("the file is a ConfigMap, its {} is read", key)});
    }
  choose(files, is_named_as_usual);
  choose(files, has_rules);
  if (files.size() == 1) return std::move(files.front());
  return std::unexpected(files.empty() ? "a ConfigMap without data; expected a file of rules in it"
                                       : "a ConfigMap with several files (" + keys +
                                             "): write the one with the rules to a file, and name that");
}

/// AKS's managed kube-scheduler takes its file as a string.
UnwrappedResult in_aks(const rapidjson::Value& root) {
  const rapidjson::Value* const spec = member_of(root, "spec");
  const rapidjson::Value* const raw = spec == nullptr ? nullptr : member_of(*spec, "rawConfig");
  if (raw == nullptr || !raw->IsString())
    return std::unexpected(
        "a SchedulerConfiguration without spec.rawConfig; expected the text of a KubeSchedulerConfiguration");
  return WrappedConfig{.path = "spec.rawConfig",
                       .text = std::string(string_of(*raw)),
                       .note = "the file is AKS's SchedulerConfiguration, its spec.rawConfig is read"};
}

}  // namespace

std::optional<UnwrappedResult> wrapped_config(const rapidjson::Value& root) {
  if (!root.IsObject()) return std::nullopt;
  const std::string_view kind = string_at(root, "kind"), version = string_at(root, "apiVersion");
  if (kind == "ConfigMap") return in_config_map(root);
  if (kind == "SchedulerConfiguration" && version.starts_with("aks.azure.com/")) return in_aks(root);
  return std::nullopt;
}

std::string other_file(const rapidjson::Value& root, std::string_view text) {
  return root.IsObject() && root.HasMember("kind") ? "" : other_text(text);
}

std::expected<UnwrappedConfig, std::string> read_unwrapped(const std::string& file) {
  auto text = read_source(file, kMaxConfigBytes);
  if (!text) return std::unexpected(std::move(text).error());
  if (is_unrendered(*text)) return std::unexpected(std::string(kUnrendered));
  const ConfigDocument document(*text);
  if (std::string other = other_file(document.root(), *text); !other.empty())
    return std::unexpected(std::move(other));
  auto inner = wrapped_config(document.root());
  if (!inner) return UnwrappedConfig{.text = std::move(*text), .note = {}};
  if (!*inner) return std::unexpected(std::move(*inner).error());
  return UnwrappedConfig{.text = std::move((*inner)->text), .note = std::move((*inner)->note)};
}

}  // namespace winnow
