// Which filter plugins of kube-scheduler's own a cluster needs: seen in files and in a live cluster alike,
// told by check, and taken into account by configure.
#include "extender/operate/cluster_uses.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/storage.h"
#include "cluster/api/workload.h"
#include "cluster/files/cluster_file.h"
#include "cluster/text/json_document.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"
#include "extender/config/scheduler_setup.h"
#include "extender/operate/configure.h"
#include "extender/operate/setup_check.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

const std::string kHead = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
const std::string kProfile = "profiles: [{schedulerName: default-scheduler}]\n";

constexpr const char* kPriorities = "/apis/scheduling.k8s.io/v1/priorityclasses";
constexpr const char* kStorage = "/apis/storage.k8s.io/v1/storageclasses";
constexpr const char* kDevices = "/apis/resource.k8s.io";

/// A cluster as two texts: a file, and the lists of its API server.
class Both {
 public:
  Both() { priority("system-node-critical", ""); }

  void priority(const std::string& name, const std::string& policy) {
    add(kPriorities, "scheduling.k8s.io/v1", "PriorityClass", name,
        policy.empty() ? "" : ", preemptionPolicy: " + policy, ",\"preemptionPolicy\":\"" + policy + "\"");
  }
  void storage(const std::string& name, const std::string& mode) {
    add(kStorage, "storage.k8s.io/v1", "StorageClass", name,
        ", provisioner: x.example" + (mode.empty() ? "" : ", volumeBindingMode: " + mode),
        ",\"volumeBindingMode\":\"" + mode + "\"");
  }
  void pod_with_claim(const std::string& name) {
    file_ += "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
             ", namespace: shop}, spec: {containers: [{name: c, image: i}], "
             "resourceClaims: [{name: gpu, resourceClaimName: " +
             name + "}]}}\n";
    version_ = "resource.k8s.io/v1";
    items_["/apis/resource.k8s.io/v1/resourceclaims"] =
        R"({"metadata":{"namespace":"shop","name":")" + name + "\"}}";
  }

  std::expected<ClusterUses, std::string> from_file() const {
    const auto objects = read_cluster_text("f", file_);
    REQUIRE(objects);
    return find_uses(objects->of<PriorityClass>(), objects->of<StorageClass>(), objects->of<Pod>());
  }
  std::expected<ClusterUses, std::string> from_server() const {
    return ask_uses([&](const live::ApiRequest& request) { return answer(request.path); });
  }

  std::map<std::string, int> statuses;  ///< By path, in place of 200.

 private:
  void add(const char* path, const std::string& version, const std::string& kind, const std::string& name,
           const std::string& yaml, const std::string& json) {
    file_ += "---\n{apiVersion: " + version + ", kind: " + kind + ", metadata: {name: " + name + "}" + yaml +
             "}\n";
    items_[path] +=
        (items_[path].empty() ? "" : ",") + (R"({"metadata":{"name":")" + name) + "\"}" + json + "}";
  }
  std::expected<live::ApiResponse, std::string> answer(const std::string& whole) const {
    const std::string path = whole.substr(0, whole.find('?'));
    if (const auto found = statuses.find(path); found != statuses.end())
      return live::ApiResponse{
          .status = found->second, .body = R"({"message":"no, never"})", .retry_after = {}};
    if (path == kDevices && version_.empty())
      return live::ApiResponse{.status = 404, .body = R"({"message":"not found"})", .retry_after = {}};
    if (path == kDevices)
      return live::ApiResponse{.status = 200,
                               .body = R"({"preferredVersion":{"groupVersion":")" + version_ + "\"}}",
                               .retry_after = {}};
    const auto found = items_.find(path);
    return live::ApiResponse{.status = 200,
                             .body = R"({"items":[)" + (found == items_.end() ? "" : found->second) + "]}",
                             .retry_after = {}};
  }

  std::string file_ =
      "---\n{apiVersion: v1, kind: Pod, metadata: {name: plain, namespace: shop}, spec: "
      "{containers: [{name: c, image: i}]}}\n";
  std::string version_;
  std::map<std::string, std::string> items_;
};

void check_both(const Both& cluster, const ClusterUses& expected, const std::string& claims_live) {
  const auto file = cluster.from_file();
  const auto live = cluster.from_server();
  REQUIRE(file);
  REQUIRE(live);
  for (const auto* const uses : {&*file, &*live}) {
    CHECK(uses->preempting_class == expected.preempting_class);
    CHECK(uses->late_class == expected.late_class);
  }
  CHECK(file->claims == expected.claims);
  CHECK(live->claims == claims_live);
}

/// The findings of the file without filters, by their plugin: "error …" or "warning …".
std::vector<std::string> findings_of(const std::string& plugin, const ClusterUses* uses) {
  const auto setup = read_scheduler_setup(
      read_file(std::string(WINNOW_ROOT) + "/manifests/kube-scheduler-best-no-filters.yaml"));
  REQUIRE(setup);
  std::vector<std::string> lines;
  for (const Finding& one : check_setup(*setup, load_rules("r", kHead + kProfile, {}).value().sets,
                                        {.answer = AnswerMode::kBest, .bind_address = "127.0.0.1"}, uses))
    if (one.what.starts_with(plugin)) lines.push_back((one.is_error ? "error " : "warning ") + one.what);
  return lines;
}

Configured made(const ConfigureWish& wish) {
  auto result = configure(kHead + kProfile, wish);
  REQUIRE_MESSAGE(result, result.error().front());
  return std::move(*result);
}

TEST_SUITE("cluster uses") {
  TEST_CASE("files and a live cluster show the same") {
    Both cluster;
    check_both(cluster, {}, "");
    cluster.priority("patient", "Never");
    cluster.storage("at-once", "");
    cluster.storage("also-at-once", "Immediate");
    check_both(cluster, {}, "");
    cluster.storage("local", "WaitForFirstConsumer");
    cluster.storage("zonal", "WaitForFirstConsumer");
    check_both(cluster, {.late_class = "StorageClass local"}, "");
    cluster.priority("high", "");
    check_both(cluster, {.preempting_class = "PriorityClass high", .late_class = "StorageClass local"}, "");
    cluster.pod_with_claim("trainer");
    check_both(cluster,
               {.preempting_class = "PriorityClass high",
                .late_class = "StorageClass local",
                .claims = "pod shop/trainer"},
               "ResourceClaim shop/trainer");
  }

  TEST_CASE("what cannot be seen is an error, and not taken for unused") {
    CHECK(find_uses({}, {}, {}).error().starts_with("no PriorityClass is there"));
    for (const char* const path : {kPriorities, kStorage, kDevices}) {
      Both cluster;
      cluster.statuses[path] = 403;
      CHECK(cluster.from_server().error() == "GET " + std::string(path) + ": 403: no, never");
    }
    const auto dead = [](const live::ApiRequest&) -> std::expected<live::ApiResponse, std::string> {
      return std::unexpected("connection refused");
    };
    CHECK(ask_uses(dead).error() == "GET " + std::string(kPriorities) + ": connection refused");
  }

  TEST_CASE("preemption needs kube-scheduler's filters up to 1.37, the others always") {
    CHECK(why_filters_stay({}, 37).empty());
    CHECK(why_filters_stay({.preempting_class = "PriorityClass high"}, 37) ==
          "pods of PriorityClass high preempt, and up to 1.37 only kube-scheduler's own filters let them");
    CHECK(why_filters_stay({.preempting_class = "PriorityClass high"}, 38).empty());
    for (const int release : {37, 38}) {
      CHECK(why_filters_stay({.late_class = "StorageClass local"}, release).contains("StorageClass local"));
      CHECK(why_filters_stay({.claims = "pod shop/trainer"}, release).contains("pod shop/trainer"));
    }
  }

  TEST_CASE("check: a plugin that reserves may be off where the cluster shows that nothing needs it") {
    const ClusterUses none, all{.late_class = "StorageClass local", .claims = "pod shop/trainer"};
    using Lines = std::vector<std::string>;
    CHECK(findings_of("VolumeBinding", nullptr) ==
          Lines{"error VolumeBinding is disabled: pods are bound without their volumes, for Winnow does not "
                "reserve them; leave it on"});
    CHECK(
        findings_of("VolumeBinding", &none) ==
        Lines{"warning VolumeBinding is disabled: pods are bound without their volumes, for Winnow does not "
              "reserve them; no StorageClass of the cluster binds late"});
    CHECK(findings_of("VolumeBinding", &all).front().starts_with("error "));
    CHECK(findings_of("VolumeBinding", &all).front().contains("StorageClass local"));
    CHECK(findings_of("DynamicResources", nullptr).front().starts_with("warning "));
    CHECK(findings_of("DynamicResources", &none).front().starts_with("warning "));
    CHECK(findings_of("DynamicResources", &all).front().starts_with("error "));
    CHECK(findings_of("DynamicResources", &all).front().contains("pod shop/trainer"));
  }

  TEST_CASE("configure chooses the form of `best` by the cluster") {
    const auto shipped = [](const std::string& name) {
      return read_file(std::string(WINNOW_ROOT) + "/manifests/kube-scheduler-" + name + ".yaml");
    };
    const auto same = [](const std::string& one, const std::string& other) {
      return load_document(one)->root() == load_document(other)->root();
    };
    const ClusterUses none, high{.preempting_class = "PriorityClass high"},
        late{.late_class = "StorageClass local"};
    struct Row {
      const ClusterUses* uses;
      int release;
      const char* file;
      const char* says;
      bool relies;  ///< On kube-scheduler's filters, by --scheduler-filters.
    };
    const Row rows[] = {
        {nullptr, 37, "best", "with --cluster or --kubeconfig", true},
        {nullptr, 38, "best-1.38", "with --cluster or --kubeconfig", false},
        {&none, 37, "best-no-filters", "runs no filter plugin", false},
        {&none, 38, "best-no-filters", "runs no filter plugin", false},
        {&high, 37, "best", "pods of PriorityClass high preempt", true},
        {&high, 38, "best-no-filters", "runs no filter plugin", false},
        {&late, 37, "best", "StorageClass local binds late", true},
        {&late, 38, "best-1.38", "StorageClass local binds late", false},
    };
    for (const Row& row : rows) {
      CAPTURE(row.file);
      CAPTURE(row.release);
      const Configured result =
          made({.way = DeploymentMode::kBest, .release = row.release, .uses = row.uses});
      CHECK(same(result.scheduler, shipped(row.file)));
      CHECK(result.form.contains(row.says));
      std::string flags;
      for (const std::string& flag : result.flags) flags += flag + " ";
      CHECK(flags.contains("--scheduler-filters") == row.relies);
      CHECK(flags.contains("--failed-nodes=judged") != row.relies);
      CHECK_FALSE(flags.contains("--enable-bind"));
      for (const DiffLine& line : result.diff)
        if (line.in == LineIn::kNew) CHECK_FALSE(line.reason.empty());
    }
    CHECK(made({.way = DeploymentMode::kEverything, .uses = &none}).form.empty());
  }

  TEST_CASE("a plugin that the rules do not have stays on without filters, too") {
    const std::string rules =
        kHead +
        "profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {disabled: "
        "[{name: VolumeBinding}]}}}]\n";
    const auto given = load_rules("r", rules, {});
    REQUIRE(given);
    const ClusterUses none;
    const Configured result = made({.way = DeploymentMode::kBest, .rules = &*given, .uses = &none});
    CHECK_FALSE(result.scheduler.contains("name: VolumeBinding}"));
    CHECK(result.scheduler.contains("name: DynamicResources}"));
  }
}

}  // namespace
}  // namespace winnow::test
