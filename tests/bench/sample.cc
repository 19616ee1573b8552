#include "tests/bench/sample.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace winnow::bench {
namespace {

constexpr std::size_t kNamespaces = Sample::kNamespaces, kPools = 20, kZones = 10, kImages = 2000,
                      kBigApps = 20;
constexpr std::int64_t kGibi = std::int64_t{1} << 30, kMebi = 1 << 20;

/// A number that depends on nothing else (SplitMix64's finish).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t what, std::uint64_t i) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15ull + what * 0xd1342543de82ef95ull + i * 0x2545f4914f6cdd1dull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/// Letters and digits as Kubernetes draws them.
std::string letters(std::uint64_t number, std::size_t length) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (std::size_t i = 0; i < length; ++i, number /= kAlphabet.size())
    text += kAlphabet[number % kAlphabet.size()];
  return text;
}

std::string uid(std::uint64_t a, std::uint64_t b) {
  std::array<char, 37> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-8%03x-%012llx", static_cast<unsigned>(a),
                static_cast<unsigned>(a >> 32 & 0xffff), static_cast<unsigned>(a >> 48 & 0xfff),
                static_cast<unsigned>(b >> 52), static_cast<unsigned long long>(b & 0xffffffffffff));
  return text.data();
}

std::string numbered(const char* prefix, std::size_t i) { return prefix + std::to_string(i); }
std::string app_name(std::size_t app) { return numbered("checkout-service-", app); }
std::string app_namespace(std::size_t app) { return numbered("team-", app % kNamespaces); }
std::string template_hash(std::size_t app) { return letters(mixed(7, 7, app), 10); }
std::string image_name(std::size_t i) {
  return "registry.example.com/team-" + std::to_string(i % 90) + "/service-" + std::to_string(i) + ":v1." +
         std::to_string(i % 17) + ".0";
}

Taint taint_of(std::size_t kind) {
  constexpr const char* kEffects[] = {"NoSchedule", "NoSchedule", "PreferNoSchedule", "NoExecute"};
  return {numbered("dedicated.example.com/kind-", kind % 5), numbered("group-", kind), kEffects[kind % 4]};
}

std::vector<Toleration> usual_tolerations() {
  return {{"node.kubernetes.io/not-ready", "Exists", "", "NoExecute", 300},
          {"node.kubernetes.io/unreachable", "Exists", "", "NoExecute", 300}};
}

}  // namespace

// ---- nodes ----

std::string Sample::node_name(std::size_t i) const {
  return "gke-prod-eu-west1-pool-" + std::to_string(i % kPools + 10) + '-' +
         letters(mixed(3, 3, i % kPools), 8) + '-' + letters(i, 4);
}

void Sample::put_labels(std::size_t i, StringMap& labels) const {
  const std::size_t zone = i % kZones, pool = i % kPools;
  const std::string region = numbered("europe-west", zone % 3 + 1),
                    zone_name = region + '-' + char('a' + zone);
  const std::string type = numbered("n2-standard-", std::size_t{8} << pool % 4);
  labels = {{"beta.kubernetes.io/arch", "amd64"},
            {"beta.kubernetes.io/os", "linux"},
            {"kubernetes.io/arch", "amd64"},
            {"kubernetes.io/os", "linux"},
            {"kubernetes.io/hostname", node_name(i)},
            {"topology.kubernetes.io/zone", zone_name},
            {"topology.kubernetes.io/region", region},
            {"failure-domain.beta.kubernetes.io/zone", zone_name},
            {"failure-domain.beta.kubernetes.io/region", region},
            {"node.kubernetes.io/instance-type", type},
            {"beta.kubernetes.io/instance-type", type},
            {"cloud.google.com/gke-nodepool", numbered("pool-", pool)},
            {"cloud.google.com/gke-boot-disk", pool % 2 ? "pd-ssd" : "pd-balanced"},
            {"cloud.google.com/gke-container-runtime", "containerd"},
            {"cloud.google.com/gke-cpu-scaling-level", std::to_string(8u << pool % 4)},
            {"cloud.google.com/gke-logging-variant", "DEFAULT"},
            {"cloud.google.com/gke-max-pods-per-node", "110"},
            {"cloud.google.com/gke-os-distribution", "cos"},
            {"cloud.google.com/gke-provisioning", "standard"},
            {"cloud.google.com/gke-stack-type", "IPV4"},
            {"cloud.google.com/machine-family", "n2"},
            {"example.com/cost-center", numbered("cc-", pool % 7)},
            {"example.com/rack", numbered("rack-", i % 200)},
            {"example.com/kernel", numbered("6.1.", i % 4 + 100)}};
}

void Sample::put_images(std::size_t i, std::vector<ContainerImage>& images) const {
  const std::size_t start = mixed(size_.seed, 5, i) % kImages;
  for (std::size_t n = 0; n < 50; ++n) {
    // Ten that everybody has, and forty that differ.
    const std::size_t image = n < 10 ? n : 10 + (start + n * 37) % (kImages - 10);
    const std::string name = image_name(image);
    const std::string digest =
        name.substr(0, name.rfind(':')) + "@sha256:" + std::string(48, '0') + letters(mixed(2, 2, image), 16);
    images.push_back({{digest, name}, static_cast<std::int64_t>(20 + mixed(2, 3, image) % 900) * kMebi});
  }
}

Node Sample::node(std::size_t i) const {
  Node node;
  node.metadata.name = node_name(i);
  node.metadata.uid = uid(mixed(size_.seed, 1, i), i);
  put_labels(i, node.metadata.labels);
  node.metadata.annotations = {{"node.alpha.kubernetes.io/ttl", "300"},
                               {"volumes.kubernetes.io/controller-managed-attach-detach", "true"}};
  node.spec.unschedulable = i % 100 == 17;
  if (i % 20 == 3) node.spec.taints = {taint_of(i / 20 % 10)};
  const std::int64_t cores = std::int64_t{8} << i % kPools % 4;
  node.status.allocatable = {{"cpu", Quantity::of_millis(cores * 1000 - 80)},
                             {"ephemeral-storage", Quantity::of_units(47 * kGibi)},
                             {"memory", Quantity::of_units(cores * 4 * kGibi - 900 * kMebi -
                                                           static_cast<std::int64_t>(i % 16) * 4096)},
                             {"pods", Quantity::of_units(110)}};
  node.status.capacity = node.status.allocatable;
  for (const char* quiet : {"MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"})
    node.status.conditions.push_back({quiet, "False"});
  node.status.conditions.push_back({"Ready", "True"});
  put_images(i, node.status.images);
  return node;
}

// ---- pods ----

std::size_t Sample::app_of(std::size_t pod) const {
  const std::uint64_t drawn = mixed(size_.seed, 6, pod);
  return drawn % 4 == 0 ? (drawn >> 8) % std::min(kBigApps, apps()) : (drawn >> 8) % apps();
}

Container Sample::container_of(std::size_t app) const {
  Container container;
  container.name = "main";
  container.image = image_name(app % kImages);
  if (app % 40 == 39)
    container.ports.push_back({static_cast<std::int32_t>(9000 + app % 500), 9000, "TCP", ""});
  if (app % 10 == 9) return container;  // BestEffort.
  // 300m and 500Mi on the average at 30 pods a node; more each where there are fewer.
  const std::size_t share = std::max<std::size_t>(1, 30 * size_.nodes / std::max<std::size_t>(1, size_.pods));
  const auto times = static_cast<std::int64_t>(share);
  container.resources.requests = {
      {"cpu", Quantity::of_millis(times * static_cast<std::int64_t>(50 + app % 12 * 50))},
      {"memory", Quantity::of_units(times * static_cast<std::int64_t>(64 + app % 16 * 64) * kMebi)}};
  container.resources.limits = {{"memory", container.resources.requests["memory"]}};
  return container;
}

namespace {

PodAffinityTerm beside(std::size_t app, const char* topology_key) {
  PodAffinityTerm term;
  term.label_selector.emplace().match_labels = {{"app", app_name(app)}};
  term.topology_key = topology_key;
  return term;
}

constexpr const char* kHostname = "kubernetes.io/hostname";
constexpr const char* kZone = "failure-domain.beta.kubernetes.io/zone";

/// What an app's pods want of others: see the header.
std::optional<Affinity> affinity_of(std::size_t app) {
  Affinity affinity;
  if (app < kBigApps) return std::nullopt;
  if (app % 10 == 1)
    affinity.pod_anti_affinity.emplace().required = {beside(app, kHostname)};
  else if (app % 10 == 2)
    affinity.pod_anti_affinity.emplace().preferred = {{100, beside(app, kZone)}};
  else if (app % 10 == 3)
    affinity.pod_affinity.emplace().preferred = {{50, beside(app + kNamespaces, kZone)}};
  else
    return std::nullopt;
  return affinity;
}

}  // namespace

Pod Sample::pod_of(std::size_t app, const std::string& suffix) const {
  Pod pod;
  const std::string set = app_name(app) + '-' + template_hash(app);
  pod.metadata.name = set + '-' + suffix;
  pod.metadata.namespace_ = app_namespace(app);
  pod.metadata.uid = uid(mixed(size_.seed, 8, app), std::hash<std::string>{}(suffix));
  pod.metadata.labels = {{"app", app_name(app)},
                         {"app.kubernetes.io/part-of", numbered("product-", app % 50)},
                         {"pod-template-hash", template_hash(app)},
                         {"version", numbered("v", app % 9)}};
  pod.metadata.owner_references = {{"apps/v1", "ReplicaSet", set, uid(mixed(size_.seed, 9, app), app), true}};
  pod.spec.scheduler_name = "default-scheduler";
  pod.spec.tolerations = usual_tolerations();
  pod.spec.containers = {container_of(app)};
  pod.spec.affinity = affinity_of(app);
  pod.spec.volumes.emplace_back().name = "kube-api-access-" + suffix;
  pod.spec.priority = 0;
  pod.spec.preemption_policy = "PreemptLowerPriority";
  return pod;
}

Pod Sample::pod(std::size_t i) const {
  Pod pod = pod_of(app_of(i), letters(i, 5));
  pod.spec.node_name = node_name(mixed(size_.seed, 10, i) % size_.nodes);
  pod.status.phase = "Running";
  return pod;
}

Service Sample::service(std::size_t app) const {
  Service service;
  service.metadata.name = app_name(app);
  service.metadata.namespace_ = app_namespace(app);
  service.selector = {{"app", app_name(app)}};
  return service;
}

ReplicaSet Sample::replica_set(std::size_t app) const {
  ReplicaSet set;
  set.metadata.name = app_name(app) + '-' + template_hash(app);
  set.metadata.namespace_ = app_namespace(app);
  set.selector.emplace().match_labels = {{"app", app_name(app)}, {"pod-template-hash", template_hash(app)}};
  return set;
}

Namespace Sample::name_space(std::size_t i) const {
  Namespace made;
  made.metadata.name = app_namespace(i);
  made.metadata.uid = uid(mixed(size_.seed, 11, i), i);
  made.metadata.labels = {{"tier", numbered("tier-", i % 4)},
                          {"kubernetes.io/metadata.name", made.metadata.name}};
  return made;
}

void Sample::load(State& state) const {
  for (std::size_t i = 0; i < kNamespaces; ++i) {
    Namespace made = name_space(i);
    state.objects.of<Namespace>()[made.metadata.name] = std::move(made);
  }
  for (std::size_t i = 0; i < nodes(); ++i) state.set_node(node(i));
  for (std::size_t app = 0; app < apps(); ++app) {
    const Service one = service(app);
    state.workloads.set_service(one.metadata, one.selector);
    const ReplicaSet set = replica_set(app);
    state.workloads.set(WorkloadKind::kReplicaSet, set.metadata, set.selector);
  }
  for (std::size_t i = 0; i < pods(); ++i) state.set_pod(pod(i));
}

// ---- the pods that are asked about ----

const char* to_string(Asked kind) {
  constexpr const char* kNames[] = {"plain",
                                    "affinity",
                                    "big_service",
                                    "small_service",
                                    "tolerations",
                                    "images",
                                    "required_anti_affinity",
                                    "preferred_anti_affinity",
                                    "required_pod_affinity",
                                    "preferred_pod_affinity",
                                    "hard_spread",
                                    "soft_spread",
                                    "namespace_selector"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

Pod small_pod() {
  Pod pod;
  pod.metadata.name = "report-runner-28839120-x2k4j";
  pod.metadata.namespace_ = "team-7";
  pod.metadata.uid = uid(0x5bd1e995, 42);
  pod.metadata.labels = {{"run", "report-runner"}};
  pod.spec.scheduler_name = "default-scheduler";
  pod.spec.tolerations = usual_tolerations();
  Container& container = pod.spec.containers.emplace_back();
  container.name = "main";
  container.image = "registry.example.com/reports/runner:v9";
  container.resources.requests = {{"cpu", Quantity::of_millis(100)},
                                  {"memory", Quantity::of_units(128 * kMebi)}};
  pod.spec.volumes.emplace_back().name = "kube-api-access-x2k4j";
  pod.spec.priority = 0;
  pod.spec.preemption_policy = "PreemptLowerPriority";
  return pod;
}

NodeAffinity sample_affinity() {
  NodeAffinity affinity;
  affinity.required.emplace().terms = {{{{"cloud.google.com/machine-family", "In", {"n2", "n2d"}},
                                         {"example.com/cost-center", "NotIn", {"cc-6"}}},
                                        {}}};
  affinity.preferred = {
      {10, {{{"topology.kubernetes.io/zone", "In", {"europe-west1-a", "europe-west2-b"}}}, {}}},
      {5, {{{"cloud.google.com/gke-boot-disk", "In", {"pd-ssd"}}}, {}}}};
  return affinity;
}

/// Makes it one of an ordinary app, with affinity of its own.
void want_others(Pod& pod, Asked kind) {
  // Each kind has an app of its own; `other` is one in the same namespace.
  const std::size_t app =
      41 + static_cast<std::size_t>(kind) - static_cast<std::size_t>(Asked::kRequiredAntiAffinity);
  const std::size_t other = app + kNamespaces, big = 1;
  pod.metadata.namespace_ = app_namespace(kind == Asked::kRequiredPodAffinity ? big : app);
  pod.metadata.labels = {{"app", app_name(app)}};
  Affinity& affinity = pod.spec.affinity.emplace();
  if (kind == Asked::kRequiredAntiAffinity)
    affinity.pod_anti_affinity.emplace().required = {beside(app, kHostname)};
  else if (kind == Asked::kPreferredAntiAffinity)
    affinity.pod_anti_affinity.emplace().preferred = {{100, beside(app, kZone)}};
  else if (kind == Asked::kRequiredPodAffinity)
    affinity.pod_affinity.emplace().required = {beside(big, kZone)};
  else if (kind == Asked::kPreferredPodAffinity)
    affinity.pod_affinity.emplace().preferred = {{100, beside(other, kZone)}};
  else if (kind == Asked::kNamespaceSelector) {
    PodAffinityTerm term = beside(app, kZone);
    term.label_selector->match_labels = {{"version", "v1"}};
    term.namespace_selector.emplace().match_labels = {{"tier", "tier-1"}};
    affinity.pod_affinity.emplace().required = {term};
  }
}

void spread(Pod& pod, bool hard) {
  const std::size_t app = 1;
  pod.metadata.namespace_ = app_namespace(app);
  pod.metadata.labels = {{"app", app_name(app)}};
  for (const char* key : {"topology.kubernetes.io/zone", kHostname}) {
    TopologySpreadConstraint constraint;
    constraint.max_skew = key == kHostname ? 5 : 1000;
    constraint.topology_key = key;
    constraint.when_unsatisfiable = hard ? "DoNotSchedule" : "ScheduleAnyway";
    constraint.label_selector.emplace().match_labels = {{"app", app_name(app)}};
    pod.spec.topology_spread_constraints.push_back(std::move(constraint));
  }
}

}  // namespace

Pod asked_pod(const Sample& sample, Asked kind) {
  Pod pod = small_pod();
  if (kind == Asked::kAffinity) pod.spec.affinity.emplace().node_affinity = sample_affinity();
  if (kind == Asked::kBigService || kind == Asked::kSmallService) {
    pod.metadata = sample.pod_of(kind == Asked::kBigService ? 0 : sample.small_app(), "x2k4j").metadata;
    pod.metadata.uid = small_pod().metadata.uid;
  }
  if (kind == Asked::kHardSpread || kind == Asked::kSoftSpread)
    spread(pod, kind == Asked::kHardSpread);
  else if (kind >= Asked::kRequiredAntiAffinity)
    want_others(pod, kind);
  if (kind == Asked::kTolerations)
    for (std::size_t i = 0; i < 10; i += 2)
      pod.spec.tolerations.push_back({taint_of(i).key, "Equal", taint_of(i).value, "", {}});
  if (kind == Asked::kImages) {
    pod.spec.containers.front().image = image_name(3);
    pod.spec.containers.push_back(pod.spec.containers.front());
    pod.spec.containers.back().name = "side";
    pod.spec.containers.back().image = image_name(500);
  }
  return pod;
}

}  // namespace winnow::bench
