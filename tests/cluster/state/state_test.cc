// Whatever the order of events, what the state derives is what a state built from the remains derives.
#include "cluster/state/state.h"

#include <doctest/doctest.h>

#include <format>
#include <set>
#include <string>
#include <vector>

#include "tests/ask.h"
#include "tests/cluster/state/describe.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/part.h"

namespace winnow::test::state_test {
namespace {

const std::vector<std::string> kNamespaces = {"ns-0", "ns-1", "ns-2", "unheard-of"};

/// Events on a state, and what is left of the objects, kept by the simplest means.
class Story {
 public:
  Story(std::uint64_t seed, const State::Options& options) : random_(seed), state_(options) {
    for (int i = 0; i < 12; ++i) selectors_.push_back(random_.selector());
    selectors_.push_back(Selector::everything());
    selectors_.push_back(Selector::nothing());
    for (int i = 0; i < 12; ++i) queries_.push_back(random_.query());
  }

  void event() {
    if (Draws& draws = random_.own("event of devices"); draws.one_in(6))
      return draws.one_in(4) ? remove_devices(draws) : set_devices(draws);
    switch (random_.below(20)) {
      case 0:
      case 1:
        return set_node(random_.node_name());
      case 2:
        return remove_node(random_.node_name());
      case 3:
      case 4:
        return remove_pod(random_.ns(), random_.pod_name());
      case 5:
        return set_workload();
      case 6:
        return remove_workload();
      case 7:
        return ask();
      case 8:
        return change_pod();
      case 9:
      case 10:
      case 11:
        return set_storage();
      case 12:
        return remove_storage();
      default:
        return set_pod(random_.pod(random_.ns(), random_.pod_name()));
    }
  }

  void set_node(const std::string& name) {
    const Node node = random_.node(name);
    state_.set_node(node);
    const auto it = std::ranges::find(nodes_, name, [](const Node& one) { return one.metadata.name; });
    if (it == nodes_.end())
      nodes_.push_back(node);
    else
      *it = node;
  }

  void remove_node(const std::string& name) {
    const auto removed = std::erase_if(nodes_, [&](const Node& one) { return one.metadata.name == name; });
    CHECK(state_.remove_node(name) == (removed == 1));
  }

  void set_pod(const Pod& pod) {
    state_.set_pod(pod);
    pods_.erase(key(pod));
    if (pod.status.phase.empty() || pod.status.phase == "Running") pods_.emplace(key(pod), pod);
  }

  void remove_pod(const std::string& ns, const std::string& name) {
    const auto removed = pods_.erase(ns + '/' + name);
    CHECK(state_.remove_pod(ns, name) == (removed == 1));
  }

  /// A pod is bound, starts to be deleted, or moves.
  void change_pod() {
    if (pods_.empty()) return;
    Pod pod = std::next(pods_.begin(), static_cast<std::ptrdiff_t>(random_.below(pods_.size())))->second;
    if (random_.one_in(2))
      pod.metadata.deleting = true;
    else
      pod.spec.node_name = random_.node_name();
    set_pod(pod);
  }

  void set_workload() {
    const auto kind = static_cast<WorkloadKind>(random_.below(4));
    ObjectMeta object = meta(random_.ns(), "w" + std::to_string(random_.below(4)));
    const LabelSelector selector = random_.label_selector();
    workloads_[{kind, object.namespace_ + '/' + object.name}] = selector;
    put(state_, kind, object, selector);
  }

  /// Objects of one kind and name replace each other: each is kept as how it is put into a state.
  void set_storage() {
    switch (random_.below(6)) {
      case 0:
        return keep("class", "", random_.storage_class(random_.class_name()));
      case 1:
        return keep("csi", "", random_.csi_node(random_.node_name()));
      case 2:
      case 3:
        return keep("volume", "", random_.persistent_volume(random_.volume_name()));
      default:
        const std::string ns = random_.ns();
        return keep("claim", ns, random_.volume_claim(ns, random_.claim_name()));
    }
  }

  void remove_storage() {
    if (storage_.empty()) return;
    const auto it = std::next(storage_.begin(), static_cast<std::ptrdiff_t>(random_.below(storage_.size())));
    const auto [kind, ns, name] = it->first;
    storage_.erase(it);
    for (const bool is_there : {true, false})
      CHECK((kind == "class"    ? state_.volumes.remove_class(name)
             : kind == "csi"    ? state_.volumes.remove_csi_node(name)
             : kind == "volume" ? state_.volumes.remove_volume(name)
                                : state_.volumes.remove_claim(ns, name)) == is_there);
  }

  void set_devices(Draws& draws) {
    const std::string number = std::to_string(draws.below(4));
    const std::string ns = "ns-" + std::to_string(draws.below(3));
    switch (draws.below(3)) {
      case 0:
        return keep_devices("slice", "", random_.resource_slice("slice-" + number));
      case 1:
        return keep_devices("rule", "", random_.taint_rule("rule-" + number));
      default:
        return keep_devices("claim", ns, random_.resource_claim(ns, "devices-" + number));
    }
  }

  void remove_devices(Draws& draws) {
    if (devices_.empty()) return;
    const auto it = std::next(devices_.begin(), static_cast<std::ptrdiff_t>(draws.below(devices_.size())));
    const auto [kind, ns, name] = it->first;
    devices_.erase(it);
    for (const bool is_there : {true, false})
      CHECK((kind == "slice"  ? state_.devices.remove_slice(name)
             : kind == "rule" ? state_.devices.remove_taint_rule(name)
                              : state_.devices.remove_claim(ns, name)) == is_there);
  }

  void remove_workload() {
    if (workloads_.empty()) return;
    const auto it =
        std::next(workloads_.begin(), static_cast<std::ptrdiff_t>(random_.below(workloads_.size())));
    const std::string& name = it->first.second;
    state_.workloads.remove(it->first.first, name.substr(0, 4), name.substr(5));
    workloads_.erase(it);
  }

  /// Asks about a selector, so that it is counted by increments from now on.
  void ask() {
    static_cast<void>(View(state_).count_pods(random_.ns(), selectors_[random_.below(selectors_.size())]));
    static_cast<void>(View(state_).count_pods(queries_[random_.below(queries_.size())]));
    if (random_.one_in(2)) state_.groups.keep_wanted();
  }

  void end_all() {
    while (!nodes_.empty()) remove_node(std::string(nodes_.front().metadata.name));
    while (!pods_.empty()) {
      const Pod pod = pods_.begin()->second;
      remove_pod(pod.metadata.namespace_, pod.metadata.name);
    }
    while (!workloads_.empty()) remove_workload();
    while (!storage_.empty()) remove_storage();
    while (!devices_.empty()) remove_devices(random_.own("event of devices"));
  }

  /// What differs from a state that has only seen the remains; "" if nothing does.
  std::string difference_from_scratch() {
    State scratch(state_.options());
    for (const auto& [name, pod] : pods_)
      if (name.back() % 2 == 0) scratch.set_pod(pod);  // Some before their nodes.
    for (const auto& [key, set] : storage_)
      if (std::get<0>(key) < "csi") set(scratch);  // Some before nodes and pods.
    for (const auto& [key, set] : devices_) set(scratch);
    for (const Node& node : nodes_) scratch.set_node(node);
    for (const auto& [key, set] : storage_)
      if (std::get<0>(key) >= "csi") set(scratch);
    for (const auto& [name, pod] : pods_)
      if (name.back() % 2 != 0) scratch.set_pod(pod);
    for (const auto& [id, selector] : workloads_)
      put(scratch, id.first, meta(id.second.substr(0, 4), id.second.substr(5)), selector);
    if (scratch.groups.groups() != state_.groups.groups()) return "the number of groups";
    if (scratch.terms.size() != state_.terms.size()) return "the number of terms";
    for (const bool classes_are_kept : {false, true}) {
      std::string found = difference(lines(state_), lines(scratch));
      if (!found.empty()) return (classes_are_kept ? "with classes kept: " : "") + found;
      state_.groups.keep_wanted();
    }
    return "";
  }

  const State& state() const { return state_; }

 private:
  static std::string key(const Pod& pod) { return pod.metadata.namespace_ + '/' + pod.metadata.name; }

  static void put(State& state, WorkloadKind kind, const ObjectMeta& object, const LabelSelector& selector) {
    if (kind == WorkloadKind::kService || kind == WorkloadKind::kReplicationController)
      state.workloads.set(kind, object, selector.match_labels);
    else
      state.workloads.set(kind, object, std::optional(selector));
  }

  template <class T>
  void keep(const std::string& kind, const std::string& ns, const T& object) {
    state_.volumes.set(object);
    storage_[{kind, ns, object.metadata.name}] = [object](State& state) { state.volumes.set(object); };
  }

  template <class T>
  void keep_devices(const std::string& kind, const std::string& ns, const T& object) {
    state_.devices.set(object);
    devices_[{kind, ns, object.metadata.name}] = [object](State& state) { state.devices.set(object); };
  }

  Lines lines(const State& state) const {
    Lines all = describe(View(state), kNamespaces, selectors_, queries_);
    append(all, describe_pods(state));
    append(all, describe_devices(state));
    for (const std::string& ns : kNamespaces)
      for (const StringMap& labels :
           {StringMap(), StringMap{{"app", "v1"}}, StringMap{{"app", "v0"}, {"tier", "v2"}}}) {
        std::string line = "selected in " + ns + ':';
        for (const Selector* selector : state.workloads.matching(ns, labels))
          line += std::format(" {}", selector->hash());
        all.push_back(line);
      }
    all.push_back(std::format("{} workloads", state.workloads.size()));
    return all;
  }

  RandomCluster random_;
  State state_;
  std::vector<Node> nodes_;  ///< Oldest first.
  std::map<std::string, Pod> pods_;
  std::map<std::pair<WorkloadKind, std::string>, LabelSelector> workloads_;
  /// By kind, namespace and name.
  using Kept = std::map<std::tuple<std::string, std::string, std::string>, std::function<void(State&)>>;
  Kept storage_;
  Kept devices_;
  std::vector<Selector> selectors_;
  std::vector<PodQuery> queries_;
};

/// Nothing is left, not even names.
void check_empty(const State& state) {
  CHECK(state.names().taints.size() == 0);
  CHECK(state.names().avoids.size() == 0);
  CHECK(state.names().zones.size() == 0);
  CHECK(state.names().disks.size() == 0);
  CHECK(state.names().attachables.size() == 0);
  CHECK(state.names().claims.size() == 0);
  CHECK(state.names().limits.size() == 0);
  CHECK(state.names().symbols.size() == 0);
  CHECK(state.groups.groups() == 0);
  CHECK(state.terms.size() == 0);
  CHECK(state.pod_count() == 0);
  CHECK(state.pending_count() == 0);
  CHECK(state.node_count() == 0);
}

}  // namespace

TEST_CASE("after any events the state is what the remains make") {
  for (std::uint64_t seed = 1; seed <= part_of(8U); ++seed) {
    CAPTURE(seed);
    Story story(seed, with_facts(seed % 2 == 0 ? kExact : kDefaults));
    for (int round = 0; round < 40; ++round) {
      for (int i = 0; i < 50; ++i) story.event();
      REQUIRE(story.difference_from_scratch() == "");
    }
    story.end_all();
    check_empty(story.state());
  }
}

TEST_CASE("what comes and goes leaves nothing behind, and its room is used again") {
  State state;
  RandomCluster random(1);
  for (int i = 0; i < part_of(100'000); ++i) {
    const std::string number = std::to_string(i);
    state.set_node(node("node-" + number)
                       .label("key-" + number, number)
                       .image("image:" + number, 1)
                       .offers("example.com/" + number, "1")
                       .offers("attachable-volumes-csi-" + number, "1"));
    Pod one = pod("pod-" + number)
                  .in("ns-" + number)
                  .label("id", number)
                  .on("node-" + number)
                  .avoids(pods_with({{"id", number}}, "key-" + number));
    one.spec.volumes = {gce_disk(number), claim(number)};
    state.set_pod(one);
    state.volumes.set(pvc(number).in("ns-" + number).bound_to(number));
    state.volumes.set(pv(number).csi("driver", number));
    if (i % 1000 == 0) {
      static_cast<void>(View(state).count_pods("ns-" + number, Selector::everything()));
      state.groups.keep_wanted();
    }
    state.remove_node("node-" + number);
    state.remove_pod("ns-" + number, "pod-" + number);
    state.volumes.remove_claim("ns-" + number, number);
    state.volumes.remove_volume(number);
  }
  check_empty(state);
  CHECK(state.nodes().capacity() == 1);
  CHECK(state.pod_capacity() == 1);
  CHECK(state.names().symbols.capacity() == 0);
  CHECK(state.names().disks.capacity() == 0);
  CHECK(state.names().limits.capacity() == 0);
  CHECK(state.names().attachables.capacity() == 0);
  CHECK(state.names().claims.capacity() == 0);
}

TEST_CASE("pods and nodes find each other") {
  State state;
  state.set_pod(pod("early").on("a").cpu("1"));
  CHECK(state.pods_on_unknown("a").size() == 1);
  CHECK(state.pending_count() == 0);
  state.set_node(node("a"));
  CHECK(state.pods_on_unknown("a").empty());
  CHECK(state.nodes().requested_cpu[state.find_node("a")] == 1000);

  state.remove_node("a");
  CHECK(state.find_node("a") == kNone);
  CHECK(state.pods_on_unknown("a").size() == 1);
  CHECK(state.to_pod(state.find_pod("default", "early")).spec.node_name == "a");
  state.set_node(node("b"));
  CHECK(state.nodes().requested_cpu[state.find_node("b")] == 0);
  state.set_node(node("a"));
  CHECK(state.nodes().requested_cpu[state.find_node("a")] == 1000);

  state.set_pod(pod("early").on("b").cpu("2"));
  CHECK(state.nodes().requested_cpu[state.find_node("a")] == 0);
  CHECK(state.nodes().requested_cpu[state.find_node("b")] == 2000);
  state.set_pod(pod("early").on("b").phase("Succeeded"));
  CHECK(state.pod_count() == 0);
  CHECK(state.nodes().pods[state.find_node("b")] == 0);
}

TEST_CASE("pending pods come sorted by namespace and name") {
  State state;
  for (const char* name : {"b", "a"})
    for (const char* ns : {"y", "x"}) state.set_pod(pod(name).in(ns));
  state.set_pod(pod("c").in("x").on("nowhere"));
  std::vector<std::string> names;
  for (const PodId id : state.pending_pods())
    names.push_back(std::string(state.pod_namespace(state.pod(id))) + '/' + state.pod(id).name);
  CHECK(names == std::vector<std::string>{"x/a", "x/b", "y/a", "y/b"});
}

TEST_CASE("a pod keeps what makes it a pod") {
  State state;
  Pod original =
      pod("web").in("shop").label("app", "web").owner("Job", "1", false).owner("ReplicaSet", "2").on("a");
  original.spec.volumes = {gce_disk("data"), Volume{.name = "kube-api-access-x"}};
  state.set_pod(original);
  const Pod kept = state.to_pod(state.find_pod("shop", "web"));
  CHECK(kept.metadata.uid == original.metadata.uid);
  CHECK(kept.metadata.labels == original.metadata.labels);
  REQUIRE(kept.metadata.owner_references.size() == 1);
  CHECK(kept.metadata.owner_references[0].uid == "2");
  CHECK(kept.spec.node_name == "a");
  CHECK(kept.spec.volumes == std::vector<Volume>{gce_disk("data")});
}

TEST_CASE("a pending pod that is put back as the state gives it is the same") {
  State state;
  RandomCluster random(1);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    Pod original = random.pod("ns", "web");
    original.spec.node_name.clear();
    original.status.phase = "Pending";
    original.status.nominated_node_name = random.one_in(3) ? random.node_name() : "";
    state.set_pod(original);
    const auto id = [&] { return state.find_pod("ns", "web"); };
    const Pod kept = state.to_pod(id());
    const PodRequests requests = state.footprint(state.pod(id())).requests;
    state.set_pod(kept);
    CHECK(state.to_pod(id()) == kept);
    CHECK(state.footprint(state.pod(id())).requests == requests);
  }
}

TEST_CASE("pods of one spec have each their ResourceClaims, pending and placed") {
  State state;
  const auto with_claim = [](const std::string& name, const std::string& node_name,
                             const std::string& claim) {
    Pod made = pod(name).on(node_name);
    made.spec.resource_claims = {{"gpu", std::nullopt, "any-gpu"}};
    if (!claim.empty()) made.status.resource_claim_statuses = {{"gpu", claim}};
    return made;
  };
  const auto claim_of = [&](const std::string& name) {
    const Pod kept = state.to_pod(state.find_pod("default", name));
    CHECK(kept.spec.resource_claims.at(0).resource_claim_template_name == "any-gpu");
    const auto& statuses = kept.status.resource_claim_statuses;
    return statuses.empty() ? "" : statuses.front().resource_claim_name.value_or("none");
  };
  const auto spec_of = [&](const std::string& name) {
    return state.pod(state.find_pod("default", name)).spec;
  };
  state.set_node(node("a"));
  state.set_pod(with_claim("waits", "", "one"));
  state.set_pod(with_claim("runs", "a", "two"));
  state.set_pod(with_claim("strays", "nowhere", "three"));
  CHECK(claim_of("waits") == "one");
  CHECK(claim_of("runs") == "two");
  CHECK(claim_of("strays") == "three");
  CHECK(spec_of("waits") == spec_of("runs"));
  CHECK(spec_of("strays") == spec_of("runs"));
  // The pod stays on its node, and only the status changes.
  state.set_pod(with_claim("runs", "a", "four"));
  CHECK(claim_of("runs") == "four");
  state.set_pod(with_claim("runs", "a", ""));
  CHECK(claim_of("runs").empty());
  // The next pod may have the id of one that is gone.
  state.remove_pod("default", "waits");
  state.set_pod(with_claim("new", "", ""));
  CHECK(claim_of("new").empty());

  Pod extended = pod("extended").on("a");
  extended.status.extended_resource_claim_name = "five";
  state.set_pod(extended);
  CHECK(state.to_pod(state.find_pod("default", "extended")).status.extended_resource_claim_name == "five");
}

TEST_CASE("a claim that has another name in the pod, or another source, makes another spec") {
  State state;
  const std::vector<PodResourceClaim> claims = {{"gpu", "one", std::nullopt},
                                                {"gpu", "two", std::nullopt},
                                                {"gpu", std::nullopt, "one"},
                                                {"nic", "one", std::nullopt}};
  std::set<std::uint32_t> specs;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    Pod made = pod("p" + std::to_string(i));
    made.spec.resource_claims = {claims[i]};
    state.set_pod(made);
    specs.insert(state.pod(state.find_pod("default", made.metadata.name)).spec);
  }
  CHECK(specs.size() == claims.size());
}

TEST_CASE("events of devices count as changes of their kinds") {
  State state;
  const ResourceClaim claim{.metadata = meta("ns", "one")};
  ObjectWriter<ResourceClaim>::set(state, claim);
  REQUIRE(state.devices.find_claim("ns", "one") != nullptr);
  CHECK(View(state).devices().find_claim("ns", "two") == nullptr);
  CHECK(state.version(kind_of<ResourceClaim>) == 1);
  ObjectWriter<ResourceClaim>::remove(state, "ns", "one");
  CHECK(state.devices.claims().empty());
  CHECK(state.version(kind_of<ResourceClaim>) == 2);
  ObjectWriter<ResourceSlice>::set(state, {.metadata = meta("", "gpus")});
  ObjectWriter<DeviceTaintRule>::set(state, {.metadata = meta("", "broken")});
  CHECK(state.devices.slices().contains("gpus"));
  CHECK(state.devices.taint_rules().contains("broken"));
  ObjectWriter<ResourceSlice>::remove(state, "", "gpus");
  ObjectWriter<DeviceTaintRule>::remove(state, "", "broken");
  CHECK(state.devices.slices().empty());
  CHECK(state.devices.taint_rules().empty());
  CHECK(state.version(kind_of<ResourceSlice>) == 2);
  CHECK(state.version(kind_of<DeviceTaintRule>) == 2);
  CHECK(state.version(kind_of<DeviceClass>) == 0);
}

TEST_CASE("of a pending pod its creation time is kept, until it has a node") {
  State state;
  Pod web = pod("web");
  web.metadata.creation_timestamp = 1700000000;
  const auto kept = [&] {
    return state.to_pod(state.find_pod("default", "web")).metadata.creation_timestamp;
  };
  state.set_pod(web);
  CHECK(kept() == 1700000000);
  web.spec.node_name = "a";
  state.set_pod(web);
  CHECK_FALSE(kept());
  web.spec.node_name.clear();
  web.metadata.creation_timestamp.reset();
  state.set_pod(web);
  CHECK_FALSE(kept());
}

TEST_CASE("of a pending pod's status what it says of a resize is kept") {
  State state;
  Pod web = pod("web").container("c").cpu("1");
  web.status.phase = "Pending";
  const auto kept = [&] { return state.to_pod(state.find_pod("default", "web")).status; };
  state.set_pod(web);
  CHECK(kept() == PodStatus());
  web.status.conditions = {{"PodResizePending", "True", "Infeasible"}};
  state.set_pod(web);
  CHECK(kept().conditions == web.status.conditions);
  web.status.allocated_resources = ResourceList{{"cpu", quantity("2")}};
  state.set_pod(web);
  CHECK(kept().allocated_resources == web.status.allocated_resources);
  web.spec.node_name = "a";
  state.set_pod(web);
  CHECK(kept() == PodStatus());
}

}  // namespace winnow::test::state_test
