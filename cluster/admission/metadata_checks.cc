// Upstream: apimachinery pkg/apis/meta/v1/validation/validation.go v0.37.0.
#include <algorithm>
#include <format>
#include <set>

#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_checks.h"
#include "cluster/api/names.h"
#include "cluster/text/field_result.h"

namespace winnow {

void check_label_key(std::string_view key, std::string_view path, FieldErrors& errors) {
  if (const std::string wrong = label_key_errors(key, Generation::kToday); !wrong.empty())
    errors.invalid(path, key, wrong);
}

void check_label_value(std::string_view value, std::string_view path, FieldErrors& errors) {
  if (const std::string wrong = label_value_errors(value, Generation::kToday); !wrong.empty())
    errors.invalid(path, value, wrong);
}

void check_labels(const StringMap& labels, std::string_view path, FieldErrors& errors) {
  for (const auto& [key, value] : labels) {
    if (errors.is_full()) return;
    check_label_key(key, path, errors);
    check_label_value(value, path, errors);
  }
}

namespace {

void check_requirement(const SelectorRequirement& requirement, std::string_view path, FieldErrors& errors) {
  const std::string values = child(path, "values");
  if (requirement.op == "In" || requirement.op == "NotIn") {
    if (requirement.values.empty())
      errors.required(values, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (requirement.op == "Exists" || requirement.op == "DoesNotExist") {
    if (!requirement.values.empty())
      errors.forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else {
    errors.invalid(child(path, "operator"), requirement.op, "not a valid selector operator");
  }
  check_label_key(requirement.key, child(path, "key"), errors);
  for (std::size_t i = 0; i < requirement.values.size() && !errors.is_full(); ++i)
    check_label_value(requirement.values[i], element(values, i), errors);
}

void check_keys(const std::optional<LabelSelector>& selector, const std::vector<std::string>& keys,
                const std::string& path, FieldErrors& errors) {
  if (keys.empty()) return;
  if (!selector) return errors.forbidden(path, "must not be specified when labelSelector is not set");
  for (std::size_t i = 0; i < keys.size() && !errors.is_full(); ++i)
    check_label_key(keys[i], element(path, i), errors);
}

/// The API server has made an expression of each key before. A second one, or a label, is the user's.
void check_keys_once(const LabelSelector& selector, const std::vector<std::string>& match,
                     std::string_view path, FieldErrors& errors) {
  std::map<std::string_view, std::size_t> place;
  for (std::size_t i = 0; i < match.size(); ++i) place[match[i]] = i;
  std::set<std::string_view> selected;
  for (const auto& [key, value] : selector.match_labels) selected.insert(key);
  for (const SelectorRequirement& expression : selector.match_expressions) {
    const auto found = place.find(expression.key);
    if (!selected.insert(expression.key).second && found != place.end())
      errors.invalid(element(path, found->second), expression.key,
                     "exists in both matchLabelKeys and labelSelector");
  }
}

}  // namespace

void check_label_selector(const std::optional<LabelSelector>& selector, std::string_view path,
                          FieldErrors& errors) {
  if (!selector) return;
  check_labels(selector->match_labels, child(path, "matchLabels"), errors);
  const std::string expressions = child(path, "matchExpressions");
  for (std::size_t i = 0; i < selector->match_expressions.size() && !errors.is_full(); ++i)
    check_requirement(selector->match_expressions[i], element(expressions, i), errors);
}

void check_match_label_keys(const std::optional<LabelSelector>& selector,
                            const std::vector<std::string>& match, const std::vector<std::string>& mismatch,
                            std::string_view path, FieldErrors& errors) {
  check_keys(selector, match, child(path, "matchLabelKeys"), errors);
  check_keys(selector, mismatch, child(path, "mismatchLabelKeys"), errors);
  if (selector && !match.empty()) check_keys_once(*selector, match, path, errors);
  const std::set<std::string_view> mismatched(mismatch.begin(), mismatch.end());
  for (std::size_t i = 0; i < match.size() && !errors.is_full(); ++i)
    if (mismatched.contains(match[i]))
      errors.invalid(element(child(path, "matchLabelKeys"), i), match[i],
                     "exists in both matchLabelKeys and mismatchLabelKeys");
}

// Upstream: apimachinery pkg/api/validation/objectmeta.go v0.37.0.

namespace {

void check_owner(const OwnerReference& owner, const std::string& path, FieldErrors& errors) {
  constexpr const char* kEmpty = "must not be empty";
  const std::string& version = owner.api_version;
  if (version.empty())
    errors.required(child(path, "apiVersion"), kEmpty);
  else if (std::ranges::count(version, '/') > 1 || version.ends_with('/'))
    errors.invalid(child(path, "apiVersion"), version, "must be <group>/<version> or <version>");
  if (owner.kind.empty()) errors.required(child(path, "kind"), kEmpty);
  if (owner.name.empty()) errors.required(child(path, "name"), kEmpty);
  if (owner.uid.empty()) errors.required(child(path, "uid"), kEmpty);
  if (version == "v1" && owner.kind == "Event")
    errors.invalid(path, owner.name, "/v1, Kind=Event is disallowed from being an owner");
}

void check_owners(const std::vector<OwnerReference>& owners, const std::string& path, FieldErrors& errors) {
  const OwnerReference* controller = nullptr;
  for (std::size_t i = 0; i < owners.size() && !errors.is_full(); ++i) {
    check_owner(owners[i], element(path, i), errors);
    if (!owners[i].controller) continue;
    if (controller)
      errors.invalid(
          path, owners[i].name,
          std::format("Only one reference can have Controller set to true. Found \"true\" in references "
                      "for {}/{} and {}/{}",
                      controller->kind, controller->name, owners[i].kind, owners[i].name));
    else
      controller = &owners[i];
  }
}

}  // namespace

void check_metadata(const ObjectMeta& metadata, std::string_view path, FieldErrors& errors) {
  if (metadata.name.empty())
    errors.required(child(path, "name"), "name or generateName is required");
  else if (const std::string wrong = object_name_errors(metadata.name); !wrong.empty())
    errors.invalid(child(path, "name"), metadata.name, wrong);
  if (metadata.namespace_.empty())
    errors.required(child(path, "namespace"));
  else if (const std::string wrong = namespace_name_errors(metadata.namespace_); !wrong.empty())
    errors.invalid(child(path, "namespace"), metadata.namespace_, wrong);
  check_labels(metadata.labels, child(path, "labels"), errors);
  check_owners(metadata.owner_references, child(path, "ownerReferences"), errors);
}

}  // namespace winnow
