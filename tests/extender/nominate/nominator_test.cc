// Which node a waiting pod is nominated for, when, and what that does to the cache that calls are answered
// from.
#include "extender/nominate/nominator.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <new>
#include <thread>

#include "cluster/state/state.h"
#include "tests/devices.h"
#include "tests/extender/nominate/nominating.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

using namespace std::chrono_literals;

/// Two nodes of two CPUs, and a clock.
struct Bed {
  explicit Bed(NominatorService::Given given) : process(std::move(given)) {
    for (const std::string name : {"a", "b"}) process.set_node(roomy_node(name, "2"));
  }
  Bed() : Bed(NominatorService::Given{.clock = clock()}) {}
  static live::test::ManualClock& clock() {
    static live::test::ManualClock clock;
    return clock;
  }

  /// Has the last write carried out, as that version.
  void written(std::uint64_t version, NominationEvent event = NominationEvent::kWritten) {
    REQUIRE_FALSE(process.writes.empty());
    process.waiting.report({.ticket = process.writes.back().ticket, .event = event, .version = version});
    process.work();
  }
  /// Tells of the pod, and nominates it. @return the node; "": none.
  std::string nominate(const Pod& pod) {
    process.tell(pod);
    const std::size_t before = process.writes.size();
    process.work();
    return process.writes.size() > before ? process.writes.back().node : "";
  }

  NominatorService process;
};

Pod asks(Pod made, const std::string& cpu) {
  made.spec.containers.front().resources.requests.insert_or_assign("cpu", *Quantity::parse(cpu));
  return made;
}

/// An event of a claim or a volume.
template <class Object>
void tell(Bed& bed, Object object) {
  bed.process.cache().write([&](State& state) { ObjectWriter<Object>::set(state, std::move(object)); });
  bed.process.cache().news().tell(true);
}
template <class Object>
void tell_gone(Bed& bed, const std::string& ns, const std::string& name) {
  bed.process.cache().write([&](State& state) { ObjectWriter<Object>::remove(state, ns, name); });
  bed.process.cache().news().tell(true);
}
Pod mounts(Pod made, Volume volume) {
  made.spec.volumes.push_back(std::move(volume));
  return made;
}

/// DynamicResources alone.
RuleSet device_rules() {
  return load_rules("f",
                    R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1",
      "profiles":[{"plugins":{"multiPoint":{"enabled":[{"name":"DynamicResources"},{"name":"PrioritySort"},
      {"name":"DefaultBinder"}],"disabled":[{"name":"*"}]}}}]})",
                    {})
      ->sets.front();
}

RuleSet profile(const std::string& name) {
  RuleSet rules = classic_rules({}).sets.front();
  rules.scheduler_name = name;
  return rules;
}

}  // namespace

TEST_SUITE("nominator") {
  TEST_CASE("a pod that waits is assumed at once, and its nomination is handed to a writer") {
    Bed bed;
    const std::string node = bed.nominate(told("p", 5));
    CHECK((node == "a" || node == "b"));
    CHECK(bed.process.assumed("p") == node);
    CHECK(bed.process.writes.back().pod.resource_version == "5");
    CHECK(bed.process.writes.back().term == 1);
  }

  TEST_CASE("pods that are nominated fill the nodes, and no node twice") {
    Bed bed;
    std::map<std::string, int> nodes;
    for (int i = 0; i < 5; ++i) ++nodes[bed.nominate(told("p" + std::to_string(i), i + 1))];
    CHECK(nodes == std::map<std::string, int>{{"a", 2}, {"b", 2}, {"", 1}});
    CHECK(bed.process.waiting.figures().fit_nowhere == 1);
  }

  TEST_CASE("a pod that fits nowhere is nominated when it fits") {
    Bed bed;
    CHECK(bed.nominate(asks(told("p", 1), "3")).empty());
    bed.process.set_node(roomy_node("c", "4"));
    bed.process.work();
    REQUIRE(bed.process.writes.size() == 1);
    CHECK(bed.process.writes.back().node == "c");
  }

  TEST_CASE("whom the nominator decides for") {
    struct Row {
      const char* sentence;
      std::vector<RuleSet> rules;
      std::vector<std::string> schedulers;
      std::string scheduler;  ///< The pod's.
      bool decided;
    };
    const Row rows[] = {
        {"a Policy: the default scheduler", {profile("")}, {}, "default-scheduler", true},
        {"a Policy: a pod without a schedulerName", {profile("")}, {}, "", true},
        {"a Policy: another scheduler", {profile("")}, {}, "other", false},
        {"a Policy: the flag", {profile("")}, {"other"}, "other", true},
        {"the flag leaves out the default scheduler", {profile("")}, {"other"}, "default-scheduler", false},
        {"a profile", {profile("default-scheduler"), profile("gold")}, {}, "gold", true},
        {"no profile", {profile("default-scheduler"), profile("gold")}, {}, "other", false},
        {"the flag, without a profile", {profile("gold")}, {"other"}, "other", true},
        {"the flag leaves out a profile",
         {profile("default-scheduler"), profile("gold")},
         {"gold"},
         "",
         false},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed({.clock = Bed::clock(), .rules = row.rules, .schedulers = row.schedulers});
      Pod pod = told("p", 1);
      pod.spec.scheduler_name = row.scheduler;
      CHECK(!bed.nominate(pod).empty() == row.decided);
    }
  }

  TEST_CASE("pods that are not judged get no nomination, and keep no place from others") {
    std::function<Pod(Pod)> alike = [](Pod pod) { return pod; };
    SUBCASE("claims of devices") { alike = with_resource_claims; }
    SUBCASE("a group") { alike = in_a_group; }
    SUBCASE("gates of others") {
      alike = [](const Pod& pod) { return gated(pod, {"example.com/other"}); };
    }
    SUBCASE("a claim that does not exist") {
      alike = [](const Pod& pod) { return mounts(pod, claim("typo")); };
    }
    SUBCASE("a claim that is to be made for an ephemeral volume") {
      alike = [](const Pod& pod) { return mounts(pod, ephemeral_volume("scratch")); };
    }
    Bed bed;
    for (int i = 0; i < 4; ++i) {
      CHECK(bed.nominate(alike(asks(told("g" + std::to_string(i), i + 1), "2"))).empty());
      CHECK(bed.process.assumed_count() == 0);
    }
    for (int i = 0; i < 4; ++i) CHECK_FALSE(bed.nominate(told("p" + std::to_string(i), i + 10)).empty());
    CHECK(bed.process.writes.size() == 4);
  }

  TEST_CASE("a pod whose storage comes later is nominated then, and let go when it has gone") {
    Bed bed;
    const Pod pod = mounts(told("p", 1), claim("data"));
    CHECK(bed.nominate(pod).empty());
    CHECK(bed.process.waiting.status_of("default", "p")->why_not == WhyNotNominated::kClaimMissing);
    tell<PersistentVolumeClaim>(bed, pvc("data").bound_to("disk"));
    bed.process.work();
    CHECK(bed.process.waiting.status_of("default", "p")->why_not == WhyNotNominated::kVolumeMissing);
    CHECK(bed.process.writes.empty());
    tell<PersistentVolume>(bed, pv("disk"));
    bed.process.work();
    REQUIRE(bed.process.writes.size() == 1);
    const std::string node = bed.process.writes.back().node;
    CHECK_FALSE(node.empty());
    bed.written(10);
    bed.process.tell(nominated(mounts(told("p", 10), claim("data")), node));
    SUBCASE("the claim goes") { tell_gone<PersistentVolumeClaim>(bed, "default", "data"); }
    SUBCASE("the volume goes") { tell_gone<PersistentVolume>(bed, "", "disk"); }
    Bed::clock().advance(Nominator::kRound);
    bed.process.work();
    REQUIRE(bed.process.writes.size() == 2);
    CHECK(bed.process.writes.back().node.empty());
    CHECK(bed.process.writes.back().instead_of == node);
    CHECK(bed.process.assumed("p").empty());
    bed.written(20, NominationEvent::kWroteNothing);
    CHECK(bed.process.ended(NominationOutcome::kLeftOut) == 1);
  }

  TEST_CASE("a pod that a DeviceClass provides a resource of gets no nomination, while it does") {
    RuleSet rules = classic_rules({}).sets.front();
    rules.accounting = Accounting::kToday;
    Bed bed({.clock = Bed::clock(), .rules = {rules}});
    tell(bed, DeviceClass{.metadata = {.name = "gpu"}, .extended_resource_name = "example.com/gpu"});
    Pod pod = told("p", 1);
    pod.spec.containers.front().resources.requests.insert_or_assign("example.com/gpu", *Quantity::parse("1"));
    CHECK(bed.nominate(pod).empty());
    CHECK(bed.process.waiting.status_of("default", "p")->why_not == WhyNotNominated::kDevices);
    tell_gone<DeviceClass>(bed, "", "gpu");
    bed.process.work();
    CHECK_FALSE(bed.process.waiting.status_of("default", "p")->why_not);
    CHECK(bed.process.waiting.figures().fit_nowhere == 1);
  }

  TEST_CASE("a device that kube-scheduler gives to another claim is no longer a nominated pod's") {
    Bed bed({.clock = Bed::clock(), .rules = {device_rules()}});
    tell(bed, DeviceClass{.metadata = {.name = "gpu"}, .selectors = {}, .extended_resource_name = {}});
    tell(bed, gpus_of("a", 2));
    for (const std::string name : {"one", "two"}) tell(bed, simple_claim(name));
    CHECK(bed.nominate(claiming(told("p", 1), {"one"})) == "a");
    ResourceClaim other = simple_claim("other");
    other.allocation =
        DeviceAllocation{.devices = {{.request = "r", .driver = "d", .pool = "a", .device = "gpu-0"}}};
    tell(bed, other);
    // The first pod has the second device by now.
    CHECK(bed.nominate(claiming(told("q", 2), {"two"})).empty());
    tell_gone<ResourceClaim>(bed, "default", "other");
    Bed::clock().advance(Nominator::kRound);
    bed.process.work();
    CHECK(bed.process.assumed("q") == "a");
  }

  TEST_CASE("a device that is tainted or withdrawn is no longer a nominated pod's") {
    const auto taken = [](Bed& bed, const std::string& device) {
      return bed.process.cache().read()->devices.holders("d", "a", device).size();
    };
    Bed bed({.clock = Bed::clock(), .rules = {device_rules()}});
    // Devices are looked at before the next decision.
    auto decide_another = [&, version = 10]() mutable {
      const std::string name = "other-" + std::to_string(++version);
      CHECK_FALSE(bed.nominate(told(name, version)).empty());
    };
    tell(bed, DeviceClass{.metadata = {.name = "gpu"}, .selectors = {}, .extended_resource_name = {}});
    tell(bed, gpus_of("a", 2));
    ResourceClaim claim = simple_claim("one");
    bool stays = false;
    SUBCASE("a taint that its request does not tolerate") {}
    SUBCASE("a taint that it tolerates") {
      claim.spec.requests.front().exactly->tolerations = {{.key = "k", .op = "Exists"}};
      stays = true;
    }
    tell(bed, claim);
    CHECK(bed.nominate(claiming(told("p", 1), {"one"})) == "a");
    REQUIRE(taken(bed, "gpu-0") == 1);
    ResourceSlice slice = gpus_of("a", 2);
    slice.devices.front().taints = {{.key = "k", .value = "", .effect = "NoSchedule"}};
    tell(bed, slice);
    decide_another();
    CHECK(taken(bed, "gpu-0") == (stays ? 1 : 0));
    CHECK(taken(bed, "gpu-1") == (stays ? 0 : 1));
    // The driver takes one of them away.
    slice.devices.erase(slice.devices.begin() + (stays ? 0 : 1));
    slice.devices.front().taints.clear();
    tell(bed, slice);
    decide_another();
    CHECK(taken(bed, "gpu-0") == (stays ? 0 : 1));
    CHECK(taken(bed, "gpu-1") == (stays ? 1 : 0));
  }

  TEST_CASE("a new pod waits, gated, for its claims to be made from templates") {
    Bed bed({.clock = Bed::clock(), .rules = {device_rules()}, .gate = "g"});
    tell(bed, DeviceClass{.metadata = {.name = "gpu"}, .selectors = {}, .extended_resource_name = {}});
    tell(bed, gpus_of("a", 1));
    Pod pod = gated(told("p", 1), {"g"});
    pod.spec.resource_claims = {{.name = "gpu", .resource_claim_template_name = "t"}};
    // An hour ahead: it stays new, however long the test takes.
    const auto made_at = std::chrono::system_clock::now().time_since_epoch() + 1h;
    pod.metadata.creation_timestamp = std::chrono::duration_cast<std::chrono::seconds>(made_at).count();
    CHECK(bed.nominate(pod).empty());
    CHECK(bed.process.writes.empty());
    ResourceClaim made = simple_claim("p-gpu");
    made.metadata.owner_references = {{"v1", "Pod", "p", pod.metadata.uid, true}};
    tell(bed, made);
    pod.metadata.resource_version = "2";
    pod.status.resource_claim_statuses = {{.name = "gpu", .resource_claim_name = "p-gpu"}};
    CHECK(bed.nominate(pod) == "a");
  }

  TEST_CASE("a nominated pod takes its devices, and gives them back") {
    Bed bed({.clock = Bed::clock(), .rules = {device_rules()}});
    tell(bed, DeviceClass{.metadata = {.name = "gpu"}, .selectors = {}, .extended_resource_name = {}});
    for (const std::string node : {"a", "b"}) tell(bed, gpus_of(node, 1));
    for (const std::string name : {"one", "two", "three"}) tell(bed, simple_claim(name));
    const std::string first = bed.nominate(claiming(told("p", 1), {"one"}));
    const std::string second = bed.nominate(claiming(told("q", 2), {"two"}));
    CHECK_FALSE(first.empty());
    CHECK_FALSE(second.empty());
    CHECK(first != second);
    CHECK(bed.nominate(claiming(told("r", 3), {"three"})).empty());
    // A look at a nominated pod finds it to fit still.
    bed.written(10);
    bed.process.tell(nominated(claiming(told("q", 10), {"two"}), second));
    Bed::clock().advance(Nominator::kRound);
    bed.process.work();
    CHECK(bed.process.assumed("q") == second);
    // The claim shows what kube-scheduler has allocated, and the pod is bound: the device stays taken.
    ResourceClaim claim = simple_claim("two");
    claim.allocation =
        DeviceAllocation{.devices = {{.request = "r", .driver = "d", .pool = second, .device = "gpu-0"}}};
    tell(bed, claim);
    Pod bound = claiming(told("q", 11), {"two"});
    bound.spec.node_name = second;
    bed.process.tell(bound);
    Bed::clock().advance(Nominator::kRound);
    bed.process.work();
    CHECK(bed.process.assumed("r").empty());
    // The claim goes, and its device is free.
    tell_gone<ResourceClaim>(bed, "default", "two");
    Bed::clock().advance(Nominator::kRound);
    bed.process.work();
    CHECK(bed.process.assumed("r") == second);
  }

  TEST_CASE("a nomination of an earlier Winnow for a pod that gets none is taken away, and keeps no place") {
    Bed bed;
    bed.process.work();
    bed.process.tell(with_resource_claims(nominated(asks(told("p", 1), "2"), "a")));
    Bed::clock().advance(1s);
    bed.process.work();
    CHECK(bed.process.assumed("p").empty());
    REQUIRE(bed.process.writes.size() == 1);
    CHECK(bed.process.writes.back().node.empty());
    CHECK(bed.process.writes.back().instead_of == "a");
    bed.written(10, NominationEvent::kWroteNothing);
    CHECK(bed.process.ended(NominationOutcome::kLeftOut) == 1);
    CHECK(bed.process.assumed_count() == 0);
  }

  TEST_CASE("rules that do not read claims say nothing of them") {
    RuleSet rules =
        load_rules("f", R"({"kind":"KubeSchedulerConfiguration","apiVersion":"kubescheduler.config.k8s.io/v1",
      "profiles":[{"plugins":{"multiPoint":{"enabled":[{"name":"NodeResourcesFit"},{"name":"PrioritySort"},
      {"name":"DefaultBinder"}],"disabled":[{"name":"*"}]}}}]})",
                   {})
            ->sets.front();
    Bed bed({.clock = Bed::clock(), .rules = {rules}});
    CHECK_FALSE(bed.nominate(mounts(told("p", 1), claim("data"))).empty());
  }

  TEST_CASE("a pod that gets no nomination loses our gate, also where the gate holds what fits nowhere") {
    Bed bed({.clock = Bed::clock(), .gate = "g", .release_infeasible = false});
    Pod pod = gated(told("p", 1), {"g"});
    SUBCASE("claims of devices") { pod = with_resource_claims(pod); }
    SUBCASE("a group") { pod = in_a_group(pod); }
    SUBCASE("a claim that does not exist") { pod = mounts(pod, claim("typo")); }
    SUBCASE("one that fitted nowhere, and whose claim goes") {
      pod = asks(mounts(pod, claim("data")), "9");
      tell<PersistentVolumeClaim>(bed, pvc("data").bound_to("disk"));
      tell<PersistentVolume>(bed, pv("disk"));
      bed.nominate(pod);
      CHECK(bed.process.writes.empty());
      tell_gone<PersistentVolumeClaim>(bed, "default", "data");
      Bed::clock().advance(Nominator::kRound);
    }
    bed.nominate(pod);
    REQUIRE(bed.process.writes.size() == 1);
    CHECK(bed.process.writes.back().gate == "g");
    CHECK(bed.process.writes.back().node.empty());
    CHECK(bed.process.assumed_count() == 0);
  }

  TEST_CASE("our gate is removed from the pods that are left to others") {
    Bed bed({.clock = Bed::clock(), .rules = {profile("gold")}, .gate = "g"});
    Pod pod = gated(told("p", 1), {"g"});
    SUBCASE("no profile has its schedulerName") { pod.spec.scheduler_name = "other"; }
    SUBCASE("somebody else has nominated it") {
      pod.spec.scheduler_name = "gold";
      pod = nominated(pod, "a", "autoscaler");
    }
    bed.nominate(pod);
    REQUIRE(bed.process.writes.size() == 1);
    CHECK(bed.process.writes.back().gate == "g");
    CHECK(bed.process.writes.back().node.empty());
    CHECK(bed.process.assumed_count() == 0);
  }

  TEST_CASE("nothing is decided meanwhile") {
    Bed bed;
    SUBCASE("while another replica leads") {
      bed.process.term = 0;
      CHECK(bed.nominate(told("p", 1)).empty());
      bed.process.term = 2;
    }
    SUBCASE("while the picture may not be used") {
      bed.process.unusable = "not complete";
      CHECK(bed.nominate(told("p", 1)).empty());
      bed.process.unusable.clear();
    }
    SUBCASE("while as many writes wait as may") {
      bed.process.room = 0;
      CHECK(bed.nominate(told("p", 1)).empty());
      bed.process.room = 1;
    }
    bed.process.work();
    CHECK(bed.process.writes.size() == 1);
  }

  TEST_CASE("while a picture that was lost is read again, nothing is decided or concluded") {
    Bed bed;
    ClusterCache& cache = bed.process.cache();
    cache.add_source();
    const std::string node = bed.nominate(told("before", 1));
    bed.written(10);
    bed.process.tell(nominated(told("before", 10), node));
    CHECK_THROWS_AS(cache.write([](State&) { throw std::bad_alloc(); }), std::bad_alloc);
    bed.process.tell(nominated(told("before", 10), node));  // The pods are there first, and no node.
    CHECK(bed.nominate(told("p", 11)).empty());
    CHECK(bed.process.ended(NominationOutcome::kNoLongerFits) == 0);
    bed.process.set_node(roomy_node("a", "1"));  // One of the two nodes.
    bed.process.work();
    CHECK(bed.process.writes.size() == 1);
    CHECK(bed.process.ended(NominationOutcome::kNoLongerFits) == 0);
    bed.process.set_node(roomy_node("b", "2"));
    cache.write([&](State&) { cache.source_listed(); });
    cache.news().tell(true);
    bed.process.work();
    CHECK(bed.process.writes.size() == 2);
    CHECK(bed.process.writes.back().pod.name == "p");
  }

  TEST_CASE("what ends a nomination frees its place") {
    struct Row {
      const char* sentence;
      std::function<void(Bed&, const std::string& node)> happens;
      std::string assumed;  ///< "same" or "another" node, or "".
    };
    const auto other = [](const std::string& node) { return node == "a" ? "b" : "a"; };
    const Row rows[] = {
        {"it is bound elsewhere",
         [=](Bed& bed, const std::string& node) { bed.process.tell(bound(told("p", 20), other(node))); }, ""},
        {"it is deleted", [](Bed& bed, const std::string&) { bed.process.tell_gone("p", 20); }, ""},
        {"it is being deleted, and a finalizer holds it",
         [](Bed& bed, const std::string& node) {
           Pod deleting = nominated(told("p", 20), node);
           deleting.metadata.deleting = true;
           bed.process.tell(deleting);
         },
         ""},
        {"kube-scheduler takes it",
         [=](Bed& bed, const std::string& node) {
           bed.process.tell(nominated(told("p", 20), other(node), "kube-scheduler"));
         },
         ""},
        {"it is refused: the next choice steps back",
         [](Bed& bed, const std::string&) { bed.process.tell(given_up(told("p", 20))); }, "another"},
        {"the node is gone: the other is chosen",
         [](Bed& bed, const std::string& node) { bed.process.remove_node(node); }, "another"},
        {"the node is cordoned: the other is chosen",
         [](Bed& bed, const std::string& node) {
           Node cordoned = roomy_node(node, "2");
           cordoned.spec.unschedulable = true;
           bed.process.set_node(cordoned);
         },
         "another"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      const std::string node = bed.nominate(told("p", 1));
      bed.written(10);
      bed.process.tell(nominated(told("p", 10), node));
      row.happens(bed, node);
      bed.process.work();
      Bed::clock().advance(1s);
      bed.process.work();
      CHECK(bed.process.assumed("p") == (row.assumed.empty() ? "" : other(node)));
    }
  }

  TEST_CASE("a place that is kept for a pod that kube-scheduler does not try is given back within 2 s") {
    Bed bed;
    std::vector<std::string> nodes;
    for (const char* const name : {"p0", "p1"}) {
      nodes.push_back(bed.nominate(asks(told(name, 1), "2")));
      bed.written(10);
      bed.process.tell(nominated(asks(told(name, 10), "2"), nodes.back()));
    }
    bed.process.work();
    bed.process.writes.clear();
    const auto then = Bed::clock().now();
    CHECK(bed.nominate(told("q", 20)).empty());
    bed.process.tell(given_up(told("q", 21)));
    const auto taken_away = [&] {
      return std::ranges::count_if(bed.process.writes, [](const NominationWrite& write) {
        return write.node.empty() && !write.instead_of.empty();
      });
    };
    while (taken_away() < 2 && Bed::clock().now() - then < 2s) {
      Bed::clock().advance(100ms);
      bed.process.work();
    }
    CHECK(taken_away() == 2);
    CHECK(bed.process.assumed("p0").empty());
    CHECK(bed.process.assumed("p1").empty());
    CHECK(bed.process.ended(NominationOutcome::kUnfollowed) == 2);
    for (const char* const name : {"p0", "p1"}) bed.process.tell(asks(told(name, 30), "2"));
    bed.process.work();
    CHECK_FALSE(bed.process.assumed("q").empty());
  }

  TEST_CASE("a pod whose volume is being provisioned keeps its place, however long that takes") {
    Bed bed;
    tell<PersistentVolumeClaim>(bed, pvc("data").of_class("slow"));
    tell<StorageClass>(bed, storage_class("slow", "driver", "WaitForFirstConsumer"));
    Pod pod = mounts(told("p", 1), claim("data"));
    bool refused_before = false;
    SUBCASE("in its first attempt") {}
    SUBCASE("in a later one") { refused_before = true; }
    if (refused_before) pod = given_up(pod);
    const std::string node = bed.nominate(pod);
    REQUIRE_FALSE(node.empty());
    bed.written(10);
    pod.metadata.resource_version = "10";
    bed.process.tell(nominated(pod, node));
    bed.process.work();
    tell<PersistentVolumeClaim>(bed, pvc("data").of_class("slow").selected(node));
    for (int i = 0; i < 300; ++i) {
      Bed::clock().advance(1s);
      const std::string name = "q" + std::to_string(i);
      bed.process.tell(asks(told(name, 100 + i), "9"));
      bed.process.tell(given_up(asks(told(name, 1000 + i), "9")));
      bed.process.work();
    }
    CHECK(bed.process.assumed("p") == node);
    CHECK(bed.process.writes.size() == 1);
    SUBCASE("the provisioner gives it back") {
      tell<PersistentVolumeClaim>(bed, pvc("data").of_class("slow"));
      bed.process.tell(asks(told("last", 2000), "9"));
      bed.process.tell(given_up(asks(told("last", 2001), "9")));
      for (int i = 0; i < 25; ++i) {
        Bed::clock().advance(100ms);
        bed.process.work();
      }
      CHECK(bed.process.ended(NominationOutcome::kUnfollowed) == 1);
    }
  }

  TEST_CASE("a pod with a gate keeps its place while its nomination is written and the gate removed") {
    Bed bed({.clock = Bed::clock(), .gate = "g"});
    const Pod pod = gated(told("p", 1), {"g"});
    const std::string node = bed.nominate(pod);
    REQUIRE_FALSE(node.empty());
    Pod event = nominated(pod, node);
    SUBCASE("the watch tells before the writer does") {
      for (const char* version : {"10", "11"}) {
        event.metadata.resource_version = version;
        bed.process.tell(event);
        CHECK(bed.process.assumed("p") == node);
        event.spec.scheduling_gates.clear();
      }
      bed.written(11);
    }
    SUBCASE("the writer tells before the watch does") {
      bed.written(11);
      for (const char* version : {"10", "11"}) {
        event.metadata.resource_version = version;
        bed.process.tell(event);
        event.spec.scheduling_gates.clear();
      }
    }
    bed.process.work();
    CHECK(bed.process.assumed("p") == node);
    CHECK(bed.process.waiting.figures().nominated == 1);
    CHECK_FALSE(bed.process.cache().read().assumed().has_doubts());
  }

  TEST_CASE("the pod's people are told of a nomination that comes to nothing, and why") {
    struct Row {
      const char* reason;
      std::function<void(Bed&, const std::string& node)> happens;
      const char* note;
    };
    const Row rows[] = {
        {"NominationRefused", [](Bed& bed, const std::string&) { bed.process.tell(given_up(told("p", 20))); },
         ", and kube-scheduler refused it"},
        {"NominatedNodeNoLongerFits",
         [](Bed& bed, const std::string& node) { bed.process.remove_node(node); },
         ", where the pod does not fit any more"},
        {"NominationRejected",
         [](Bed& bed, const std::string&) { bed.written(0, NominationEvent::kRejected); },
         " nominates node "},
        {"NominationDenied", [](Bed& bed, const std::string&) { bed.written(0, NominationEvent::kDenied); },
         "Winnow may not nominate node "},
        {"", [](Bed& bed, const std::string& node) { bed.process.tell(bound(told("p", 20), node)); }, ""},
        {"", [](Bed& bed, const std::string&) { bed.process.tell_gone("p", 20); }, ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.reason);
      Bed bed;
      const std::string node = bed.nominate(told("p", 1));
      if (!std::string_view(row.reason).starts_with("NominationRej") &&
          !std::string_view(row.reason).starts_with("NominationDen")) {
        bed.written(10);
        bed.process.tell(nominated(told("p", 10), node));
      }
      row.happens(bed, node);
      bed.process.work();
      if (row.note[0] == '\0') {
        CHECK(bed.process.events.empty());
        continue;
      }
      REQUIRE(bed.process.events.size() == 1);
      const live::PodEvent& event = bed.process.events.front();
      CHECK(event.reason == row.reason);
      CHECK(event.note.contains(row.note));
      CHECK(event.note.contains("node " + node));
      CHECK(event.is_warning);
      CHECK(event.ns == "default");
      CHECK(event.name == "p");
      CHECK_FALSE(event.uid.empty());
    }
  }

  TEST_CASE("a pod that fits nowhere and keeps its gate is told of, in kube-scheduler's words") {
    Bed held({.clock = Bed::clock(), .gate = "g", .release_infeasible = false});
    CHECK(held.nominate(asks(gated(told("p", 1), {"g"}), "3")).empty());
    REQUIRE(held.process.events.size() == 1);
    CHECK(held.process.events.front().reason == "HeldByGate");
    CHECK(held.process.events.front().note ==
          "Winnow keeps the pod's scheduling gate until a node fits: 0/2 nodes are available: 2 Insufficient "
          "cpu.");
    CHECK(held.nominate(asks(told("free", 2), "3")).empty());
    CHECK(held.process.events.size() == 1);  // kube-scheduler tells of that one.
    Bed released({.clock = Bed::clock(), .gate = "g"});
    released.nominate(asks(gated(told("p", 1), {"g"}), "3"));
    CHECK(released.process.events.empty());
  }

  TEST_CASE("a followed nomination is confirmed") {
    Bed bed;
    const std::string node = bed.nominate(told("p", 1));
    bed.written(10);
    bed.process.tell(bound(told("p", 20), node));
    bed.process.work();
    CHECK(bed.process.assumed_count() == 0);
    CHECK(bed.process.waiting.size() == 0);
  }

  TEST_CASE("a nomination that fits no more is taken away where no other node fits") {
    Bed bed;
    const std::string node = bed.nominate(asks(told("p", 1), "2"));
    bed.written(10);
    bed.process.tell(bound(asks(told("other", 2), "2"), node == "a" ? "b" : "a"));
    bed.process.remove_node(node);
    bed.process.work();
    CHECK(bed.process.writes.back().node.empty());
    CHECK(bed.process.writes.back().instead_of == node);
    bed.written(30, NominationEvent::kWroteNothing);
    CHECK(bed.process.assumed("p").empty());
    CHECK(bed.process.waiting.figures().fit_nowhere == 1);
  }

  TEST_CASE("a lead takes over the nominations that it finds, and its pods count there") {
    Bed bed;
    bed.process.term = 0;
    bed.process.tell(nominated(asks(told("found", 1), "2"), "a"));
    bed.process.work();
    CHECK(bed.process.assumed("found").empty());
    bed.process.term = 1;
    bed.process.work();
    CHECK(bed.process.assumed("found") == "a");
    CHECK(bed.process.writes.empty());
    CHECK(bed.nominate(told("p", 2)) == "b");
    SUBCASE("a lead that ends leaves the assumptions to the watch") {
      bed.process.term = 0;
      bed.process.work();
      CHECK(bed.process.assumed("found") == "a");
      bed.process.tell(given_up(asks(told("found", 9), "2")));
      bed.process.work();
      CHECK(bed.process.assumed("found").empty());
    }
  }

  TEST_CASE("pods that queue up do not keep others from being looked at") {
    Bed bed({.clock = Bed::clock(), .gate = "g"});
    for (int i = 0; i < 50; ++i) bed.process.tell(asks(told("p" + std::to_string(i), i + 1), "10m"));
    bed.process.room = 2;
    SUBCASE("the gate that a former leader has left is removed") {
      bed.process.tell(nominated(gated(asks(told("found", 60), "10m"), {"g"}), "a"));
      bed.process.work();
    }
    SUBCASE("a pod that fits by now is nominated, by its priority") {
      bed.process.room = 0;
      bed.process.tell(with_priority(asks(told("found", 60), "3"), 1));
      bed.process.room = 1;
      bed.process.work();
      bed.process.set_node(roomy_node("c", "4"));
      bed.process.room = 2;
      bed.process.work();
    }
    const auto is_found = [](const NominationWrite& write) { return write.pod.name == "found"; };
    CHECK(std::ranges::count_if(bed.process.writes, is_found) == 1);
  }

  TEST_CASE("a pod that a call has on its way is not nominated until the call's attempt has failed") {
    Bed bed;
    Pod pod = told("p", 1);
    bed.process.cache().write_pods([&](AssumedPods& pods) { pods.assume(pod, "a", Bed::clock().now()); });
    CHECK(bed.nominate(pod).empty());
    CHECK(bed.process.assumed("p") == "a");
    bed.process.cache().write_pods(
        [&](AssumedPods& pods) { pods.release("default", "p", "uid-p", AssumedOutcome::kUnscheduled); });
    bed.process.work();
    CHECK(bed.process.writes.size() == 1);
  }

  TEST_CASE("what a later call has assumed is not released by an earlier refusal") {
    Bed bed;
    const std::string node = bed.nominate(told("p", 1));
    bed.written(10);
    bed.process.term = 0;  // Nobody decides; effects are followed.
    bed.process.waiting.on_pod(given_up(told("p", 20)));
    Bed::clock().advance(1s);
    bed.process.cache().write_pods(
        [&](AssumedPods& pods) { pods.assume(told("p", 20), node, Bed::clock().now()); });
    bed.process.work();
    CHECK(bed.process.assumed("p") == node);
  }

  TEST_CASE("a decision that throws, as for want of memory, is made again, and leaves no place taken") {
    Bed bed;
    Bed::clock().advance(std::chrono::steady_clock::now() - Bed::clock().now());  // For the waits of run().
    std::stop_source stop;
    int tries = 0;
    bed.process.before_write = [&] {
      if (++tries == 1) throw std::bad_alloc();
      stop.request_stop();
    };
    SUBCASE("it is handed on in the next step") {
      bed.process.tell(told("p", 1));
      bed.process.nominator.run(stop.get_token());
      CHECK(bed.process.writes.size() == 1);
      CHECK(bed.process.assumed("p") == bed.process.writes.back().node);
      CHECK(bed.process.ended(NominationOutcome::kRejected) == 1);
    }
    SUBCASE("it is bound meanwhile") {
      bed.process.tell(told("p", 1));
      CHECK_THROWS_AS(bed.process.nominator.step(), std::bad_alloc);
      bed.process.tell(bound(told("p", 2), "a"));
      bed.process.work();
      CHECK(bed.process.assumed_count() == 0);
      CHECK(bed.process.waiting.size() == 0);
    }
  }

  TEST_CASE("while kube-scheduler asks, calls go before decisions, and all are decided") {
    Bed bed({.clock = Bed::clock(), .answer = AnswerMode::kBest});
    for (int i = 0; i < 50; ++i) bed.process.tell(asks(told("p" + std::to_string(i), i + 1), "10m"));
    {
      const std::jthread deciding([&] { bed.process.work(); });
      std::vector<std::jthread> calls;
      for (int thread = 0; thread < 3; ++thread)
        calls.emplace_back([&] {
          for (int i = 0; i < 100; ++i) {
            ActiveConfig active;
            const DecisionLock::Lock lock = bed.process.decisions().decide_alone(active);
            CHECK(lock.owns_lock());
          }
        });
    }
    CHECK(bed.process.writes.size() == 50);
  }
}

}  // namespace winnow::test
