// What a reflector brings is what the cache has, and readers never see a half of it.
#include "cluster/client/watch/cache_sink.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <new>
#include <set>
#include <string>
#include <utility>

#include "cluster/api/kinds.h"
#include "cluster/client/watch/pod_handler.h"
#include "cluster/client/watch/resource.h"
#include "cluster/state/assumed_pods.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow::live::cache_sink_test {
namespace {

using winnow::test::node;
using Names = std::set<std::string>;

std::string object(const std::string& name, int version, const std::string& rest = "",
                   const std::string& ns = "") {
  return R"({"metadata":{"name":")" + name + R"(","uid":"u-)" + name + R"(","resourceVersion":")" +
         std::to_string(version) + '"' + (ns.empty() ? "" : R"(,"namespace":")" + ns + '"') + "}" + rest +
         "}";
}
std::string node_json(const std::string& name, int version, int cpu) {
  return object(name, version,
                R"(,"status":{"allocatable":{"cpu":")" + std::to_string(cpu) + R"(","pods":"9"}})");
}
std::string pod_json(const std::string& name, int version, const std::string& node_name) {
  return object(name, version, R"(,"spec":{"nodeName":")" + node_name + R"("})", "default");
}

struct Bed {
  explicit Bed(ResourceKind kind)
      : sink(make_cache_sink(kind, cache, [this](ResourceKind, std::string_view message) {
          complaints.emplace_back(message);
        })) {}

  void list(const std::vector<std::string>& objects, const std::string& version) {
    sink->begin_list();
    for (const std::string& json : objects) sink->list(json);
    sink->end_list(version);
  }
  Names nodes() const {
    const ClusterCache::ReadGuard state = cache.read();
    Names names;
    for (const NodeId id : View(*state).all_nodes()) names.emplace(View(*state).node_name(id));
    return names;
  }
  std::int64_t cpu(std::string_view name) const {
    const ClusterCache::ReadGuard state = cache.read();
    return state->nodes().allocatable_cpu[state->find_node(name)];
  }
  Names pods() const {
    const ClusterCache::ReadGuard state = cache.read();
    Names names;
    for (PodId id = 0; id < state->pod_capacity(); ++id)
      if (!state->pod(id).name.empty()) names.insert(state->pod(id).name + "@" + state->node_name_of(id));
    return names;
  }

  ClusterCache cache{State::Options{}};
  std::vector<std::string> complaints;
  std::unique_ptr<ObjectSink> sink;
};

/// Notes what it is told.
struct Told : PodHandler {
  void on_pod(const Pod& pod) override {
    lines.push_back(pod.metadata.name + "@" + pod.spec.node_name + " " + pod.metadata.resource_version);
  }
  void on_gone(const std::string& ns, const std::string& name, std::uint64_t version) override {
    lines.push_back(ns + "/" + name + " gone " + std::to_string(version));
  }
  void on_rewind() override { lines.emplace_back("rewind"); }
  void on_told(std::uint64_t version) override { lines.push_back("told " + std::to_string(version)); }
  std::vector<std::string> take() { return std::exchange(lines, {}); }

  std::vector<std::string> lines;
};

/// A journal that wants the texts of objects, or not.
struct Texts : Journal {
  explicit Texts(bool wants_) : wants(wants_) {}
  void make_room() override {}
  bool wants_text() const noexcept override { return wants; }
  void set(ResourceKind, std::string_view, std::string_view, std::string_view text) noexcept override {
    texts.emplace_back(text);
  }
  void remove(ResourceKind, std::string_view, std::string_view) noexcept override {}
  void assumed(const Assumption&) noexcept override {}
  void unread(ResourceKind, bool) noexcept override {}
  void released(std::string_view, std::string_view, bool) noexcept override {}
  void lost() noexcept override {}

  const bool wants;
  std::vector<std::string> texts;
};

TEST_SUITE("picture sink") {
  TEST_CASE("a journal that wants no texts gets none, and nobody copies them") {
    for (const ResourceKind kind : {kind_of<Node>, kind_of<Pod>})
      for (const bool wants : {true, false}) {
        const auto journal = std::make_shared<Texts>(wants);
        Bed bed(kind);
        bed.cache.set_journal(journal);
        const std::string json = kind == kind_of<Pod> ? pod_json("a", 1, "n") : node_json("a", 1, 1);
        bed.list({json}, "1");
        bed.sink->set(json);
        bed.sink->flush();
        CHECK(std::ranges::count(journal->texts, json) == (wants ? 2 : 0));
      }
  }

  TEST_CASE("a kind that nobody may read is known as such, and becoming so is a change and news") {
    constexpr ResourceKind kKind = kind_of<DeviceClass>;
    Bed bed(kKind);
    std::uint64_t version = 0, news = 0;
    const auto changed = [&] {
      const ClusterCache::ReadGuard state = bed.cache.read();
      const bool both = state->version(kKind) != version && bed.cache.news().count().for_others != news;
      version = state->version(kKind);
      news = bed.cache.news().count().for_others;
      return both;
    };
    const auto knows = [&] {
      const ClusterCache::ReadGuard state = bed.cache.read();
      return std::pair{!state->is_unread(kKind), state->objects.of<DeviceClass>().size()};
    };
    bed.list({}, "");  // What a reflector makes of a kind that was never listed.
    CHECK(knows() == std::pair{false, std::size_t{0}});
    CHECK(changed());
    bed.list({}, "5");
    CHECK(knows() == std::pair{true, std::size_t{0}});
    CHECK(changed());
    bed.list({object("gpu", 6)}, "6");
    CHECK(knows() == std::pair{true, std::size_t{1}});
    CHECK(changed());
    bed.sink->leave_unread();
    CHECK(knows() == std::pair{false, std::size_t{1}});
    CHECK(changed());
    bed.sink->leave_unread();
    CHECK_FALSE(changed());
    bed.list({object("gpu", 6)}, "7");
    CHECK(knows() == std::pair{true, std::size_t{1}});
    CHECK(changed());
  }

  TEST_CASE("a handler is told of pods when the picture has them") {
    using Lines = std::vector<std::string>;
    ClusterCache cache{State::Options{}};
    Told told;
    const auto sink = make_cache_sink(kind_of<Pod>, cache, [](ResourceKind, std::string_view) {}, &told);
    const auto list = [&](const Lines& objects, const std::string& version) {
      sink->begin_list();
      for (const std::string& json : objects) sink->list(json);
      sink->end_list(version);
    };
    list({pod_json("a", 1, ""), pod_json("b", 2, "n")}, "10");
    CHECK(told.take() == Lines{"a@ 1", "b@n 2", "told 10"});
    sink->set(pod_json("a", 11, "n"));
    CHECK(told.take().empty());  // The cache does not have it yet.
    sink->remove(pod_json("b", 12, "n"));
    sink->flush();
    CHECK(told.take() == Lines{"a@n 11", "default/b gone 12", "told 12"});
    list({pod_json("c", 14, "")}, "15");
    CHECK(told.take() == Lines{"c@ 14", "default/a gone 15", "told 15"});
    list({pod_json("c", 14, "")}, "16");
    CHECK(told.take() == Lines{"told 16"});
    list({pod_json("c", 3, "")}, "5");
    CHECK(told.take() == Lines{"rewind", "c@ 3", "told 5"});
  }

  TEST_CASE("a list, then events, then a list that lacks some") {
    Bed bed(kind_of<Node>);
    bed.list({node_json("a", 1, 1), node_json("b", 2, 1), node_json("c", 3, 1)}, "3");
    CHECK(bed.nodes() == Names{"a", "b", "c"});
    bed.sink->set(node_json("d", 4, 1));
    bed.sink->set(node_json("a", 5, 2));
    bed.sink->remove(node_json("b", 6, 1));
    bed.sink->flush();
    CHECK(bed.nodes() == Names{"a", "c", "d"});
    CHECK(bed.cpu("a") == 2000);
    bed.list({node_json("a", 5, 2), node_json("e", 8, 1), node_json("c", 9, 4)}, "9");
    CHECK(bed.nodes() == Names{"a", "c", "e"});
    CHECK(bed.cpu("c") == 4000);
  }

  TEST_CASE("a later list is seen whole or not at all") {
    Bed bed(kind_of<Pod>);
    bed.list({pod_json("old", 1, "a")}, "1");
    bed.sink->begin_list();
    for (int i = 0; i < 500; ++i) bed.sink->list(pod_json("new" + std::to_string(i), 2, "a"));
    CHECK(bed.pods() == Names{"old@a"});
    SUBCASE("given up") {
      bed.list({pod_json("old", 1, "a"), pod_json("other", 3, "a")}, "3");
      CHECK(bed.pods() == Names{"old@a", "other@a"});
    }
    SUBCASE("ended") {
      bed.sink->end_list("2");
      CHECK(bed.pods().size() == 500);
    }
  }

  TEST_CASE("what the picture has of a pod as it is in the list stays untouched") {
    Bed bed(kind_of<Pod>);
    bed.list({pod_json("p", 1, "a")}, "1");
    // As no API server would have it: the same version with another node shows what was not read.
    bed.list({pod_json("p", 1, "b")}, "2");
    CHECK(bed.pods() == Names{"p@a"});
    bed.list({pod_json("p", 2, "b")}, "3");
    CHECK(bed.pods() == Names{"p@b"});
  }

  TEST_CASE("an object that cannot be read is told of and stays as it was") {
    Bed bed(kind_of<Node>);
    bed.list({node_json("a", 1, 1), "{"}, "1");
    CHECK(bed.nodes() == Names{"a"});
    for (const std::string text : {"{", "", R"({"metadata":{"name":"a"}]})"}) {
      CHECK_FALSE(bed.sink->set(text));  // It is the caller's to report.
      CHECK_FALSE(bed.sink->remove(text));
    }
    const std::string broken = object("a", 2, R"(,"status":{"allocatable":{"cpu":"1..5"}})");
    bed.sink->set(broken);
    bed.sink->flush();
    bed.list({broken}, "3");
    CHECK(bed.nodes() == Names{"a"});
    CHECK(bed.cpu("a") == 1000);
    REQUIRE(bed.complaints.size() == 2);
    CHECK(bed.complaints[0] == "a: status.allocatable.cpu: \"1..5\" is not a quantity");
  }

  TEST_CASE("a list does not take an assumed pod from its node, but ends one that is gone") {
    Bed bed(kind_of<Pod>);
    bed.list({pod_json("seen", 5, "")}, "5");
    const auto assume = [&](const std::string& name, const std::string& version) {
      Pod made = winnow::test::pod(name).uid("u-" + name);
      made.metadata.resource_version = version;
      bed.cache.write_pods([&](AssumedPods& pods) { pods.assume(made, "a", {}); });
    };
    assume("seen", "5");
    assume("unseen", "7");
    bed.list({pod_json("seen", 5, "")}, "6");
    CHECK(bed.pods() == Names{"seen@a", "unseen@a"});
    bed.list({}, "8");
    CHECK(bed.pods().empty());
  }

  TEST_CASE("events and lists that are older than an assumed pod leave it where it is") {
    Bed bed(kind_of<Pod>);
    bed.list({pod_json("db-0", 3, "b")}, "3");
    bed.cache.write_pods([&](AssumedPods& pods) {
      Pod made = winnow::test::pod("db-0").uid("u-second");
      made.metadata.resource_version = "7";
      pods.assume(made, "a", {});
    });
    bed.sink->set(pod_json("db-0", 4, "b"));
    bed.sink->remove(pod_json("db-0", 5, "b"));
    bed.sink->flush();
    CHECK(bed.pods() == Names{"db-0@a"});
    SUBCASE("what is later ends it") {
      bed.sink->remove(pod_json("db-0", 8, ""));
      bed.sink->flush();
      CHECK(bed.pods().empty());
    }
    SUBCASE("so does a list of another history") {
      bed.list({pod_json("db-0", 3, "b")}, "4");
      CHECK(bed.pods() == Names{"db-0@b"});
    }
  }

  TEST_CASE("what is told of is news, behind the write") {
    struct Row {
      std::string sentence;
      ResourceKind kind;
      std::function<void(Bed&)> happens;
      std::uint64_t all, for_others;
    };
    constexpr auto kNodes = kind_of<Node>, kPods = kind_of<Pod>;
    const Row rows[] = {
        {"a node", kNodes, [](Bed& bed) { bed.sink->set(node_json("b", 4, 1)); }, 1, 1},
        {"a node that goes", kNodes, [](Bed& bed) { bed.sink->remove(node_json("a", 4, 1)); }, 1, 1},
        {"a list with another node", kNodes, [](Bed& bed) { bed.list({node_json("b", 4, 1)}, "4"); }, 1, 1},
        {"a list without changes", kNodes, [](Bed& bed) { bed.list({node_json("a", 1, 1)}, "4"); }, 0, 0},
        {"nothing", kNodes, [](Bed&) {}, 0, 0},
        {"what cannot be read", kNodes, [](Bed& bed) { bed.sink->set("{"); }, 0, 0},
        {"a bound pod", kPods, [](Bed& bed) { bed.sink->set(pod_json("q", 4, "a")); }, 1, 1},
        {"a pod without a node", kPods, [](Bed& bed) { bed.sink->set(pod_json("q", 4, "")); }, 1, 0},
        {"a pod that goes", kPods, [](Bed& bed) { bed.sink->remove(pod_json("a", 4, "a")); }, 1, 1},
        {"several in one step", kPods,
         [](Bed& bed) {
           for (const char* node : {"", "a", ""}) bed.sink->set(pod_json("q" + std::string(node), 4, node));
         },
         1, 1},
        {"a list of pods without changes: it tells how far the watch has come", kPods,
         [](Bed& bed) { bed.list({pod_json("a", 1, "a")}, "4"); }, 1, 0},
        {"a list with another pod without a node", kPods,
         [](Bed& bed) { bed.list({pod_json("a", 1, "a"), pod_json("q", 4, "")}, "4"); }, 1, 0},
        {"a list that lacks a pod", kPods, [](Bed& bed) { bed.list({}, "4"); }, 1, 1},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed(row.kind);
      bed.list({row.kind == kNodes ? node_json("a", 1, 1) : pod_json("a", 1, "a")}, "1");
      const ChangeNotifier::Count before = bed.cache.news().count();
      row.happens(bed);
      bed.sink->flush();
      const ChangeNotifier::Count after = bed.cache.news().count();
      CHECK(after.all - before.all == row.all);
      CHECK(after.for_others - before.for_others == row.for_others);
    }
  }

  TEST_CASE("how far the watch of pods has come is told by events and lists") {
    Bed bed(kind_of<Pod>);
    const auto told = [&] { return bed.cache.read().assumed().watched_version(); };
    CHECK(told() == 0);
    bed.list({pod_json("a", 1, "a")}, "7");
    CHECK(told() == 7);
    bed.sink->set(pod_json("q", 9, ""));
    bed.sink->remove(pod_json("q", 11, ""));
    CHECK(told() == 7);
    bed.sink->flush();
    CHECK(told() == 11);
    bed.list({pod_json("a", 1, "a")}, "12");
    CHECK(told() == 12);
  }

  TEST_CASE("a sink whose picture was lost says so at its next write, and then lists anew") {
    for (const ResourceKind kind : {kind_of<Node>, kind_of<Pod>}) {
      Bed bed(kind);
      const auto json = [&](int version) {
        return kind == kind_of<Node> ? node_json("x", version, 1) : pod_json("x", version, "a");
      };
      const auto count = [&] { return kind == kind_of<Node> ? bed.nodes().size() : bed.pods().size(); };
      const auto lose = [&] {
        CHECK_THROWS_AS(bed.cache.write([](State&) { throw std::bad_alloc(); }), std::bad_alloc);
      };
      bed.list({json(1)}, "1");
      CHECK(count() == 1);
      lose();
      CHECK(count() == 0);
      SUBCASE("at an event") {
        bed.sink->set(json(2));
        CHECK_THROWS_AS(bed.sink->flush(), SinkLost);
      }
      SUBCASE("at the end of a list that had begun before") {
        bed.list({json(1)}, "1");
        bed.sink->begin_list();
        bed.sink->list(json(1));
        lose();
        CHECK_THROWS_AS(bed.sink->end_list("2"), SinkLost);
      }
      CHECK(count() == 0);
      CHECK_FALSE(bed.cache.read().whole());
      bed.list({json(1)}, "3");
      CHECK(count() == 1);
      CHECK(bed.cache.read().whole());
    }
  }

  TEST_CASE("what is said of an object that was never added") {
    for (const ResourceKind kind : {kind_of<Node>, kind_of<Pod>}) {
      Bed bed(kind);
      bed.list({}, "1");
      bed.sink->set(kind == kind_of<Node> ? node_json("x", 3, 1) : pod_json("x", 3, "a"));
      bed.sink->remove(kind == kind_of<Node> ? node_json("y", 4, 1) : pod_json("y", 4, "a"));
      bed.sink->flush();
      CHECK((kind == kind_of<Node> ? bed.nodes() == Names{"x"} : bed.pods() == Names{"x@a"}));
    }
  }

  TEST_CASE("every kind goes in and out") {
    const auto count = [](const ClusterCache& cache) {
      const ClusterCache::ReadGuard state = cache.read();
      std::size_t objects =
          state->node_count() + state->pod_count() + state->workloads.size() +
          (state->volumes.volume("x") ? 1 : 0) + (state->volumes.claim("default", "x") ? 1 : 0) +
          (state->volumes.storage_class("x") ? 1 : 0) + (state->volumes.csi_node("x") ? 1 : 0) +
          (state->volumes.capacities("fast") ? 1 : 0) + state->devices.slices().size() +
          state->devices.taint_rules().size() + state->devices.claims().size();
      for_each_kind([&]<class Object>(const Kind<Object>&) {
        if constexpr (Objects::has<Object>) objects += state->objects.of<Object>().size();
      });
      return objects;
    };
    for (const ResourceKind kind : kAllKinds) {
      if (kind == kind_of<VolumeAttachment>) continue;  // Seen by what it attaches only.
      const KindInfo& info = info_of(kind);
      CAPTURE(info.kind);
      Bed bed(kind);
      const std::string rest = kind == kind_of<CsiStorageCapacity>
                                   ? R"(,"storageClassName":"fast","capacity":"1Gi","nodeTopology":{})"
                                   : "";
      const std::string json = object("x", 1, rest, info.scope == kNamespaced ? "default" : "");
      bed.list({json}, "1");
      CHECK(count(bed.cache) == 1);
      bed.sink->remove(json);
      bed.sink->flush();
      CHECK(count(bed.cache) == 0);
      bed.list({json}, "3");
      bed.list({}, "4");
      CHECK(count(bed.cache) == 0);
      CHECK(bed.complaints.empty());
    }
  }
}

}  // namespace
}  // namespace winnow::live::cache_sink_test
