#include <set>
#include <string>
#include <utility>

#include "cluster/api/object_name.h"
#include "cluster/text/go_quote.h"
#include "cluster/validation/pod_checks.h"

namespace winnow {
namespace {

std::string claim_path(const std::string& path) {
  return child(child(path, "persistentVolumeClaim"), "claimName");
}

/// The name of an ephemeral volume's claim. One that is missing is complained of elsewhere.
std::string made_claim(const Volume& volume, std::string_view pod_name) {
  if (volume.source != VolumeSource::kEphemeral || pod_name.empty()) return {};
  return std::string(pod_name) + '-' + volume.name;
}

void check_volume(const Volume& volume, std::string_view pod_name, bool is_new, const std::string& path,
                  FieldErrors& errors) {
  const std::string name = child(path, "name");
  if (volume.source == VolumeSource::kPersistentVolumeClaim && volume.id.empty())
    errors.required(claim_path(path));
  if (const std::string claim = made_claim(volume, pod_name); !claim.empty() && !volume.name.empty())
    if (const std::string wrong = object_name_errors(claim); !wrong.empty())
      errors.invalid(name, volume.name, "PVC name " + go_quote(claim) + ": " + wrong);
  if (volume.name.empty())
    errors.required(name);
  else if (const std::string wrong = namespace_name_errors(volume.name); !wrong.empty())
    errors.invalid(name, volume.name, wrong);
  if (!is_new) errors.duplicate(name, volume.name);
}

}  // namespace

// Upstream: ValidateVolumes. Only a name of a good volume counts as taken.
void check_volumes(std::span<const Volume> volumes, std::string_view pod_name, std::string_view path,
                   FieldErrors& errors) {
  std::set<std::string> made;  // Claims of ephemeral volumes.
  for (const Volume& volume : volumes)
    if (std::string claim = made_claim(volume, pod_name); !claim.empty()) made.insert(std::move(claim));
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < volumes.size() && !errors.is_full(); ++i) {
    const Volume& volume = volumes[i];
    const std::string at = element(path, i);
    const std::size_t before = errors.count();
    check_volume(volume, pod_name, !names.contains(volume.name), at, errors);
    if (errors.count() == before) names.insert(volume.name);
    if (volume.source == VolumeSource::kPersistentVolumeClaim && made.contains(volume.id))
      errors.invalid(claim_path(at), volume.id,
                     "must not reference a PVC that gets created for an ephemeral volume");
  }
}

}  // namespace winnow
