// One writer among busy readers. Made to run under the thread sanitizer.
#include "cluster/state/picture.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

constexpr int kNodes = 8;

void fill(Picture& picture) {
  picture.write([](State& state) {
    for (int i = 0; i < kNodes; ++i) state.set_node(node("node-" + std::to_string(i)));
  });
}

/// Two pods come together and go together: no reader may see one of them alone.
void write_pair(Picture& picture, int round) {
  picture.write([&](State& state) {
    for (const char* name : {"one", "other"}) {
      const std::string pod_name = name + std::to_string(round % 5);
      if (!state.remove_pod("default", pod_name))
        state.set_pod(
            pod(pod_name).label("app", "web").on("node-" + std::to_string(round % kNodes)).cpu("1"));
    }
  });
}

/// @return whether the picture is whole.
bool read_once(const Picture& picture, int round) {
  const auto reader = picture.read();
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
  Picture picture{State::Options{}};
  fill(picture);
  // A namespace without pods has no classes, and the writer empties it every other round.
  picture.write([](State& state) { state.set_pod(pod("stays").label("app", "other")); });
  std::atomic<bool> done = false;
  std::atomic<int> broken = 0;
  {
    std::vector<std::jthread> readers;
    for (int r = 0; r < 3; ++r)
      readers.emplace_back([&] {
        int round = 0;
        do {  // At least once, however late the thread comes.
          if (!read_once(picture, round++ % 50)) ++broken;
          picture.settle();
          static_cast<void>(picture.changed());
        } while (!done);
      });
    for (int round = 0; round < 500; ++round) write_pair(picture, round);
    done = true;
  }
  CHECK(broken == 0);
  CHECK(picture.read()->groups.classes() > 0);
  CHECK_FALSE(picture.read()->groups.has_wanted());
}

TEST_CASE("a writer comes in although there is always a reader") {
  Picture picture{State::Options{}};
  fill(picture);
  std::atomic<bool> done = false;
  std::vector<std::jthread> readers;
  for (int r = 0; r < 3; ++r)
    readers.emplace_back([&] {
      // Each holds the lock nearly all the time, so with three of them there is no moment without a reader.
      while (!done) {
        const auto reader = picture.read();
        for (int i = 0; i < 2000 && !done; ++i) static_cast<void>(reader->find_node("node-1"));
      }
    });
  for (int round = 0; round < 200; ++round) write_pair(picture, round);
  done = true;
  readers.clear();
  CHECK(picture.read()->node_count() == kNodes);
}

TEST_CASE("a write is dated, settling is not a write") {
  Picture picture{State::Options{}};
  const auto never = picture.changed();
  static_cast<void>(View(*picture.read()).count_pods("default", Selector::everything()));
  picture.settle();
  CHECK(picture.changed() == never);
  fill(picture);
  CHECK(picture.changed() > never);
}

TEST_CASE("what was asked about first is counted by increments once it is settled") {
  Picture picture{State::Options{}};
  fill(picture);
  write_pair(picture, 0);
  const Selector selector = selector_from_set({{"app", "web"}});
  const auto ask = [&] {
    const auto reader = picture.read();
    return View(*reader).count_pods("default", selector)[reader->find_node("node-0")];
  };
  CHECK(ask() == 2);
  CHECK(picture.read()->groups.has_wanted());
  picture.settle();
  CHECK_FALSE(picture.read()->groups.has_wanted());
  CHECK(picture.read()->groups.classes() == 1);
  CHECK(ask() == 2);
  CHECK_FALSE(picture.read()->groups.has_wanted());
  write_pair(picture, 0);
  CHECK(ask() == 0);
}

}  // namespace winnow::test
