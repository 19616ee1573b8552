// Upstream: apimachinery pkg/api/validation/objectmeta.go v0.37.0.
#include <algorithm>
#include <format>

#include "cluster/api/object_name.h"
#include "cluster/validation/pod_checks.h"

namespace winnow {
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
