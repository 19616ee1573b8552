// Resources that pods request and no node offers: they take no room for other nodes, and they count.
#include <doctest/doctest.h>

#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

std::int64_t requested(const View& view, const char* node_name, const char* resource) {
  return view.scalar(resource).requested[view.find_node(node_name)];
}

TEST_CASE("what no node offers counts on the nodes of its pods") {
  State state;
  state.set_node(node("a"));
  state.set_node(node("b"));
  state.set_pod(pod("p").on("a").asks("e.com/x", "2"));
  state.set_pod(pod("q").on("a").asks("e.com/x", "3").asks("e.com/y", "1"));
  const View view(state);
  CHECK(requested(view, "a", "e.com/x") == 5);
  CHECK(requested(view, "b", "e.com/x") == 0);
  CHECK(requested(view, "a", "e.com/y") == 1);
  CHECK(state.nodes().offered_resources().empty());

  Overlay overlay(state);
  overlay.add_pod(pod("r").on("b").asks("e.com/x", "7"));
  overlay.remove_pod("", "p");
  const View changed(state, &overlay);
  CHECK(requested(changed, "b", "e.com/x") == 7);
  CHECK(requested(changed, "a", "e.com/x") ==
        requested(view, "a", "e.com/x") - (state.find_pod("", "p") == kNone ? 0 : 2));

  // A node that offers it later has what its pods request.
  state.set_node(node("a").offers("e.com/x", "9"));
  CHECK(requested(View(state), "a", "e.com/x") == 5);
  CHECK(View(state).scalar("e.com/x").allocatable[state.find_node("a")] == 9);
  CHECK(requested(View(state), "a", "e.com/y") == 1);
}

TEST_CASE("names of resources that nobody requests any more are forgotten") {
  State state;
  state.set_node(node("a"));
  const std::size_t before = state.names().symbols.size();
  for (int round = 0; round < 3; ++round) {
    Pod asks = pod("p").on("a");
    asks.spec.containers.emplace_back();
    for (int i = 0; i < 100; ++i)
      asks.spec.containers[0].resources.requests["e.com/" + std::to_string(100 * round + i)] = quantity("1");
    state.set_pod(asks);
    CHECK(state.names().symbols.size() > before + 99);
    state.remove_pod(asks.metadata.namespace_, "p");
  }
  CHECK(state.names().symbols.size() == before);
  // So they are when their node goes first.
  state.set_pod(pod("p").on("a").asks("e.com/x", "2"));
  state.remove_node("a");
  state.remove_pod(static_cast<const Pod&>(pod("p")).metadata.namespace_, "p");
  CHECK(state.names().symbols.find(std::string_view("e.com/x")) == kNone);
}

}  // namespace
}  // namespace winnow::test
