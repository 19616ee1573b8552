// The names, hashes and UIDs that the API server and controllers make up.
//
// Upstream draws names and UIDs by chance, and hashes a Go struct. Here all follow from the objects, so that
// equal files give equal pods. Their form is upstream's, their value is not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace winnow {

/// How many names one prefix has: 27 characters at 5 places.
inline constexpr std::uint32_t kSuffixes = 27 * 27 * 27 * 27 * 27;

/// The part of a generateName that its names keep: 58 bytes.
std::string cut_prefix(std::string_view prefix);
/// The name that generateName makes: cut_prefix() and five characters. Equal prefixes give
/// another name for each number below kSuffixes.
/// Upstream: apiserver pkg/storage/names/generate.go SimpleNameGenerator v0.37.0.
std::string generated_name(std::string_view prefix, std::uint32_t number);

/// The generateName of a controller's pods: "NAME-", or NAME where that is no name of a pod.
/// Upstream: pkg/controller/controller_utils.go getPodsPrefix v1.37.0.
std::string pods_prefix(std::string_view controller);
/// Upstream: pkg/controller/job/indexed_job_utils.go podGenerateNameWithIndex v1.37.0.
std::string indexed_prefix(std::string_view job, std::uint32_t index);

/// The generateName of the ResourceClaim that a pod gets from a template. @param claim  its name in the pod.
/// Upstream: pkg/controller/resourceclaim/controller.go handleClaim v1.37.2.
std::string resource_claim_prefix(std::string_view pod, std::string_view claim);

/// The hash as a label has it: "5d59d67564".
/// Upstream: apimachinery pkg/util/rand/rand.go SafeEncodeString v0.37.0.
std::string encoded_hash(std::uint32_t hash);
/// The ReplicaSet of a Deployment: "web-5d59d67564".
/// Upstream: pkg/controller/deployment/sync.go generateReplicaSetName v1.37.0.
std::string replica_set_name(std::string_view deployment, std::string_view hash);

/// A UID in the form of a UUID. @param object  "Deployment shop/web"
std::string made_uid(std::string_view object);

/// FNV-1a. `seed` continues a hash.
std::uint32_t fnv32(std::string_view text, std::uint32_t seed = 2166136261u);

}  // namespace winnow
