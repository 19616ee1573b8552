#include "extender/operate/cluster_uses.h"

#include <format>
#include <optional>
#include <string_view>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/storage.h"
#include "cluster/api/workload.h"
#include "extender/operate/api_answers.h"
#include "extender/operate/reasons.h"

namespace winnow {
namespace {

/// A PriorityClass that is not one of Kubernetes' own.
bool preempts(std::string_view name, std::string_view policy) {
  return !name.starts_with("system-") && policy != "Never";
}

bool binds_late(std::string_view mode) { return mode == "WaitForFirstConsumer"; }

std::string named(std::string_view kind, std::string_view name) { return std::format("{} {}", kind, name); }

/// Lists objects for ask_uses().
class UsesReader {
 public:
  explicit UsesReader(const AskServer& ask) : ask_(ask) {}

  std::expected<ClusterUses, std::string> run() {
    ClusterUses uses;
    for (const NamedValue& one : list("/apis/scheduling.k8s.io/v1/priorityclasses", "", "preemptionPolicy"))
      if (uses.preempting_class.empty() && preempts(one.name, one.value))
        uses.preempting_class = named("PriorityClass", one.name);
    for (const NamedValue& one : list("/apis/storage.k8s.io/v1/storageclasses", "", "volumeBindingMode"))
      if (uses.late_class.empty() && binds_late(one.value)) uses.late_class = named("StorageClass", one.name);
    // Each pod with claims has them as objects: those of a template are made before it is scheduled.
    if (const std::string version = read_preferred_version(get("/apis/resource.k8s.io").value_or(""));
        !version.empty())
      for (const NamedValue& one : list("/apis/" + version + "/resourceclaims", "?limit=1", ""))
        uses.claims = named("ResourceClaim", one.ns + "/" + one.name);
    if (!wrong_.empty()) return std::unexpected(std::move(wrong_));
    return uses;
  }

 private:
  /// Nothing where the server does not serve the path, or at an error, which is kept.
  std::optional<std::string> get(const std::string& path) {
    if (!wrong_.empty()) return std::nullopt;
    const auto answer = ask_({.method = "GET", .path = path});
    if (answer && answer->status == 200) return answer->body;
    if (!answer || answer->status != 404)
      wrong_ = std::format(
          "GET {}: {}", path,
          answer ? std::format("{}: {}", answer->status, said_in_status(answer->body)) : answer.error());
    return std::nullopt;
  }

  std::vector<NamedValue> list(const std::string& path, std::string_view query, const char* field) {
    const auto body = get(path + std::string(query));
    return body ? read_named_values(*body, field) : std::vector<NamedValue>();
  }

  const AskServer& ask_;
  std::string wrong_;
};

}  // namespace

std::expected<ClusterUses, std::string> find_uses(std::span<const PriorityClass> priorities,
                                                  std::span<const StorageClass> storage,
                                                  std::span<const Pod> pods) {
  if (priorities.empty())
    return std::unexpected(
        "no PriorityClass is there, not even Kubernetes' own two: expected what 'kubectl get "
        "priorityclasses,storageclasses,pods -A -o json' writes");
  ClusterUses uses;
  for (const PriorityClass& one : priorities)
    if (uses.preempting_class.empty() && preempts(one.metadata.name, one.preemption_policy))
      uses.preempting_class = named("PriorityClass", one.metadata.name);
  for (const StorageClass& one : storage)
    if (uses.late_class.empty() && binds_late(one.volume_binding_mode.value_or("")))
      uses.late_class = named("StorageClass", one.metadata.name);
  for (const Pod& pod : pods)
    if (uses.claims.empty() && !pod.spec.resource_claims.empty())
      uses.claims = named("pod", pod.metadata.namespace_ + "/" + pod.metadata.name);
  return uses;
}

std::expected<ClusterUses, std::string> ask_uses(const AskServer& ask) { return UsesReader(ask).run(); }

std::string why_filters_stay(const ClusterUses& uses, int release) {
  if (!uses.late_class.empty()) return uses.late_class + " binds late (WaitForFirstConsumer)";
  if (!uses.claims.empty()) return uses.claims + " has devices to be allocated (DRA)";
  if (!uses.preempting_class.empty() && release < kAsksAboutAll)
    return std::format("pods of {} preempt, and up to 1.37 only kube-scheduler's own filters let them",
                       uses.preempting_class);
  return {};
}

}  // namespace winnow
