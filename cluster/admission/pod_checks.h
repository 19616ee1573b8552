// Internal to cluster/admission: the checks of a pod's fields, one concern each. A comment names the file of
// a concern. `path` is the path of what is checked. Errors go to `errors`, in upstream's order. Upstream:
// pkg/apis/core/validation/validation.go v1.37.0, with the default feature gates.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/meta.h"

namespace winnow {

class FieldErrors;
struct Affinity;
struct Pod;
struct PodResourceClaim;
struct PodSpec;
struct ResourceRequirements;
struct Toleration;
struct TopologySpreadConstraint;
struct Volume;

// metadata_checks.cc
void check_label_key(std::string_view key, std::string_view path, FieldErrors& errors);
void check_label_value(std::string_view value, std::string_view path, FieldErrors& errors);
void check_labels(const StringMap& labels, std::string_view path, FieldErrors& errors);
void check_label_selector(const std::optional<LabelSelector>& selector, std::string_view path,
                          FieldErrors& errors);
/// Upstream: ValidateMatchLabelKeysAndMismatchLabelKeys.
void check_match_label_keys(const std::optional<LabelSelector>& selector,
                            const std::vector<std::string>& match, const std::vector<std::string>& mismatch,
                            std::string_view path, FieldErrors& errors);

// metadata_checks.cc
void check_metadata(const ObjectMeta& metadata, std::string_view path, FieldErrors& errors);

// container_checks.cc
/// Names, images, ports and resources of spec.containers and spec.initContainers.
void check_containers(const PodSpec& spec, std::string_view path, FieldErrors& errors);

// container_checks.cc
/// What a resource list may name.
enum class ResourceScope : std::uint8_t { kContainer, kPod };
void check_resources(const ResourceRequirements& resources, ResourceScope scope, std::string_view path,
                     FieldErrors& errors);
/// Pod-level resources, also held against those of the containers. @param path  of spec.resources.
void check_pod_level_resources(const Pod& pod, std::string_view path, FieldErrors& errors);

// scheduling_checks.cc
void check_affinity(const Affinity& affinity, std::string_view path, FieldErrors& errors);

// scheduling_checks.cc
void check_tolerations(std::span<const Toleration> tolerations, std::string_view path, FieldErrors& errors);

// scheduling_checks.cc
void check_spread_constraints(std::span<const TopologySpreadConstraint> constraints, std::string_view path,
                              FieldErrors& errors);

// scheduling_checks.cc
/// Upstream: validatePodResourceClaims.
void check_resource_claims(std::span<const PodResourceClaim> claims, std::string_view path,
                           FieldErrors& errors);

// container_checks.cc
/// Names, and the names of claims. Sources are not checked.
void check_volumes(std::span<const Volume> volumes, std::string_view pod_name, std::string_view path,
                   FieldErrors& errors);

}  // namespace winnow
