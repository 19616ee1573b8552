#include "cluster/expand/controllers.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/api/kinds.h"
#include "cluster/expand/made_names.h"
#include "cluster/expand/pod_set.h"
#include "cluster/state/state.h"

namespace winnow {

bool Numbers::reserve(const std::string& ns, const std::string& name) {
  if (cluster_.find_pod(ns, name) != kNone) return false;
  reserved_.insert(ns + "/" + name);
  return true;
}

bool Numbers::is_taken(const std::string& ns, const std::string& name) const {
  return cluster_.find_pod(ns, name) != kNone || (!reserved_.empty() && reserved_.contains(ns + "/" + name));
}

/// The next suffix whose name is free. An API server draws again, too.
std::uint32_t Numbers::free_suffix(const std::string& ns, const std::string& prefix) {
  std::uint32_t& next = next_[ns + "/" + cut_prefix(prefix)];
  while (is_taken(ns, generated_name(prefix, next))) ++next;
  return next++;
}

void Numbers::number(PodRecipe& recipe, std::uint32_t count, std::uint32_t first) {
  const std::string& ns = recipe.pattern.metadata.namespace_;
  recipe.numbers.reserve(count);
  switch (recipe.identity) {
    case Identity::kGiven:
      recipe.numbers.assign(count, {});
      return;
    case Identity::kOrdinal:
      for (std::uint32_t i = 0; i < count; ++i) {
        const PodNumber made{.number = first + i, .suffix = 0};
        if (!is_taken(ns, name_of(recipe, made))) recipe.numbers.push_back(made);
      }
      return;
    case Identity::kIndex:
      for (std::uint32_t i = 0; i < count; ++i)
        recipe.numbers.push_back({.number = i, .suffix = free_suffix(ns, indexed_prefix(recipe.prefix, i))});
      return;
    case Identity::kSuffix:
    case Identity::kNode:
      for (std::uint32_t i = 0; i < count; ++i)
        recipe.numbers.push_back({.number = i, .suffix = free_suffix(ns, recipe.prefix)});
      return;
  }
}

namespace {

OwnerReference owner(const KindInfo& info, std::string name, std::string uid) {
  return {.api_version = std::string(info.api_version),
          .kind = std::string(info.kind),
          .name = std::move(name),
          .uid = std::move(uid),
          .controller = true};
}

std::string uid_of(const Workload& workload) {
  return workload.metadata.uid.empty() ? made_uid(source_of(workload)) : workload.metadata.uid;
}

/// What upstream hashes of the object's template, in the same form.
std::string revision_hash(const Workload& workload) { return encoded_hash(workload.pods.hash); }

/// The pods of a template, owned by its object.
/// Upstream: pkg/controller/controller_utils.go GetPodFromTemplate v1.37.0.
void take_template(const Workload& workload, PodRecipe& recipe) {
  const ObjectMeta written = recipe.pattern.metadata;
  ObjectMeta& metadata = recipe.pattern.metadata = {};
  metadata.namespace_ = workload.metadata.namespace_;
  metadata.labels = written.labels;
  metadata.annotations = written.annotations;
  metadata.owner_references = {owner(info_of(workload.maker), workload.metadata.name, uid_of(workload))};
  recipe.prefix = pods_prefix(workload.metadata.name);
}

/// Upstream: pkg/controller/deployment/sync.go getNewReplicaSet v1.37.0.
ReplicaSet take_replica_set(const Workload& workload, PodRecipe& recipe) {
  constexpr const char* kHash = "pod-template-hash";
  const std::string hash = revision_hash(workload);
  ObjectMeta& pods = recipe.pattern.metadata;
  ReplicaSet set;
  set.metadata.name = replica_set_name(workload.metadata.name, hash);
  set.metadata.namespace_ = workload.metadata.namespace_;
  set.metadata.uid = made_uid("ReplicaSet " + set.metadata.namespace_ + "/" + set.metadata.name);
  set.metadata.owner_references = std::move(pods.owner_references);
  pods.labels[kHash] = hash;
  set.metadata.labels = pods.labels;
  set.selector = workload.selector;
  set.selector->match_labels[kHash] = hash;
  pods.owner_references = {owner(info_of(Maker::kReplicaSet), set.metadata.name, set.metadata.uid)};
  recipe.prefix = pods_prefix(set.metadata.name);
  return set;
}

/// Upstream: pkg/controller/statefulset/stateful_set_utils.go newStatefulSetPod, getPersistentVolumeClaims
/// v1.37.0.
void take_stateful_set(Workload& workload, PodRecipe& recipe) {
  recipe.identity = Identity::kOrdinal;
  recipe.prefix = workload.metadata.name;
  recipe.pattern.metadata.labels["controller-revision-hash"] =
      workload.metadata.name + "-" + revision_hash(workload);
  recipe.claim_templates = std::move(workload.claim_templates);
  for (PersistentVolumeClaim& claim : recipe.claim_templates)
    for (const auto& [key, value] : workload.selector->match_labels) claim.metadata.labels[key] = value;
}

/// Upstream: pkg/controller/daemon/util/daemonset_util.go CreatePodTemplate v1.37.0; apps/v1 keeps the
/// generation in an annotation, and gives a new object 1.
void take_daemon_set(const Workload& workload, PodRecipe& recipe) {
  recipe.identity = Identity::kNode;
  StringMap& labels = recipe.pattern.metadata.labels;
  labels["controller-revision-hash"] = revision_hash(workload);
  const auto generation = workload.metadata.annotations.find("deprecated.daemonset.template.generation");
  labels["pod-template-generation"] =
      generation == workload.metadata.annotations.end() ? "1" : generation->second;
  add_daemon_tolerations(recipe.pattern.spec);
}

/// Upstream: pkg/registry/batch/job/strategy.go generateSelector, pkg/controller/job/job_controller.go
/// manageJob v1.37.0.
void take_job(const Workload& workload, PodRecipe& recipe) {
  if (workload.indexed) {
    recipe.identity = Identity::kIndex;
    recipe.prefix = workload.metadata.name;
  }
  if (workload.manual_selector) return;
  StringMap& labels = recipe.pattern.metadata.labels;
  for (const char* key : {"job-name", "batch.kubernetes.io/job-name"})
    labels.try_emplace(key, workload.metadata.name);
  for (const char* key : {"controller-uid", "batch.kubernetes.io/controller-uid"})
    labels.try_emplace(key, uid_of(workload));
}

/// A Pod makes itself.
void take_pod(const Workload& workload, PodRecipe& recipe) {
  ObjectMeta& metadata = recipe.pattern.metadata;
  recipe.was_stored = !metadata.uid.empty();
  metadata.namespace_ = workload.metadata.namespace_;
  metadata.resource_version.clear();
  metadata.creation_timestamp.reset();
  metadata.deleting = false;
  recipe.pattern.spec.node_name.clear();
  recipe.identity = metadata.name.empty() ? Identity::kSuffix : Identity::kGiven;
  recipe.prefix = workload.pods.generate_name;
}

}  // namespace

ControlledPods controlled_pods(Workload workload) {
  ControlledPods made;
  PodRecipe& recipe = made.recipe;
  recipe.source = source_of(workload);
  recipe.pattern = std::move(workload.pods.pod);
  recipe.pattern.status = {};
  recipe.ephemeral_claims = std::move(workload.pods.ephemeral_claims);
  if (workload.maker == Maker::kPod) {
    take_pod(workload, recipe);
    return made;
  }
  if (workload.maker == Maker::kCronJob) {
    // The Job of one run. Upstream: pkg/controller/cronjob/cronjob_controllerv2.go getJobName v1.37.0, with
    // the minutes since 1970; nobody knows the time of the run here.
    workload.maker = Maker::kJob;
    workload.metadata.name += "-0";
    workload.metadata.uid.clear();
  }
  take_template(workload, recipe);
  if (workload.maker == Maker::kDeployment) made.replica_set = take_replica_set(workload, recipe);
  if (workload.maker == Maker::kStatefulSet) take_stateful_set(workload, recipe);
  if (workload.maker == Maker::kDaemonSet) take_daemon_set(workload, recipe);
  if (workload.maker == Maker::kJob) take_job(workload, recipe);
  return made;
}

std::uint32_t wanted_pods(const Workload& workload, std::optional<std::uint32_t> replicas) {
  const auto number = [](std::optional<std::int32_t> written) {
    return static_cast<std::uint32_t>(std::max(written.value_or(1), 0));
  };
  if (workload.maker == Maker::kPod) return 1;
  if (workload.maker != Maker::kJob && workload.maker != Maker::kCronJob)
    return replicas.value_or(number(workload.replicas));
  if (workload.suspended) return 0;
  const std::uint32_t parallel = replicas.value_or(number(workload.parallelism));
  // Without both there is one completion. Upstream: pkg/apis/batch/v1/defaults.go SetDefaults_Job v1.37.0.
  const bool is_bound = workload.completions || !workload.parallelism;
  return is_bound ? std::min(parallel, number(workload.completions)) : parallel;
}

}  // namespace winnow
