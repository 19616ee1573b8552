// Keys that few nodes have take memory by these nodes, and nothing once they are gone.
#include <doctest/doctest.h>

#include <array>
#include <format>
#include <functional>
#include <set>

#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"
#include "tests/failing_memory.h"
#include "tests/storage.h"

namespace winnow::test {
namespace {

/// A kind of key, and how the n-th of a node's keys is given to it.
struct Kind {
  const char* sentence;
  std::function<void(NodeBuilder& node, const std::string& key)> give;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"a label", [](NodeBuilder& node, const std::string& key) { node.label("e.com/" + key, "1"); }},
      {"a resource", [](NodeBuilder& node, const std::string& key) { node.offers("e.com/" + key, "1"); }},
      {"huge pages", [](NodeBuilder& node, const std::string& key) { node.offers("hugepages-" + key, "0"); }},
      {"an attach limit",
       [](NodeBuilder& node, const std::string& key) { node.offers("attachable-volumes-csi-" + key, "1"); }},
      {"an image", [](NodeBuilder& node, const std::string& key) { node.image("e.com/" + key, 1); }},
      {"a taint",
       [](NodeBuilder& node, const std::string& key) { node.taint("e.com/" + key, "", "NoSchedule"); }},
  };
  return all;
}

Node with_keys(const std::string& name, const Kind& kind, int keys, const std::string& prefix) {
  NodeBuilder made = node(name);
  for (int i = 0; i < keys; ++i) kind.give(made, prefix + std::to_string(i));
  return made;
}

CsiNode with_drivers(const std::string& name, int drivers, const std::string& prefix) {
  std::vector<std::pair<std::string, std::optional<int>>> list;
  for (int i = 0; i < drivers; ++i) list.emplace_back(prefix + std::to_string(i), 5);
  return csi_node(name, std::move(list));
}

void add_plain_nodes(State& state, int count) {
  for (int i = 0; i < count; ++i)
    state.set_node(node("n" + std::to_string(i)).label("kubernetes.io/hostname", "n" + std::to_string(i)));
}

constexpr int kMostNodes = 2000;
constexpr int kKeys = 2000;
/// The most for a key of a node. A column over all nodes takes 8 to 42 times as many bytes as there are
/// nodes.
constexpr std::int64_t kBytesPerKey = 1000;

TEST_CASE("a node's own keys take memory by their number, not by the number of nodes") {
  State state;
  add_plain_nodes(state, kMostNodes);
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.sentence);
    const Node heavy = with_keys("n0", kind, kKeys, "own-");
    const std::int64_t before = live_bytes();
    state.set_node(heavy);
    CHECK(live_bytes() - before < kKeys * kBytesPerKey);
    state.set_node(node("n0").label("kubernetes.io/hostname", "n0"));
  }
  const std::int64_t before = live_bytes();
  state.volumes.set(with_drivers("n0", kKeys, "driver-"));
  CHECK(live_bytes() - before < kKeys * kBytesPerKey);
}

TEST_CASE("keys that the nodes of a request bring take memory by their number") {
  State state;
  add_plain_nodes(state, kMostNodes);
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.sentence);
    const std::int64_t before = live_bytes();
    Overlay overlay(state);
    for (int i = 0; i < kMostNodes; ++i)
      overlay.set_node(with_keys("n" + std::to_string(i), kind, 1, "of-" + std::to_string(i) + "-"));
    // A row takes some hundred bytes as well.
    CHECK(live_bytes() - before < kMostNodes * (kBytesPerKey + 2000));
    const View view(state, &overlay);
    const NodeId id = view.find_node("n7");
    CHECK(view.label("e.com/of-7-0")[id] ==
          (kind.sentence == std::string("a label") ? view.symbol("1") : kNone));
    CHECK(view.scalar("e.com/of-7-0").allocatable[id] ==
          (kind.sentence == std::string("a resource") ? 1 : 0));
  }
}

/// What the state knows names of.
std::array<std::size_t, 3> known(const State& state) {
  return {state.names().symbols.size(), state.names().limits.size(), state.names().attachables.size()};
}

TEST_CASE("keys that are gone leave neither names nor columns") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.sentence);
    State state;
    add_plain_nodes(state, 20);
    const auto names = known(state);
    const auto round = [&](const std::string& prefix) {
      for (int i = 0; i < 20; ++i) state.set_node(with_keys("n" + std::to_string(i), kind, 200, prefix));
      add_plain_nodes(state, 20);
    };
    round("first-");
    CHECK(known(state) == names);
    CHECK(state.nodes().offered_resources().empty());
    const std::int64_t before = live_bytes();
    for (int i = 0; i < 5; ++i) round("round-" + std::to_string(i) + "-");
    CHECK(live_bytes() - before < 2000);
    CHECK(known(state) == names);
    // The same where the nodes go before their keys do.
    for (int i = 0; i < 20; ++i) state.set_node(with_keys("n" + std::to_string(i), kind, 200, "last-"));
    for (int i = 0; i < 20; ++i) state.remove_node("n" + std::to_string(i));
    CHECK(state.names().symbols.size() == 0);
    CHECK(state.names().limits.size() == 0);
  }
}

TEST_CASE("the drivers of CSINodes that are gone leave no names") {
  State state;
  add_plain_nodes(state, 20);
  const auto names = known(state);
  for (int i = 0; i < 5; ++i) {
    for (int n = 0; n < 20; ++n)
      state.volumes.set(with_drivers("n" + std::to_string(n), 100, std::format("d-{}-{}-", i, n % 3)));
    CHECK(state.names().limits.size() == 300);
    state.remove_node("n5");
    add_plain_nodes(state, 20);
    for (int n = 0; n < 20; ++n) state.volumes.remove_csi_node("n" + std::to_string(n));
    CHECK(known(state) == names);
  }
}

TEST_CASE("volumes that are gone leave no limits") {
  State state{State::Options{.generation = Generation::kToday}};
  add_plain_nodes(state, 3);
  const auto names = known(state);
  for (int i = 0; i < 3; ++i) {
    const std::string driver = "driver-" + std::to_string(i), volume = "pv-" + std::to_string(i);
    state.volumes.set(VolumeBuilder(volume).csi(driver, "handle"));
    state.volumes.set(ClaimBuilder("claim").in("ns").bound_to(volume));
    state.set_pod(pod("p").in("ns").on("n1").mounts(claim("claim")));
    CHECK(View(state).attach_limit("attachable-volumes-csi-" + driver).attached[state.find_node("n1")] == 1);
    CHECK(state.names().limits.size() == 1);
    state.remove_pod("ns", "p");
  }
  CHECK(known(state)[1] == names[1]);
  CHECK(known(state)[2] == names[2]);
}

/// The nodes that have a key, as the columns say.
std::set<std::string> holders(const View& view, const std::string& key) {
  std::set<std::string> found;
  const Column<Symbol> label = view.label(key);
  const DomainIds domains = view.domains(key);
  const ScalarColumns scalar = view.scalar(key);
  const AttachColumns limit = view.attach_limit("attachable-volumes-csi-" + key);
  for (const NodeId id : view.all_nodes()) {
    const bool has = label[id] != kNone;
    CHECK((domains[id] != kNone) == has);
    if (has) CHECK(domains[id] < domains.capacity());
    CHECK((scalar.allocatable[id] != 0) == has);
    CHECK((scalar.requested[id] != 0) == has);
    CHECK((limit.offered[id] != AttachTable::kNoLimit) == has);
    CHECK((limit.by_driver[id] != AttachTable::kNoLimit) == has);
    CHECK((limit.installed[id] != 0) == has);
    if (has) found.emplace(view.node_name(id));
  }
  return found;
}

/// Has the node the key in each way, or in none.
void hold(State& state, const std::string& name, const std::string& key, bool holds) {
  NodeBuilder made = node(name);
  if (holds) made.label(key, name.substr(0, 3)).offers(key, "5").offers("attachable-volumes-csi-" + key, "5");
  state.set_node(made);
  state.volumes.set(with_drivers(name, holds ? 1 : 0, key.substr(0, key.size() - 1)));
  PodBuilder asks = pod("p-" + name).on(name);
  state.set_pod(holds ? asks.asks(key, "2") : asks);
}

TEST_CASE("a key is the same to readers, however many nodes have it") {
  const std::string key = "e.com/key0";
  State state;
  std::set<std::string> expected;
  add_plain_nodes(state, 60);
  for (int i = 0; i < 60; ++i) {
    hold(state, "n" + std::to_string(i), key, true);
    expected.insert("n" + std::to_string(i));
    CHECK(holders(View(state), key) == expected);
  }
  // More nodes make it rare, without an event of the nodes that have it.
  for (int i = 60; i < 1200; ++i) state.set_node(node("n" + std::to_string(i)));
  CHECK(holders(View(state), key) == expected);
  for (int i = 0; i < 60; ++i) {
    hold(state, "n" + std::to_string(i), key, false);
    expected.erase("n" + std::to_string(i));
    CHECK(holders(View(state), key) == expected);
  }
  CHECK(state.names().symbols.find(std::string_view(key)) == kNone);
}

TEST_CASE("domains of a label are those of its values, in the state and in an overlay") {
  for (const int in_state : {0, 2, 40})
    for (const int in_overlay : {0, 2, 20}) {
      CAPTURE(in_state);
      CAPTURE(in_overlay);
      State state;
      for (int i = 0; i < 64; ++i) {
        NodeBuilder made = node("s" + std::to_string(i));
        if (i < in_state) made.label("k", i % 3 == 0 ? "" : "v" + std::to_string(i % 3));
        state.set_node(made);
      }
      Overlay overlay(state);
      for (int i = 0; i < 32; ++i) {
        NodeBuilder made = node("o" + std::to_string(i));
        if (i < in_overlay) made.label("k", "v" + std::to_string(i % 4));
        overlay.set_node(made);
      }
      const View view(state, &overlay);
      const DomainIds domains = view.domains("k");
      const Column<Symbol> label = view.label("k");
      for (const NodeId a : view.all_nodes())
        for (const NodeId b : view.all_nodes())
          if (label[a] != kNone) CHECK((domains[a] == domains[b]) == (label[a] == label[b]));
      const bool has_empty = in_state > 0;
      CHECK((domains.of_empty_value() != kNone) == has_empty);
      if (has_empty) CHECK(domains.of_empty_value() == domains[view.find_node("s0")]);
    }
}

}  // namespace
}  // namespace winnow::test
