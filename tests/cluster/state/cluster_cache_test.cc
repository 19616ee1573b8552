// One writer among busy readers. Made to run under the thread sanitizer.
#include "cluster/state/cluster_cache.h"

#include <doctest/doctest.h>

#include <atomic>
#include <new>
#include <thread>

#include "cluster/state/assumed_pods.h"
#include "cluster/state/view.h"
#include "tests/builders.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/failing_memory.h"

namespace winnow::test {
namespace {

constexpr int kNodes = 8;

void fill(ClusterCache& cache) {
  cache.write([](State& state) {
    for (int i = 0; i < kNodes; ++i) state.set_node(node("node-" + std::to_string(i)));
  });
}

/// Two pods come together and go together: no reader may see one of them alone.
void write_pair(ClusterCache& cache, int round) {
  cache.write([&](State& state) {
    for (const char* name : {"one", "other"}) {
      const std::string pod_name = name + std::to_string(round % 5);
      if (!state.remove_pod("default", pod_name))
        state.set_pod(
            pod(pod_name).label("app", "web").on("node-" + std::to_string(round % kNodes)).cpu("1"));
    }
  });
}

/// How many pods the view counts on the first node. In a query of its own, which the cache keeps.
int webs_on_first(const ClusterCache& cache) {
  const auto reader = cache.read();
  const View view(*reader);
  return view.count_pods("default", selector_from_set({{"app", "web"}}))[reader->find_node("node-0")];
}

/// @return whether the cache is whole.
bool read_once(const ClusterCache& cache, int round) {
  const auto reader = cache.read();
  const View view(*reader);
  const Selector selector = selector_from_set({{"app", "web"}, {"round", std::to_string(round)}});
  static_cast<void>(view.count_pods("default", selector));
  std::int64_t pods = 0;
  std::int64_t cpu = 0;
  const std::vector<std::int32_t> counts = view.count_pods("default", selector_from_set({{"app", "web"}}));
  for (const NodeId id : view.all_nodes()) {
    pods += counts[id];
    cpu += view.column(&NodeTable::requested_cpu)[id];
  }
  return pods % 2 == 0 && cpu == 1000 * pods;
}

}  // namespace

TEST_CASE("readers see whole batches, while classes are settled and events come") {
  ClusterCache cache{State::Options{}};
  fill(cache);
  // A namespace without pods has no classes, and the writer empties it every other round.
  cache.write([](State& state) { state.set_pod(pod("stays").label("app", "other")); });
  std::atomic<bool> done = false;
  std::atomic<int> broken = 0;
  {
    std::vector<std::jthread> readers;
    for (int r = 0; r < 3; ++r)
      readers.emplace_back([&] {
        int round = 0;
        do {  // At least once, however late the thread comes.
          if (!read_once(cache, round++ % 50)) ++broken;
          cache.settle();
          static_cast<void>(cache.changed());
        } while (!done);
      });
    for (int round = 0; round < 500; ++round) write_pair(cache, round);
    done = true;
  }
  CHECK(broken == 0);
  CHECK(cache.read()->groups.classes() > 0);
  CHECK_FALSE(cache.read()->groups.has_wanted());
}

TEST_CASE("a writer comes in although there is always a reader") {
  ClusterCache cache{State::Options{}};
  fill(cache);
  std::atomic<bool> done = false;
  std::vector<std::jthread> readers;
  for (int r = 0; r < 3; ++r)
    readers.emplace_back([&] {
      // Each holds the lock nearly all the time, so with three of them there is no moment without a reader.
      while (!done) {
        const auto reader = cache.read();
        for (int i = 0; i < 2000 && !done; ++i) static_cast<void>(reader->find_node("node-1"));
      }
    });
  for (int round = 0; round < 200; ++round) write_pair(cache, round);
  done = true;
  readers.clear();
  CHECK(cache.read()->node_count() == kNodes);
}

TEST_CASE("a write is dated, settling is not a write") {
  ClusterCache cache{State::Options{}};
  const auto never = cache.changed();
  static_cast<void>(View(*cache.read()).count_pods("default", Selector::everything()));
  cache.settle();
  CHECK(cache.changed() == never);
  fill(cache);
  CHECK(cache.changed() > never);
}

TEST_CASE("a picture that a write has torn is empty, and whole when each source has listed") {
  ClusterCache cache{State::Options{}};
  cache.add_source();
  cache.add_source();
  fill(cache);
  cache.write_pods([](AssumedPods& pods) {
    Pod made = pod("assumed").uid("u");
    made.metadata.resource_version = "7";
    pods.assume(made, "node-1", {});
  });
  int told = 0;
  cache.on_loss([&] { ++told; });
  const ChangeNotifier::Count before = cache.news().count();
  CHECK(cache.read().whole());
  CHECK_THROWS_AS(cache.write([](State& state) {
    state.set_node(node("half"));
    throw std::bad_alloc();
  }),
                  std::bad_alloc);
  CHECK(told == 1);
  CHECK(cache.epoch() == 1);
  CHECK_FALSE(cache.read().whole());
  CHECK(cache.news().count().all == before.all + 1);
  CHECK(cache.read()->node_count() == 0);
  REQUIRE(cache.read().assumed().find("default", "assumed"));
  CHECK(cache.read()->node_name_of(cache.read()->find_pod("default", "assumed")) == "node-1");
  const auto list = [&] { cache.write([&](State&) { cache.source_listed(); }); };
  list();
  CHECK_FALSE(cache.read().whole());
  SUBCASE("when the last one has") { list(); }
  SUBCASE("when all have, after another loss") {
    CHECK_THROWS_AS(cache.write_pods([](AssumedPods&) { throw std::bad_alloc(); }), std::bad_alloc);
    CHECK(told == 2);
    list();
    CHECK_FALSE(cache.read().whole());
    list();
  }
  CHECK(cache.read().whole());
  CHECK(cache.read().assumed().size() == 1);
}

TEST_CASE("a picture without a source that was torn is never whole again") {
  ClusterCache cache{State::Options{}};
  CHECK_THROWS_AS(cache.write([](State&) { throw std::bad_alloc(); }), std::bad_alloc);
  CHECK_FALSE(cache.read().whole());
}

TEST_CASE("a picture that is lost while there is no memory at all is empty, and the next write goes on") {
  ClusterCache cache{State::Options{}};
  cache.add_source();
  fill(cache);
  cache.write_pods([](AssumedPods& pods) {
    Pod made = pod("assumed").uid("u");
    made.metadata.resource_version = "7";
    pods.assume(made, "node-1", {});
  });
  {
    const CodeUnderTest code;
    CHECK_THROWS_AS(cache.write([](State&) {
      fail_memory(0, 1'000'000);
      throw std::bad_alloc();
    }),
                    std::bad_alloc);
    CHECK_THROWS_AS(cache.write([](State&) {}), std::bad_alloc);
  }
  mend_memory();
  CHECK(cache.epoch() == 1);
  CHECK_FALSE(cache.read().whole());
  CHECK(cache.read()->node_count() == 0);
  CHECK(cache.read()->pod_count() == 0);
  cache.write([&](State& state) {
    CHECK(state.pod_count() == 1);
    cache.source_listed();
  });
  CHECK(cache.read().whole());
}

TEST_CASE("wherever memory fails in a write, what was half applied goes without a trace") {
  const auto write = [](State& state, std::uint64_t seed) {
    RandomCluster random(seed);
    for (int i = 0; i < 12; ++i) {
      state.set_node(random.node(random.node_name()));
      state.set_pod(random.pod(random.ns(), random.pod_name()));
      state.volumes.set(random.volume_claim(random.ns(), random.claim_name()));
      state.volumes.set(random.persistent_volume(random.volume_name()));
      if (random.one_in(3)) state.remove_pod(random.ns(), random.pod_name());
      if (random.one_in(6)) state.remove_node(random.node_name());
    }
  };
  std::uint64_t failed = 0, passes = 0;
  std::size_t wrong = 0, tries = 0;
  const auto run = [&] {
    ClusterCache cache{State::Options{}};
    cache.add_source();
    cache.write([&](State& state) { write(state, 1); });
    const std::uint64_t before = failed_allocations();
    try {
      cache.write([&](State& state) {
        fail_memory(passes);
        const CodeUnderTest code;
        write(state, 2);
      });
    } catch (const std::bad_alloc&) {
    }
    mend_memory();
    failed = failed_allocations() - before;
    const bool is_lost =
        !cache.read().whole() && cache.read()->node_count() == 0 && cache.read()->pod_count() == 0;
    if (is_lost != (failed > 0)) ++wrong;
  };
  run();
  do {
    const std::int64_t blocks = live_blocks();
    run();
    if (live_blocks() != blocks) ++wrong;
    passes += 1 + passes / 20;
    ++tries;
  } while (failed > 0);
  CHECK(wrong == 0);
  CHECK(tries > 50);
}

TEST_CASE("a query that cannot be kept for want of memory leaves none half kept") {
  std::uint64_t failed = 0, passes = 0;
  do {
    ClusterCache cache{State::Options{}};
    fill(cache);
    write_pair(cache, 0);
    CHECK(webs_on_first(cache) == 2);
    const std::uint64_t before = failed_allocations();
    fail_memory(passes++);
    try {
      const CodeUnderTest code;
      cache.settle();
    } catch (const std::bad_alloc&) {
      CHECK(cache.read()->groups.classes() == 0);
    }
    mend_memory();
    failed = failed_allocations() - before;
    CHECK(webs_on_first(cache) == 2);
    cache.settle();
    CHECK(webs_on_first(cache) == 2);
    write_pair(cache, 0);
    CHECK(webs_on_first(cache) == 0);
  } while (failed > 0);
  CHECK(passes > 5);
}

TEST_CASE("what was asked about first is counted by increments once it is settled") {
  ClusterCache cache{State::Options{}};
  fill(cache);
  write_pair(cache, 0);
  CHECK(webs_on_first(cache) == 2);
  CHECK(cache.read()->groups.has_wanted());
  cache.settle();
  CHECK_FALSE(cache.read()->groups.has_wanted());
  CHECK(cache.read()->groups.classes() == 1);
  CHECK(webs_on_first(cache) == 2);
  CHECK_FALSE(cache.read()->groups.has_wanted());
  write_pair(cache, 0);
  CHECK(webs_on_first(cache) == 0);
}

}  // namespace winnow::test
