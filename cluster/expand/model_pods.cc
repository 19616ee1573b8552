#include "cluster/expand/model_pods.h"

#include <algorithm>
#include <format>
#include <set>
#include <utility>

#include "cluster/admission/defaults.h"
#include "cluster/api/device.h"
#include "cluster/api/node.h"
#include "cluster/api/node_metrics.h"
#include "cluster/expand/controllers.h"
#include "cluster/expand/expand.h"
#include "cluster/expand/pod_set.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

/// Removes the volumes of claims that are not there yet: those that come with the pod, and the text's own.
void leave_out_claims(ModelPod& model, const std::set<std::string>& comes_with_pod,
                      const TextMap<std::string>& claims_of_text) {
  std::erase_if(model.pod.spec.volumes, [&](const Volume& volume) {
    const bool is_new = volume.source == VolumeSource::kEphemeral || comes_with_pod.contains(volume.name) ||
                        (volume.source == VolumeSource::kPersistentVolumeClaim &&
                         claims_of_text.contains(model.pod.metadata.namespace_ + "/" + volume.id));
    if (is_new)
      model.not_judged.push_back(
          std::format("the claim of its volume {}, which is not there yet", go_quote(volume.name)));
    return is_new;
  });
}

/// Removes the ResourceClaims that are not there yet: those made from templates, and the text's own.
void leave_out_resource_claims(ModelPod& model, const ClusterObjects& text) {
  std::erase_if(model.pod.spec.resource_claims, [&](const PodResourceClaim& claim) {
    const auto is_of_text = [&](const ResourceClaim& one) {
      return one.metadata.namespace_ == model.pod.metadata.namespace_ &&
             one.metadata.name == claim.resource_claim_name;
    };
    const bool is_new = claim.resource_claim_template_name.has_value() ||
                        std::ranges::any_of(text.of<ResourceClaim>(), is_of_text);
    if (is_new)
      model.not_judged.push_back(
          std::format("the ResourceClaim of its claim {}, which is not there yet", go_quote(claim.name)));
    return is_new;
  });
}

ModelPod model_of(Workload workload, const Found& found) {
  PodClasses classes = workload.pods.classes;
  std::vector<FieldError> refused = std::move(workload.pods.written);
  const auto ordinal = static_cast<std::uint32_t>(std::max(workload.first_ordinal, 0));
  ModelPod model{.source = source_of(workload), .is_daemon_set = workload.maker == Maker::kDaemonSet};
  PodRecipe recipe = controlled_pods(std::move(workload)).recipe;
  if (model.is_daemon_set) recipe.identity = Identity::kSuffix;
  std::set<std::string> comes_with_pod;
  for (const PersistentVolumeClaim& claim : recipe.claim_templates)
    comes_with_pod.insert(claim.metadata.name);
  set_defaults(recipe.pattern);
  model.pod = make_pod(recipe, {.number = recipe.identity == Identity::kOrdinal ? ordinal : 0, .suffix = 0});
  model.classes = std::move(classes);
  model.refused = std::move(refused);
  leave_out_claims(model, comes_with_pod, found.claim_files);
  leave_out_resource_claims(model, found.others);
  return model;
}

}  // namespace

std::expected<std::vector<ModelPod>, FileError> read_model_pods(std::string_view name, std::string text) {
  Collector collector;
  const auto read = visit_text(name, std::move(text),
                               [&](std::string_view file, const Reader& object, const TypeMeta& type) {
                                 return collector.take(file, object, type);
                               });
  if (!read) return std::unexpected(read.error());
  Found found = collector.finish();
  std::vector<ModelPod> models;
  for (Workload& workload : found.workloads) {
    workload.pods.pod.spec.node_name.clear();
    if (const std::string error = workload_error(workload); !error.empty())
      return std::unexpected(FileError{std::format("{}: {}", name, error_of(source_of(workload), error))});
    models.push_back(model_of(std::move(workload), found));
  }
  if (models.empty() && !found.first_left_out.empty())
    return std::unexpected(FileError{std::move(found.first_left_out)});
  if (models.empty())
    return std::unexpected(FileError{
        std::format("{}: expected a Pod, Deployment, ReplicaSet, ReplicationController, StatefulSet, "
                    "DaemonSet, Job or CronJob, and found none",
                    name)});
  return models;
}

}  // namespace winnow
