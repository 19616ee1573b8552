#include "extender/what_if/simulate/workloads.h"

#include <doctest/doctest.h>

#include "cluster/state/state.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

Pod owned_by(PodBuilder builder, const std::string& kind, const std::string& name) {
  Pod pod = builder;
  pod.metadata.owner_references = {{"apps/v1", kind, name, name + "-uid", true}};
  return pod;
}

/// A pod of the Deployment default/web.
Pod web_pod(const std::string& hash, const std::string& name, const std::string& node) {
  PodBuilder builder = pod("web-" + hash + '-' + name);
  builder.label("pod-template-hash", hash);
  if (!node.empty()) builder.on(node);
  return owned_by(builder, "ReplicaSet", "web-" + hash);
}

using Gone = std::vector<std::pair<std::string, std::string>>;

}  // namespace

TEST_CASE("workloads are known by their pods that are not being deleted") {
  State state;
  for (const char* name : {"a", "b"}) state.set_node(node(name));
  state.set_pod(web_pod("old", "1", "a"));
  state.set_pod(web_pod("new", "1", "b"));
  state.set_pod(web_pod("new", "2", ""));
  state.set_pod(owned_by(pod("db-0").on("a"), "StatefulSet", "db"));
  state.set_pod(owned_by(pod("db-1").on("a").deleting(), "StatefulSet", "db"));
  state.set_pod(pod("alone").on("a"));
  const std::vector<KnownWorkload> workloads = workloads_of(state);
  REQUIRE(workloads.size() == 2);
  CHECK(workloads[0].name == "Deployment default/web");
  CHECK(workloads[0].kind() == "Deployment");
  CHECK(workloads[0].full_name() == "default/web");
  CHECK(workloads[0].pods.size() == 3);
  CHECK(workloads[0].on_nodes == 2);
  CHECK(workloads[1].pods.size() == 1);
  CHECK(find_workload(workloads, "StatefulSet default/db") == &workloads[1]);
  CHECK(find_workload(workloads, "Deployment default/db") == nullptr);
  // The ReplicaSet with the most pods is the new one.
  CHECK(state.pod(pattern_of(state, workloads[0])).name == "web-new-2");
}

TEST_CASE("of a workload that is scaled down, these pods go first") {
  State state;
  for (const char* name : {"a", "b"}) state.set_node(node(name));
  state.set_pod(web_pod("x", "1", "a"));
  state.set_pod(web_pod("x", "2", "a"));
  state.set_pod(web_pod("x", "3", "b"));
  state.set_pod(web_pod("x", "0", ""));
  for (const char* name : {"db-2", "db-10", "db-9"})
    state.set_pod(owned_by(pod(name).on("a"), "StatefulSet", "db"));
  const std::vector<KnownWorkload> workloads = workloads_of(state);
  CHECK(first_to_go(state, workloads[0], 3) ==
        Gone{{"default", "web-x-0"}, {"default", "web-x-2"}, {"default", "web-x-1"}});
  CHECK(first_to_go(state, workloads[1], 2) == Gone{{"default", "db-10"}, {"default", "db-9"}});
  CHECK(first_to_go(state, workloads[1], 9).size() == 3);
}

}  // namespace winnow::test
