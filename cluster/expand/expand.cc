#include "cluster/expand/expand.h"

#include <format>
#include <functional>
#include <map>
#include <utility>

#include "cluster/admission/defaults.h"
#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/api/decoders.h"
#include "cluster/expand/admission.h"
#include "cluster/expand/controllers.h"
#include "cluster/expand/made_names.h"
#include "cluster/expand/pod_set.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/files/cluster_objects.h"
#include "cluster/files/object_reader.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"

namespace winnow {
namespace {

/// Makes pod sets of what was found.
class Expander {
 public:
  Expander(Found found, const ExpandOptions& options, const State& cluster)
      : cluster_(cluster),
        options_(options),
        found_(std::move(found)),
        admission_(cluster, found_.others),
        numbers_(cluster) {
    for (const ResourceClaimTemplate& one : found_.others.of<ResourceClaimTemplate>())
      templates_[key_of(one.metadata)] = &one;
    for (const auto& [key, one] : cluster.objects.of<ResourceClaimTemplate>())
      templates_.try_emplace(key, &one);
    for (const ResourceClaim& one : found_.others.of<ResourceClaim>())
      resource_claims_.insert(key_of(one.metadata));
  }

  std::expected<NewObjects, FileError> run();

 private:
  std::string reserve(const Workload& workload);
  std::string admit_claims();
  std::string expand(Workload workload);
  std::string number(PodRecipe& recipe, const Workload& counts);
  std::string admit(PodRecipe& recipe, const PodTemplate& written);
  void note_unread_class(PodRecipe& recipe, const PodClasses& classes) const;
  std::string admit_claims(PodRecipe& recipe);
  void add_resource_claims(PodRecipe& recipe);
  bool has_claim(const std::string& ns, const std::string& name) const;

  const State& cluster_;
  const ExpandOptions& options_;
  Found found_;
  const Admission admission_;
  Numbers numbers_;
  /// By "NAMESPACE/NAME": of the files, and of the cluster where these have none.
  std::map<std::string, const ResourceClaimTemplate*, std::less<>> templates_;
  TextSet resource_claims_;  ///< "NAMESPACE/NAME" of those of the files, and of those made for pods.
  NewObjects made_;
};

template <class Object>
void give_uids(std::vector<Object>& objects) {
  for (Object& object : objects) {
    ObjectMeta& metadata = object.metadata;
    if (metadata.uid.empty())
      metadata.uid = made_uid(
          std::format("{} {}/{}", info_of(kind_of<Object>).kind, metadata.namespace_, metadata.name));
  }
}

/// Takes the name of a Pod, so that no other pod gets it.
std::string Expander::reserve(const Workload& workload) {
  const ObjectMeta& metadata = workload.metadata;
  if (workload.maker != Maker::kPod || metadata.name.empty() || has_ended(workload.pods.pod)) return "";
  if (numbers_.reserve(metadata.namespace_, metadata.name)) return "";
  return std::format("pods {} already exists; expected a name that the cluster does not have",
                     go_quote(metadata.name));
}

/// The claims of the files are new to the API server, unless they have a UID.
std::string Expander::admit_claims() {
  for (PersistentVolumeClaim& claim : found_.others.of<PersistentVolumeClaim>()) {
    if (!claim.metadata.uid.empty()) continue;
    admission_.mutate(claim);
    const std::string key = claim.metadata.namespace_ + "/" + claim.metadata.name;
    if (const std::string why = admission_.refuses(claim); !why.empty())
      return std::format("{}: {}", found_.claim_files[key], error_of("PersistentVolumeClaim " + key, why));
  }
  return "";
}

bool Expander::has_claim(const std::string& ns, const std::string& name) const {
  return cluster_.volumes.claim(ns, name) != nullptr || found_.claim_files.contains(ns + "/" + name);
}

std::string Expander::number(PodRecipe& recipe, const Workload& counts) {
  std::uint32_t count = 0;
  if (recipe.identity == Identity::kNode) {
    recipe.nodes = daemon_nodes(recipe.pattern.spec, counts.metadata.namespace_, counts.metadata.name,
                                cluster_, found_.others.of<Node>(), options_.new_nodes);
    count = static_cast<std::uint32_t>(recipe.nodes.size());
  } else {
    count = wanted_pods(counts, options_.replicas);
  }
  if (count > kMostPodsOfObject)
    return std::format("{} pods are too many of one object; expected at most {}", count, kMostPodsOfObject);
  numbers_.number(recipe, count, static_cast<std::uint32_t>(counts.first_ordinal));
  return "";
}

/// Upstream's order: defaults, mutating plugins, preparation, validation, validating plugins. make_pod()
/// prepares.
std::string Expander::admit(PodRecipe& recipe, const PodTemplate& written) {
  const PodClasses& classes = written.classes;
  set_defaults(recipe.pattern);
  // Nodes of a DaemonSet may come later.
  if (recipe.numbers.empty() && recipe.identity != Identity::kNode) return "";
  const PodNumber first = recipe.numbers.empty() ? PodNumber() : recipe.numbers.front();
  if (const std::string why = admission_.mutate(recipe.pattern, classes); !why.empty()) {
    const bool has_name = recipe.identity == Identity::kGiven || recipe.identity == Identity::kOrdinal;
    const std::string prefix =
        recipe.identity == Identity::kIndex ? indexed_prefix(recipe.prefix, first.number) : recipe.prefix;
    return forbidden("pods", has_name ? name_of(recipe, first) : prefix, why);
  }
  if (recipe.numbers.empty()) return "";
  const Pod pod = make_pod(recipe, first);
  // What is wrong with one pod is wrong with all.
  auto errors = pod_errors(pod, recipe.was_stored ? Stored::kYes : Stored::kNo);
  if (!recipe.was_stored) errors.insert(errors.end(), written.written.begin(), written.written.end());
  note_refused(made_.added.refused, pod, errors);
  if (!errors.empty()) {
    made_.added.refused.pods += recipe.numbers.size() - 1;
    made_.added.refused.fields += errors.size() * (recipe.numbers.size() - 1);
  }
  return admission_.refuses(pod, classes);
}

/// A pod that was stored has what its RuntimeClass gave it.
void Expander::note_unread_class(PodRecipe& recipe, const PodClasses& classes) const {
  if (!classes.runtime || !admission_.lacks_runtime_classes()) return;
  if (recipe.was_stored || recipe.numbers.empty()) return;
  recipe.not_judged.push_back(std::format(
      "spec.runtimeClassName: RuntimeClass {} is not in the input, so its overhead, nodeSelector and "
      "tolerations are not applied",
      go_quote(*classes.runtime)));
}

std::string Expander::admit_claims(PodRecipe& recipe) {
  const auto admit = [&](PersistentVolumeClaim& claim) {
    set_defaults(claim);
    admission_.mutate(claim);
  };
  for (PersistentVolumeClaim& claim : recipe.claim_templates) admit(claim);
  for (EphemeralClaim& one : recipe.ephemeral_claims) admit(one.claim);
  if (recipe.claim_templates.empty() && recipe.ephemeral_claims.empty()) return "";
  for (const PodNumber& number : recipe.numbers) {
    for (const PersistentVolumeClaim& claim : make_claims(recipe, number)) {
      const ObjectMeta& metadata = claim.metadata;
      if (has_claim(metadata.namespace_, metadata.name))
        recipe.known_claims.insert(metadata.namespace_ + "/" + metadata.name);
      else if (std::string why = admission_.refuses(claim); !why.empty())
        return why;
    }
  }
  return "";
}

void Expander::add_resource_claims(PodRecipe& recipe) {
  find_resource_claims(recipe, [&](const std::string& ns, const std::string& name) {
    const auto found = templates_.find(key_of(ns, name));
    return found == templates_.end() ? nullptr : found->second;
  });
  note_taken_names(recipe, [&](const std::string& ns, const std::string& name) {
    return cluster_.devices.find_claim(ns, name) != nullptr || resource_claims_.contains(key_of(ns, name));
  });
  for (const PodNumber& number : recipe.numbers)
    for (std::size_t claim = 0; claim < recipe.resource_claims.size(); ++claim)
      resource_claims_.insert(
          key_of(recipe.pattern.metadata.namespace_, resource_claim_name(recipe, number, claim)));
}

/// @return the error, without the file and the object.
std::string Expander::expand(Workload workload) {
  if (workload.maker == Maker::kPod && has_ended(workload.pods.pod)) {
    ++made_.added.finished_pods;
    return "";
  }
  if (std::string error = workload_error(workload); !error.empty()) return error;
  note_refused(made_.added.refused, source_of(workload), workload_fields_refused(workload));
  Workload counts = workload;
  counts.pods = {};
  const PodTemplate written{.classes = workload.pods.classes, .written = std::move(workload.pods.written)};
  ControlledPods pods = controlled_pods(std::move(workload));
  PodRecipe& recipe = pods.recipe;
  if (std::string error = number(recipe, counts); !error.empty()) return error;
  if (std::string error = admit(recipe, written); !error.empty()) return error;
  note_unread_class(recipe, written.classes);
  if (std::string error = admit_claims(recipe); !error.empty()) return error;
  add_resource_claims(recipe);
  if (pods.replica_set) made_.added.of<ReplicaSet>().push_back(std::move(*pods.replica_set));
  made_.sets.emplace_back(std::move(recipe));
  return "";
}

std::expected<NewObjects, FileError> Expander::run() {
  made_.added = found_.others;
  give_uids(made_.added.of<ReplicaSet>());
  give_uids(made_.added.of<ReplicationController>());
  give_uids(made_.added.of<StatefulSet>());
  if (std::string error = admit_claims(); !error.empty()) return std::unexpected(FileError{std::move(error)});
  made_.added.of<PersistentVolumeClaim>() = found_.others.of<PersistentVolumeClaim>();
  const auto located = [](const Workload& one, const std::string& error) {
    return std::unexpected(FileError{std::format("{}: {}", one.file, error_of(source_of(one), error))});
  };
  for (const Workload& one : found_.workloads)
    if (const std::string error = reserve(one); !error.empty()) return located(one, error);
  for (const Workload& one : found_.workloads)
    if (const std::string error = expand(one); !error.empty()) return located(one, error);
  if (made_.sets.empty() && !found_.left_out.empty())
    return std::unexpected(FileError{std::move(found_.first_left_out)});
  made_.left_out = std::move(found_.left_out);
  return std::move(made_);
}

using Visit = std::function<std::expected<void, FileError>(const ObjectVisitor&, FileWarnings*)>;

std::expected<NewObjects, FileError> read_visited(const Visit& visit, const ExpandOptions& options,
                                                  const State& cluster) {
  Collector collector;
  FileWarnings warnings;
  const auto read = visit([&](std::string_view file, const Reader& object,
                              const TypeMeta& type) { return collector.take(file, object, type); },
                          &warnings);
  if (!read) return std::unexpected(read.error());
  auto made = Expander(collector.finish(), options, cluster).run();
  // What changes the pods comes first, for only the first lines are told.
  if (made) made->added.warnings.add(std::move(warnings));
  return made;
}

}  // namespace

std::expected<NewObjects, FileError> read_new_objects(std::span<const std::string> files,
                                                      const ExpandOptions& options, const State& cluster) {
  return read_visited([&](const ObjectVisitor& visitor,
                          FileWarnings* warnings) { return visit_files(files, visitor, warnings); },
                      options, cluster);
}

std::expected<NewObjects, FileError> read_new_objects_text(std::string_view name, std::string text,
                                                           const ExpandOptions& options,
                                                           const State& cluster) {
  return read_visited(
      [&](const ObjectVisitor& visitor, FileWarnings* warnings) {
        return visit_text(name, std::move(text), visitor, warnings);
      },
      options, cluster);
}

namespace {

/// Rules look at these controllers, so they are put into the state, too.
bool is_kept(Maker maker) {
  return maker == Maker::kReplicaSet || maker == Maker::kReplicationController ||
         maker == Maker::kStatefulSet;
}

}  // namespace

bool Collector::take(std::string_view file, const Reader& object, const TypeMeta& type) {
  if (const auto maker = maker_of(type))
    return take_workload(file, object, type, *maker) && (!is_kept(*maker) || gatherer_.add(object, type));
  if (type.is(info_of(kind_of<PersistentVolumeClaim>)))
    return gatherer_.add(object, type) && note_claim(file, object);
  bool known = false;
  for_each_kind([&](const auto& kind) { known |= type.is(kind); });
  std::string field = known ? "" : unknown_template(object, type);
  if (field.empty()) return gatherer_.add(object, type);
  ObjectMeta metadata;
  if (!object.read("metadata", metadata)) return false;
  const std::string ns = metadata.namespace_.empty() ? "default" : metadata.namespace_;
  const std::string name = std::format("{} {}/{}", type.text(), ns, metadata.name);
  if (found_.left_out.empty())
    found_.first_left_out = std::format(
        "{}: {}", file,
        error_of(name, field + ": no pods can be made of this kind; expected a Pod, Deployment, ReplicaSet, "
                               "ReplicationController, StatefulSet, DaemonSet, Job or CronJob"));
  found_.left_out.push_back({.object = one_line(name), .template_path = std::move(field)});
  return true;
}

bool Collector::note_claim(std::string_view file, const Reader& object) {
  ObjectMeta metadata;
  if (!object.read("metadata", metadata)) return false;
  const std::string ns = metadata.namespace_.empty() ? "default" : metadata.namespace_;
  found_.claim_files[ns + "/" + metadata.name] = file;
  return true;
}

bool Collector::take_workload(std::string_view file, const Reader& object, const TypeMeta& type,
                              Maker maker) {
  auto workload = read_workload(object, type, maker);
  if (!workload) return false;
  workload->file = file;
  const std::string source = source_of(*workload);
  const bool has_name = !workload->metadata.name.empty();
  const auto [place, is_new] =
      has_name ? places_.try_emplace(source, found_.workloads.size()) : std::pair(places_.end(), true);
  if (is_new) {
    found_.workloads.push_back(std::move(*workload));
    return true;
  }
  // The gatherer counts those that it has, too.
  if (!is_kept(maker)) repeated_.push_back(source);
  found_.workloads[place->second] = std::move(*workload);
  return true;
}

Found Collector::finish() {
  found_.others = gatherer_.finish();
  for (const std::string& source : repeated_) {
    const std::size_t blank = source.find(' ');
    found_.others.note_repeated(source.substr(0, blank), source.substr(blank + 1));
  }
  return std::move(found_);
}

}  // namespace winnow
