// What a journal is told makes the same state again: pods, where they are, and who is assumed.
#include <doctest/doctest.h>

#include <chrono>
#include <new>
#include <vector>

#include "cluster/state/assumed_pods.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "tests/cluster/state/describe.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/part.h"

namespace winnow::test {
namespace {

constexpr AssumedPods::Time kBegin{std::chrono::hours(1)};

/// Does at once to a state of its own what it is told. A text is the number of a pod.
class Mirror : public Journal {
 public:
  void make_room() override {}
  bool wants_text() const noexcept override { return true; }
  void set(ResourceKind, std::string_view, std::string_view, std::string_view text) noexcept override {
    pods.repeat(told[std::stoul(std::string(text))]);
  }
  void remove(ResourceKind, std::string_view ns, std::string_view name) noexcept override {
    pods.remove(std::string(ns), std::string(name), 0);
  }
  void assumed(const Assumption& one) noexcept override {
    AssumedPods::Entry entry{.ns = std::string(one.ns),
                             .name = std::string(one.name),
                             .uid = std::string(one.uid),
                             .node = std::string(one.node),
                             .since = kBegin};
    entry.nomination = one.nomination;
    entry.bound = one.bound;
    entry.devices.assign(one.devices.begin(), one.devices.end());
    pods.repeat(std::move(entry));
  }
  void unread(ResourceKind kind, bool unread) noexcept override { state.set_unread(kind, unread); }
  void released(std::string_view ns, std::string_view name, bool keeps_devices) noexcept override {
    if (const auto* const entry = pods.find(std::string(ns), std::string(name)))
      pods.release(std::string(ns), std::string(name), std::string(entry->uid),
                   keeps_devices ? AssumedOutcome::kConfirmed : AssumedOutcome::kAskedAgain);
  }
  void lost() noexcept override { ++losses; }

  /// Keeps the pod. @return its text.
  std::string text_of(const Pod& pod) {
    told.push_back(pod);
    return std::to_string(told.size() - 1);
  }

  State state;
  AssumedPods pods{state};
  std::vector<Pod> told;
  int losses = 0;
};

/// A watch that may lag, and calls that assume.
class Play {
 public:
  explicit Play(std::uint64_t seed) : cluster_(seed) {
    pods_.set_journal(&mirror_);
    for (int i = 0; i < 12; ++i) {
      const Node node = cluster_.node("node-" + std::to_string(i));
      state_.set_node(node);
      mirror_.state.set_node(node);
    }
  }

  void step() {
    now_ += std::chrono::seconds(1);
    const std::string ns = cluster_.ns();
    const std::string name = cluster_.pod_name();
    const PodId id = state_.find_pod(ns, name);
    const std::string uid = id == kNone || cluster_.one_in(8) ? drawn_uid() : std::string(state_.pod(id).uid);
    const std::string node = cluster_.node_name();
    switch (cluster_.below(10)) {
      case 0:
      case 1:
      case 2: {
        const Pod pod = drawn(ns, name, uid);
        return pods_.set(pod, now_, mirror_.text_of(pod));
      }
      case 3:
      case 4: {
        Pod pod = drawn(ns, name, uid);
        pod.spec.node_name.clear();
        return pods_.assume(pod, node, now_, mirror_.text_of(pod), drawn_devices(ns + name, node));
      }
      case 5:
        return pods_.assume_known(ns, name, uid, node, now_);
      case 6:
        return pods_.assume_nominated(ns, name, uid, node, std::nullopt, now_,
                                      drawn_devices(ns + name, node));
      case 7:
        return pods_.set_bound(ns, name, uid, node);
      case 8:
        static_cast<void>(pods_.release(ns, name, uid, AssumedOutcome::kBindFailed));
        return pods_.settle_doubts(now_ + std::chrono::seconds(cluster_.below(4)));
      default:
        return end(ns, name);
    }
  }

  void check() const {
    Lines theirs = describe_pods(state_);
    Lines ours = describe_pods(mirror_.state);
    CHECK(difference(theirs, ours) == "");
    CHECK(names_of_nominated(pods_, state_) == names_of_nominated(mirror_.pods, mirror_.state));
    CHECK(pods_.size() == mirror_.pods.size());
    CHECK(names_of_holders(state_) == names_of_holders(mirror_.state));
  }

 private:
  static std::vector<std::string> names_of_nominated(const AssumedPods& pods, const State& state) {
    std::vector<std::string> names;
    for (const PodId id : pods.nominated()) names.push_back(state.pod(id).name);
    std::ranges::sort(names);
    return names;
  }
  /// Of each device: the claims that hold it.
  static std::vector<std::string> names_of_holders(const State& state) {
    std::vector<std::string> names;
    for (int node = 0; node < 12; ++node)
      for (int gpu = 0; gpu < 2; ++gpu) {
        const std::string pool = "node-" + std::to_string(node), device = "gpu-" + std::to_string(gpu);
        for (const DeviceHolder& holder : state.devices.holders("d", pool, device))
          names.push_back(pool + ' ' + device + ' ' + holder.holding->uid + ' ' +
                          holder.holding->assumed_for.node);
      }
    std::ranges::sort(names);
    return names;
  }
  std::vector<ClaimedDevices> drawn_devices(const std::string& pod, const std::string& node) {
    if (cluster_.one_in(2)) return {};
    const std::string device = "gpu-" + std::to_string(cluster_.below(2));
    return {{"c",
             "claim-of-" + pod,
             {.devices = {{.request = "r", .driver = "d", .pool = node, .device = device}}}}};
  }
  std::string drawn_uid() { return "uid-" + std::to_string(cluster_.below(3)); }
  Pod drawn(const std::string& ns, const std::string& name, const std::string& uid) {
    Pod pod = cluster_.pod(ns, name);
    pod.metadata.uid = uid;
    // Some are older than what is known.
    version_ += cluster_.below(3);
    pod.metadata.resource_version = std::to_string(version_ - cluster_.below(2));
    if (cluster_.one_in(6))
      pod.status.conditions.push_back({"PodScheduled", "False", "SchedulerError", "no room by now"});
    return pod;
  }
  void end(const std::string& ns, const std::string& name) {
    const std::size_t how = cluster_.below(4);
    if (how == 0) return pods_.remove(ns, name, cluster_.one_in(2) ? version_ : 0);
    if (how == 1) return pods_.watched_up_to(version_);
    if (how == 2) pods_.listed(version_);
    pods_.not_listed(ns, name, version_);
  }

  RandomCluster cluster_;
  State state_;
  AssumedPods pods_{state_};
  Mirror mirror_;
  AssumedPods::Time now_ = kBegin;
  std::uint64_t version_ = 10;
};

}  // namespace

TEST_CASE("a journal of assumed pods makes the same state again") {
  for (std::uint64_t seed = 1; seed <= part_of(40U); ++seed) {
    CAPTURE(seed);
    Play play(seed);
    for (int i = 0; i < 300; ++i) {
      CAPTURE(i);
      play.step();
      if (i % 20 == 19) play.check();
    }
  }
}

TEST_CASE("a picture tells its journal that it was lost, and then what is assumed") {
  const auto mirror = std::make_shared<Mirror>();
  ClusterCache cache{State::Options{}};
  cache.set_journal(mirror);
  Pod web = pod("web").uid("u1").cpu("1");
  web.metadata.resource_version = "7";
  cache.write_pods([&](AssumedPods& pods) { pods.assume(web, "a", kBegin, mirror->text_of(web)); });
  REQUIRE(mirror->pods.size() == 1);
  CHECK_THROWS(cache.write_pods([](AssumedPods&) { throw std::bad_alloc(); }));
  CHECK(mirror->losses == 1);
  CHECK(mirror->pods.find("default", "web")->node == "a");
  CHECK(mirror->state.node_name_of(mirror->state.find_pod("default", "web")) == "a");
}

}  // namespace winnow::test
