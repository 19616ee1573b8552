#include "extender/config/kept_config.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/json_reader.h"
#include "extender/config/config_document.h"
#include "extender/config/config_release.h"
#include "extender/config/config_schema.h"
#include "extender/config/plugin_table.h"
#include "extender/config/policy_arguments.h"
#include "extender/config/wrapped_config.h"
#include "predicates/records.h"
#include "priorities/records.h"

namespace winnow {
namespace kept_config_detail {
namespace {

using namespace fields;
using rapidjson::Value;

constexpr Field kManagedFields[] = {{"name", &kString}, {"ignoredByScheduler", &kBool}};
constexpr FieldType kManaged = object(kManagedFields);
constexpr FieldType kManagedList = list_of(kManaged);
constexpr Field kKeptExtenderFields[] = {
    {"urlPrefix", &kString},      {"filterVerb", &kString},     {"preemptVerb", &kString},
    {"prioritizeVerb", &kString}, {"bindVerb", &kString},       {"weight", &kInt64},
    {"ignorable", &kBool},        {"nodeCacheCapable", &kBool}, {"managedResources", &kManagedList}};
constexpr FieldType kExtender = object(kKeptExtenderFields);
/// The extenders of either kind of file.
constexpr FieldType kExtenders = list_of(kExtender);

constexpr Field kRuleFields[] = {{"name", &kString}, {"weight", &kInt64}, {"argument", &kAnything}};
constexpr FieldType kRule = object(kRuleFields);
constexpr FieldType kRules = list_of(kRule);
constexpr Field kKeptPolicyFields[] = {kKind,
                                       kApiVersion,
                                       {"predicates", &kRules},
                                       {"priorities", &kRules},
                                       {"extenders", &kExtenders},
                                       {"hardPodAffinitySymmetricWeight", &kInt64},
                                       {"alwaysCheckAllPredicates", &kBool}};
constexpr FieldType kPolicy = object(kKeptPolicyFields);

/// Settings of kube-scheduler's own. Absent ones are the defaults, which are valid.
constexpr auto kLeftOut = std::to_array<std::string_view>(
    {"leaderElection", "clientConnection", "healthzBindAddress", "metricsBindAddress"});

/// The scheme, the host and the port of an address; "" if they cannot be told for sure.
std::string origin_of(std::string_view url) {
  const std::size_t colon = url.find("://");
  const std::size_t host = colon == std::string_view::npos ? 0 : colon + 3;
  const std::string_view scheme = url.substr(0, host);
  const std::string_view rest = url.substr(host);
  const std::size_t end = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, end);
  authority.remove_prefix(authority.rfind('@') + 1);  // npos + 1 is 0.
  const bool is_plain = std::ranges::all_of(
      authority, [](char c) { return is_alphanumeric(c) || std::string_view(".-:[]").contains(c); });
  const bool is_http = scheme.empty() || scheme == "http://" || scheme == "https://";
  // A password may have a slash, and then what seems the host is not.
  if (!is_plain || !is_http || rest.substr(end).contains('@')) return "";
  return std::string(scheme).append(authority);
}

/// The walk over one file. What has another type than its field is left out: nothing reads it.
class Keeping {
 public:
  /// @param release  of the file; null: it is a Policy.
  explicit Keeping(const ConfigRelease* release) : release_(release) {}

  /// @return whether the value is of the type, and has been appended.
  bool value(std::string& out, const Value& value, const FieldType& type, FieldNames names) {
    if (value.IsNull()) return out += "null", true;
    switch (type.kind) {
      case FieldKind::kObject:
        return value.IsObject() && members(out, value, type, names);
      case FieldKind::kList:
        return value.IsArray() && elements(out, value, *type.element, names);
      case FieldKind::kStringMap:
        return value.IsObject() && texts(out, value);
      case FieldKind::kString:
        return value.IsString() && written(out, value);
      case FieldKind::kDuration:
      case FieldKind::kOptionalDuration:
        return value.IsString() && parse_go_duration(string_of(value)) && written(out, value);
      case FieldKind::kBool:
        return value.IsBool() && written(out, value);
      case FieldKind::kInt32:
      case FieldKind::kInt64:
      case FieldKind::kFloat32:
        return value.IsNumber() && written(out, value);
      case FieldKind::kBytes:
      case FieldKind::kAnything:
        return false;
    }
    return false;
  }

 private:
  static bool written(std::string& out, const Value& value) { return append_value(out, value), true; }

  static void begin(std::string& out, std::string_view key) {
    if (!out.ends_with('{')) out += ',';
    append_quoted(out, key);
    out += ':';
  }

  static bool texts(std::string& out, const Value& map) {
    out += '{';
    for (const auto& member : map.GetObject()) {
      if (!member.value.IsString() && !member.value.IsNull()) continue;
      begin(out, string_of(member.name));
      append_value(out, member.value);
    }
    return out += '}', true;
  }

  bool elements(std::string& out, const Value& list, const FieldType& type, FieldNames names) {
    out += '[';
    for (const auto& element : list.GetArray()) {
      if (!out.ends_with('[')) out += ',';
      if (std::string one; value(one, element, type, names))
        out += one;
      else
        out += "null";
    }
    return out += ']', true;
  }

  bool members(std::string& out, const Value& object, const FieldType& type, FieldNames names) {
    out += '{';
    for (const auto& member : object.GetObject()) {
      const std::string_view key = string_of(member.name);
      const auto field = std::ranges::find_if(type.fields, [&](const Field& one) {
        return one.name == key || (names == FieldNames::kAnyCase && equal_but_for_case(one.name, key));
      });
      if (field == type.fields.end() || std::ranges::contains(kLeftOut, field->name)) continue;
      std::string kept;
      if (!this->member(kept, object, member.value, *field, names)) continue;
      begin(out, key);
      out += kept;
    }
    return out += '}', true;
  }

  bool member(std::string& out, const Value& object, const Value& value, const Field& field,
              FieldNames names) {
    if (field.type == &fields::kAnything && field.name == "params") return append_value(out, value), true;
    if (field.type->kind == FieldKind::kAnything)
      return release_ ? args(out, value, name_in(object)) : argument(out, value, names);
    // Some releases take any case here. The others have refused the file.
    if (field.name == "extenders") return this->value(out, value, kExtenders, FieldNames::kAnyCase);
    if (field.name == "urlPrefix" && value.IsString())
      return append_quoted(out, origin_of(string_of(value))), true;
    if (field.name.ends_with("Verb") && value.IsString()) {
      // Whether there is one is all that counts.
      append_quoted(out, string_of(value).empty() ? "" : field.name.substr(0, field.name.size() - 4));
      return true;
    }
    return this->value(out, value, *field.type, names);
  }

  /// The last name counts, where there are several.
  static std::string_view name_in(const Value& object) {
    std::string_view name;
    for (const auto& member : object.GetObject())
      if (string_of(member.name) == "name" && member.value.IsString()) name = string_of(member.value);
    return name;
  }

  bool args(std::string& out, const Value& value, std::string_view plugin) {
    const PluginRow* const row = release_ ? find_plugin(*release_, plugin) : nullptr;
    if (row == nullptr || row->args == nullptr) return false;
    const bool lenient = release_->of_118.plugins_read_args;
    return this->value(out, value, row->args->type, lenient ? FieldNames::kAnyCase : FieldNames::kExact);
  }

  /// Of a Policy: what the records' arguments have.
  bool argument(std::string& out, const Value& written, FieldNames names) {
    const std::vector<Field> fields = policy_argument_fields();
    return value(out, written, object(fields), names);
  }

  const ConfigRelease* const release_;
};

std::string keep(const ConfigDocument& document) {
  const bool is_policy = string_at(document.root(), "kind") != kSchedulerConfigKind;
  const ConfigRelease* const release = is_policy ? nullptr : document.release();
  if (!is_policy && release == nullptr) return std::string(kNoConfig);
  std::string out;
  Keeping(release).value(out, document.root(), release ? release->fields : kPolicy, FieldNames::kExact);
  return out;
}

}  // namespace
}  // namespace kept_config_detail

std::string kept_config(std::string_view text) {
  if (text.empty()) return "";
  // As the loaders read it: the first document, and v1alpha1 may have a key twice.
  const ConfigDocument document(text);
  if (!document.root().IsObject()) return std::string(kNoConfig);
  const auto inner = wrapped_config(document.root());
  if (!inner) return kept_config_detail::keep(document);
  if (!*inner) return std::string(kNoConfig);
  // The loaders take a file out of an object once.
  const ConfigDocument file((*inner)->text);
  const bool is_file = file.root().IsObject() && !wrapped_config(file.root());
  return is_file ? kept_config_detail::keep(file) : std::string(kNoConfig);
}

bool is_rule_name(std::string_view name) {
  return is_plugin_of_any_release(name) || find_plugin_row(name) != nullptr ||
         predicates::find_classic(name) != nullptr || priorities::find_classic(name) != nullptr;
}

}  // namespace winnow
