// What of a cluster cannot work as meant: each mistake is planted in a cluster that has none, and found with
// its object, its field and its value.
#include "extender/operate/lint.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/workload.h"
#include "cluster/state/state.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* kHost = "kubernetes.io/hostname";
constexpr const char* kZone = "topology.kubernetes.io/zone";
const std::string kRequired = "requiredDuringSchedulingIgnoredDuringExecution[0]";
const std::string kPreferred = "preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm";
const std::string kOfContainers = "spec.containers[*].resources.requests: ";

PodDisruptionBudget budget(std::string name, std::optional<LabelSelector> selector, std::int32_t allowed,
                           std::int32_t healthy, std::int32_t desired) {
  PodDisruptionBudget made;
  made.metadata = meta("default", std::move(name));
  made.selector = std::move(selector);
  made.disruptions_allowed = allowed;
  made.current_healthy = healthy;
  made.desired_healthy = desired;
  return made;
}

PriorityClass priority_class(std::string name, std::int32_t value, std::string policy = "") {
  PriorityClass made;
  made.metadata.name = std::move(name);
  made.value = value;
  made.preemption_policy = std::move(policy);
  return made;
}

/// A namespace, labelled with its team.
Namespace team(std::string name, std::string value) {
  Namespace made;
  made.metadata.name = std::move(name);
  made.metadata.labels["team"] = std::move(value);
  return made;
}

/// A cluster in which all works as meant.
class Cluster {
 public:
  Cluster() {
    state_.set_node(
        node("a").label(kHost, "a").label(kZone, "z1").label("pool", "general").cpu("8").memory("16Gi"));
    state_.set_node(node("b")
                        .label(kHost, "b")
                        .label(kZone, "z2")
                        .label("pool", "batch")
                        .label("gen", "7")
                        .cpu("4")
                        .memory("64Gi")
                        .offers("example.com/gpu", "2")
                        .taint("dedicated", "batch", "NoSchedule"));
    put(web("web-0").on("a"));
    put(web("web-1"));
    put(pod("db")
            .label("app", "db")
            .on("b")
            .asks("example.com/gpu", "1")
            .tolerates("dedicated")
            .joins(pods_with({{"app", "web"}}, kZone))
            .requires_nodes(
                {{"gen", "Gt", {"6"}}, {"gone", "DoesNotExist", {}}, {"pool", "NotIn", {"old"}}}));
    add(Service{meta("default", "web"), StringMap{{"app", "web"}}});
    add(Service{meta("default", "elsewhere"), std::nullopt});
    add(Service{meta("empty", "all"), StringMap{}});
    add(budget("web", selects({{"app", "web"}}), 1, 2, 1));
    add(priority_class("high", 1000));
    add(priority_class("patient", -5, "Never"));
    add(priority_class("system-node-critical", -5));
  }

  static PodBuilder web(const std::string& name) {
    return pod(name)
        .label("app", "web")
        .label("tier", "front")
        .cpu("1")
        .selects_nodes("pool", "general")
        .requires_nodes({{"pool", "In", {"general", "special"}}, {kHost, "Exists", {}}})
        .spreads(kZone, selects({{"app", "web"}}))
        .dislikes(1, pods_with({{"app", "web"}}, kHost))
        .tolerates("dedicated", "Equal", "batch", "NoSchedule")
        .tolerates("node.kubernetes.io/not-ready", "Exists", "", "NoExecute")
        .tolerates("");
  }

  void put(const Pod& one) { state_.set_pod(one); }
  template <class Object>
  void add(Object object) {
    ObjectWriter<Object>::set(state_, std::move(object));
  }
  void add(Service service) { services_.push_back(std::move(service)); }

  std::vector<LintFinding> findings() const { return lint(state_, services_); }
  Lines found() const {
    Lines lines;
    for (const LintFinding& one : findings()) lines.push_back(one.text());
    return lines;
  }

 private:
  State state_{StateOptions{.generation = Generation::kToday}};
  std::vector<Service> services_;
};

/// A pod that does not work as meant.
struct Row {
  const char* sentence;
  Pod pod;
  std::string line;  ///< Without the pod's name; "": nothing is found.
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Cluster cluster;
    cluster.put(row.pod);
    CHECK(cluster.found() == (row.line.empty() ? Lines{} : Lines{"Pod default/new: " + row.line}));
  }
}

TEST_SUITE("lint") {
  TEST_CASE("a cluster in which all works as meant: nothing is found") {
    CHECK(Cluster().found() == Lines{});
    CHECK(lint(State(), {}).empty());
  }

  TEST_CASE("labels that no node has") {
    const std::string term =
        "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
        "nodeSelectorTerms[0].matchExpressions[0]: ";
    check_rows({
        {"a value of nodeSelector is misspelt", pod("new").selects_nodes("pool", "genral"),
         "spec.nodeSelector: no node has pool=genral (did you mean \"general\"?)"},
        {"a key of nodeSelector is misspelt", pod("new").selects_nodes("poool", "general"),
         "spec.nodeSelector: no node has poool=general, nor any label poool (did you mean \"pool\"?)"},
        {"none of the values is there", pod("new").requires_nodes({{"pool", "In", {"red", "blue"}}}),
         term + "no node has pool in (blue,red)"},
        {"a key is not there", pod("new").requires_nodes({{"gpu", "Exists", {}}}),
         term + "no node has a label gpu"},
        {"no number is greater", pod("new").requires_nodes({{"gen", "Gt", {"9"}}}),
         term + "no node has gen>9"},
        {"no number is less", pod("new").requires_nodes({{"gen", "Lt", {"7"}}}), term + "no node has gen<7"},
        {"a preference may come to nothing", pod("new").prefers_nodes(1, {{"gpu", "Exists", {}}}), ""},
    });
  }

  TEST_CASE("topology spread constraints") {
    const std::string path = "spec.topologySpreadConstraints[0].";
    check_rows({
        {"no node has the key", pod("new").spreads("topology.kubernetes.io/zon", selects({{"app", "web"}})),
         path + "topologyKey: no node has a label topology.kubernetes.io/zon (did you mean "
                "\"topology.kubernetes.io/zone\"?)"},
        {"the selector matches no pod", pod("new").spreads(kZone, selects({{"app", "wbe"}})),
         path + "labelSelector: no pod in namespace default has app=wbe (did you mean \"web\"?)"},
        {"it matches the pod itself alone",
         pod("new").label("app", "new").spreads(kZone, selects({{"app", "new"}})), ""},
        {"there is no selector", pod("new").spreads(kZone, std::nullopt, 1, false),
         path + "labelSelector: there is no selector, so it matches no pod"},
    });
  }

  TEST_CASE("pod affinity and anti-affinity") {
    const std::string in = "spec.affinity.podAffinity.", anti = "spec.affinity.podAntiAffinity.";
    check_rows({
        {"the selector matches no pod", pod("new").joins(pods_with({{"app", "dbs"}}, kHost)),
         in + kRequired + ".labelSelector: no pod in namespace default has app=dbs (did you mean \"db\"?)"},
        {"each of its labels is there, but on no pod together",
         pod("new").avoids(pods_with({{"app", "db"}, {"tier", "front"}}, kHost)),
         anti + kRequired + ".labelSelector: no pod in namespace default matches app=db,tier=front"},
        {"no pod is in the namespace", pod("new").likes(1, pods_with({{"app", "web"}}, kHost, {"defautl"})),
         in + kPreferred +
             ".labelSelector: there is no pod in namespace defautl (did you mean \"default\"?)"},
        {"no node has the key", pod("new").dislikes(1, pods_with({{"app", "web"}}, "kubernetes.io/hostnam")),
         anti + kPreferred +
             ".topologyKey: no node has a label kubernetes.io/hostnam (did you mean "
             "\"kubernetes.io/hostname\"?)"},
    });
  }

  TEST_CASE("a namespaceSelector that selects no namespace, where Namespaces are known") {
    PodAffinityTerm term = pods_with({{"app", "web"}}, kHost);
    term.namespace_selector = selects({{"team", "red"}});
    Cluster cluster;
    cluster.put(pod("new").joins(term));
    CHECK(cluster.found() == Lines{});
    cluster.add(team("default", "blue"));
    CHECK(cluster.found() == Lines{"Pod default/new: spec.affinity.podAffinity." + kRequired +
                                   ".namespaceSelector: no namespace has team=red"});
    cluster.add(team("default", "red"));
    CHECK(cluster.found() == Lines{});
  }

  TEST_CASE("Services that select no pod") {
    Cluster cluster;
    cluster.add(Service{meta("default", "typo"), StringMap{{"app", "wbe"}}});
    CHECK(cluster.found() == Lines{"Service default/typo: spec.selector: no pod in namespace default has "
                                   "app=wbe (did you mean \"web\"?)"});
  }

  TEST_CASE("disruption budgets") {
    struct BudgetRow {
      const char* sentence;
      PodDisruptionBudget budget;
      std::string line;
    };
    const std::string allowed = "status.disruptionsAllowed: 0 although ";
    const BudgetRow rows[] = {
        {"it selects no pod", budget("new", selects({{"app", "dbs"}}), 0, 0, 0),
         "spec.selector: no pod in namespace default has app=dbs (did you mean \"db\"?)"},
        {"it asks for all pods", budget("new", selects({{"app", "web"}}), 0, 2, 2),
         allowed + "all 2 pods are healthy, for desiredHealthy is 2: no drain gets past it"},
        {"it asks for the only pod", budget("new", selects({{"app", "db"}}), 0, 1, 1),
         allowed + "its only pod is healthy, for desiredHealthy is 1: no drain gets past it"},
        {"a pod is not healthy", budget("new", selects({{"app", "web"}}), 0, 1, 2), ""},
        {"it does not ask for all", budget("new", selects({{"app", "web"}}), 0, 1, 1), ""},
        {"it has no status yet", budget("new", selects({{"app", "web"}}), 0, 0, 0), ""},
    };
    for (const BudgetRow& row : rows) {
      CAPTURE(row.sentence);
      Cluster cluster;
      cluster.add(row.budget);
      CHECK(cluster.found() ==
            (row.line.empty() ? Lines{} : Lines{"PodDisruptionBudget default/new: " + row.line}));
    }
  }

  TEST_CASE("requests of pending pods that no node could hold, even empty") {
    check_rows({
        {"no node has as much", pod("new").cpu("9"),
         kOfContainers + "cpu 9: no node has more than 8, even empty"},
        {"what counts is the sum", pod("new").cpu("5").container("sidecar").cpu("4"),
         kOfContainers + "cpu 9: no node has more than 8, even empty"},
        {"no node has both", pod("new").cpu("6").memory("32Gi"),
         kOfContainers + "cpu 6, memory 32Gi: no node could hold all of it, even empty"},
        {"no node has the resource", pod("new").asks("example.com/gpus", "1"),
         kOfContainers + "example.com/gpus 1: no node has any (did you mean \"example.com/gpu\"?)"},
        {"no node that it asks for has as much", pod("new").memory("32Gi").selects_nodes(kHost, "a"),
         kOfContainers + "memory 32Gi: no node that it asks for has more than 16Gi, even empty"},
        {"others are in the way, which may go", pod("new").cpu("8"), ""},
        {"it has a node already", pod("new").cpu("9").on("a"), ""},
    });
    Cluster cluster;
    DeviceClass gpus;
    gpus.metadata.name = "gpus";
    gpus.extended_resource_name = "example.com/gpus";
    cluster.add(gpus);
    cluster.put(pod("new").asks("example.com/gpus", "1"));
    CHECK(cluster.found() == Lines{});
  }

  TEST_CASE("tolerations for taints that no node has") {
    const std::string start = "spec.tolerations[0]: no node has a taint ";
    check_rows({
        {"no node has the value", pod("new").tolerates("dedicated", "Equal", "batsh", "NoSchedule"),
         start + "dedicated=batsh:NoSchedule (did you mean \"batch\"?)"},
        {"no node has the key", pod("new").tolerates("dedicatd"),
         start + "dedicatd (did you mean \"dedicated\"?)"},
        {"no node has the effect", pod("new").tolerates("dedicated", "Exists", "", "NoExecute"),
         start + "dedicated:NoExecute (that taint's effect is NoSchedule)"},
        {"Kubernetes has taints that come and go", pod("new").tolerates("node.kubernetes.io/disk-pressure"),
         ""},
    });
  }

  TEST_CASE("a PriorityClass that preempts nobody") {
    Cluster cluster;
    cluster.add(priority_class("low", 0));
    CHECK(cluster.found() ==
          Lines{"PriorityClass low: value: 0 preempts nobody: the lowest priority of a pod "
                "that has a node is 0"});
    PodBuilder lower = pod("lower").on("a");
    lower.object().spec.priority = -1;
    cluster.put(lower);
    CHECK(cluster.found() == Lines{});
  }

  TEST_CASE("pods of one controller are told once, and those of a node's files each by its name") {
    const auto owned = [](const std::string& name, const std::string& kind, const std::string& owner) {
      PodBuilder one = pod(name).owner(kind, "uid-of-" + owner).selects_nodes("pool", "genral");
      one.object().metadata.owner_references.back().name = owner;
      return one;
    };
    Cluster cluster;
    cluster.put(owned("web-5d-x", "ReplicaSet", "web-5d"));
    cluster.put(owned("web-5d-y", "ReplicaSet", "web-5d").on("a"));
    cluster.put(owned("report-z", "Job", "report"));
    cluster.put(owned("proxy-a", "Node", "a"));
    cluster.put(owned("ended", "Job", "ended").phase("Succeeded"));
    const std::string what = ": spec.nodeSelector: no node has pool=genral (did you mean \"general\"?)";
    CHECK(cluster.found() == Lines{"Job default/report (1 pod)" + what, "Pod default/proxy-a" + what,
                                   "ReplicaSet default/web-5d (2 pods)" + what});
  }

  TEST_CASE("findings come by kind, then by object") {
    Cluster cluster;
    cluster.add(priority_class("low", 0));
    cluster.add(Service{meta("default", "typo"), StringMap{{"app", "wbe"}}});
    cluster.put(pod("z").selects_nodes("pool", "genral").tolerates("dedicatd"));
    cluster.put(pod("y").selects_nodes("pool", "genral"));
    std::vector<std::pair<LintKind, std::string>> order;
    for (const LintFinding& one : cluster.findings()) order.emplace_back(one.kind, one.object);
    CHECK(order ==
          std::vector<std::pair<LintKind, std::string>>{{LintKind::kNodeLabels, "Pod default/y"},
                                                        {LintKind::kNodeLabels, "Pod default/z"},
                                                        {LintKind::kService, "Service default/typo"},
                                                        {LintKind::kToleration, "Pod default/z"},
                                                        {LintKind::kPriorityClass, "PriorityClass low"}});
  }
}

}  // namespace
}  // namespace winnow::test
