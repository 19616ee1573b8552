// kube-scheduler's sampling, told from calls that name few nodes for good reasons.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "extender/service/setup_notes.h"

namespace winnow::test {
namespace {

/// `count` of `nodes`, from `first` on and around, as kube-scheduler walks them.
std::vector<NodeId> walk(NodeId first, NodeId count, NodeId nodes) {
  std::vector<NodeId> ids(count);
  for (NodeId i = 0; i < count; ++i) ids[i] = (first + i) % nodes;
  return ids;
}

TEST_SUITE("sampling") {
  TEST_CASE("420 of 1,000 nodes, others each time: noticed at the fourth call and from then on") {
    Sampling sampling;
    std::vector<bool> noticed;
    for (NodeId call = 0; call < 6; ++call)
      noticed.push_back(sampling.notice(walk(call * 420, 420, 1000), 1000));
    CHECK(noticed == std::vector<bool>{false, false, false, true, true, true});
  }

  TEST_CASE("what is no sampling") {
    struct Row {
      const char* what;
      NodeId count, step, nodes;
      NodeId shrink;
    };
    const Row rows[] = {
        {"all nodes, in another order each time", 1000, 420, 1000, 0},
        {"the same few, in another order", 420, 0, 1000, 0},
        {"others each time, and another number of them", 420, 420, 1000, 1},
        {"fewer than kube-scheduler ever samples", 99, 99, 1000, 0},
        {"one node, for a nominated pod", 1, 1, 1000, 0},
        {"as many each time, but no percentage of the nodes", 415, 420, 1000, 0},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      Sampling sampling;
      for (NodeId call = 0; call < 20; ++call)
        CHECK_FALSE(
            sampling.notice(walk(call * row.step, row.count - call * row.shrink, row.nodes), row.nodes));
    }
  }

  TEST_CASE("every number that kube-scheduler stops at is one, whatever the percentage") {
    for (const NodeId nodes : {101u, 150u, 997u, 1000u, 5000u, 15000u})
      for (NodeId percent = 1; percent < 100; ++percent) {
        const NodeId count = std::max(100u, nodes * percent / 100);
        if (count >= nodes) continue;
        CAPTURE(nodes);
        CAPTURE(percent);
        Sampling sampling;
        bool noticed = false;
        for (NodeId call = 0; call < 4; ++call) noticed = sampling.notice(walk(call, count, nodes), nodes);
        CHECK(noticed);
      }
  }

  TEST_CASE("a call about one node, in between, changes nothing") {
    Sampling sampling;
    for (NodeId call = 0; call < 3; ++call) {
      CHECK_FALSE(sampling.notice(walk(call * 420, 420, 1000), 1000));
      CHECK_FALSE(sampling.notice(walk(call, 1, 1000), 1000));
    }
    CHECK(sampling.notice(walk(3 * 420, 420, 1000), 1000));
  }
}

}  // namespace
}  // namespace winnow::test
