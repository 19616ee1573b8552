#include <doctest/doctest.h>

#include "cluster/rule/shared_args.h"
#include "cluster/state/overlay.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::service_affinity_test {
namespace {

using Verdicts = std::map<std::string, std::string>;
const char* const kRefused = "unschedulable: node(s) didn't match service affinity";
const ServiceAffinityArgs kRack{{"rack"}, {}};

PodBuilder web(std::string name) { return pod(std::move(name)).label("app", "web"); }

/// Nodes a (rack 1) and b (rack 2), and a Service for app=web.
struct Racks {
  Racks() : state(kPlugins) {
    state.set_node(node("a").label("rack", "1"));
    state.set_node(node("b").label("rack", "2"));
    state.workloads.set(WorkloadKind::kService, meta("default", "web"), StringMap{{"app", "web"}});
  }
  State state;
};

Verdicts judged(const State& state, const Pod& pod, const Arguments& arguments = kRack) {
  return judge("ServiceAffinity", View(state), pod, arguments);
}

const Verdicts kAnywhere = {{"a", "fits"}, {"b", "fits"}};
const Verdicts kLikeB = {{"a", kRefused}, {"b", "fits"}};

}  // namespace

TEST_CASE("ServiceAffinity: the first pod on a known node says where the others go") {
  Racks racks;
  State& state = racks.state;
  CHECK(judged(state, web("new")) == kAnywhere);
  state.set_pod(web("first").on("nowhere"));
  CHECK(judged(state, web("new")) == kAnywhere);
  state.set_pod(web("second").on("b").deleting());
  CHECK(judged(state, web("new")) == kLikeB);
  state.set_pod(web("third").on("a"));
  CHECK(judged(state, web("new")) == kLikeB);
  CHECK(judged(state, web("new").selects_nodes("rack", "1")) == Verdicts{{"a", "fits"}, {"b", kRefused}});
}

TEST_CASE("ServiceAffinity: only a pod of a Service follows, and only if labels are configured") {
  Racks racks;
  State& state = racks.state;
  state.set_pod(web("first").on("b"));
  state.set_pod(pod("db").label("app", "db").on("b"));
  CHECK(judged(state, pod("new").label("app", "db")) == kAnywhere);
  CHECK(judged(state, web("new"), ServiceAffinityArgs{{}, {"rack"}}) == kAnywhere);
  CHECK(judged(state, web("new"), {}) == kAnywhere);
}

TEST_CASE("ServiceAffinity: a pod that is only nominated has no node, as upstream") {
  const Racks racks;
  const State& state = racks.state;
  Overlay overlay(state);
  overlay.add_nominated_pod(web("nominated").on("b"));
  const View view(state, &overlay);
  CHECK(judge("ServiceAffinity", view, web("new"), kRack) ==
        Verdicts{{"a", "error: node not found"}, {"b", "error: node not found"}});
  CHECK(judge("ServiceAffinity", view, pod("new").label("app", "db"), kRack) == kAnywhere);
}

}  // namespace winnow::test::service_affinity_test
