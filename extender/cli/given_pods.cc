#include "extender/cli/given_pods.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "cluster/api/decoders.h"
#include "cluster/api/kinds.h"
#include "cluster/api/meta.h"
#include "cluster/expand/admission.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/files/cluster_file.h"
#include "cluster/files/object_reader.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/named_pods.h"

namespace winnow {
namespace {

/// Whether objects of which controllers make pods are there.
bool make_pods(const ClusterObjects& objects) {
  constexpr std::string_view kMakers[] = {"Deployment.apps", "DaemonSet.apps", "Job.batch", "CronJob.batch"};
  return !objects.of<ReplicaSet>().empty() || !objects.of<StatefulSet>().empty() ||
         !objects.of<ReplicationController>().empty() ||
         std::ranges::any_of(
             kMakers, [&](std::string_view kind) { return objects.skipped.contains(std::string(kind)); });
}

/// The classes of the pods in files that no API server has seen, by NAMESPACE/NAME.
using WrittenClasses = std::map<std::string, PodClasses, std::less<>>;

void note_classes(const std::string& json, WrittenClasses& written) {
  const auto document = load_document(json);
  if (!document || !document->root().IsObject()) return;
  std::string unused, kind;
  ObjectMeta metadata;
  PodClasses classes;
  const Reader root(document->root(), nullptr, unused);
  if (!root.read("kind", kind) || kind != "Pod" || !root.read("metadata", metadata) ||
      !read_classes(root, classes))
    return;
  if (metadata.namespace_.empty()) metadata.namespace_ = "default";
  written.erase(key_of(metadata));  // Of two with one name the last one counts.
  if (metadata.uid.empty()) written.emplace(key_of(metadata), std::move(classes));
}

/// Gives new pods what their classes give, by the objects of the cluster and of the files.
std::vector<GivenPod> with_classes(ClusterObjects& objects, const WrittenClasses& written,
                                   const State& state) {
  const Admission admission(state, objects);
  std::vector<GivenPod> given;
  std::vector<FieldError> refused;
  for (Pod& pod : objects.of<Pod>()) {
    GivenPod& one = given.emplace_back(std::move(pod));
    const auto classes = written.find(key_of(one.pod.metadata));
    if (classes == written.end()) continue;
    ClassRemarks remarks = admission.apply_classes(one.pod, classes->second);
    refused.clear();
    for (std::string& why : remarks.refused) refused.push_back({.text = std::move(why)});
    note_refused(objects.refused, one.pod, refused);
    one.not_judged = std::move(remarks.not_judged);
  }
  return given;
}

}  // namespace

std::expected<std::vector<GivenPod>, std::string> read_given_pods(const std::string& flag,
                                                                  const std::vector<std::string>& files,
                                                                  const State& state) {
  WrittenClasses written;
  std::expected<ClusterObjects, FileError> objects =
      read_cluster(files, [&written](std::string_view json) { note_classes(std::string(json), written); });
  if (!objects) return std::unexpected(objects.error().message);
  if (objects->of<Pod>().empty())
    return std::unexpected(flag + ": no pod in " + files.front() +
                           (make_pods(*objects) ? ", but what makes pods: 'winnow simulate --pods' makes and "
                                                  "places them"
                                                : ""));
  std::vector<GivenPod> given = with_classes(*objects, written, state);
  warn_of_fields(objects->warnings);
  warn_of_refused(objects->refused);
  return given;
}

std::expected<std::vector<GivenPod>, std::string> wanted_of(std::vector<GivenPod> pods,
                                                            const CommonFlags& common,
                                                            const std::vector<std::string>& names) {
  if (names.empty()) return pods;
  std::vector<GivenPod> wanted;
  for (const std::string& text : names) {
    const auto name = named_pod(common, text);
    if (!name) return std::unexpected(name.error());
    const auto found =
        std::ranges::find(pods, name->full(), [](const GivenPod& one) { return key_of(one.pod.metadata); });
    if (found == pods.end()) {
      std::vector<std::string> known;
      for (const GivenPod& one : pods) known.push_back(key_of(one.pod.metadata));
      return std::unexpected("pod \"" + name->full() + "\" is not in the files of --pods" +
                             near_pods(*name, known));
    }
    wanted.push_back(*found);
  }
  return wanted;
}

}  // namespace winnow
