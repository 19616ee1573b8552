#include <doctest/doctest.h>

#include "predicates/records.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::node_ports_test {
namespace {

const char* const kRefused = "unschedulable: node(s) didn't have free ports for the requested pod ports";
const Node kNode = node("a");

}  // namespace

TEST_CASE("NodePorts: ports, protocols, addresses") {
  const Placement rows[] = {
      {"nobody there", pod("web").host_port(80), kNode, {}, "fits"},
      {"the same port", pod("web").host_port(80), kNode, {pod("there").host_port(80)}, kRefused},
      {"another port", pod("web").host_port(80), kNode, {pod("there").host_port(81)}, "fits"},
      {"no protocol is TCP: asked",
       pod("web").host_port(80),
       kNode,
       {pod("there").host_port(80, "TCP")},
       kRefused},
      {"no protocol is TCP: taken",
       pod("web").host_port(80, "TCP"),
       kNode,
       {pod("there").host_port(80)},
       kRefused},
      {"another protocol", pod("web").host_port(80, "UDP"), kNode, {pod("there").host_port(80)}, "fits"},
      {"two addresses",
       pod("web").host_port(80, "", "10.0.0.1"),
       kNode,
       {pod("there").host_port(80, "", "10.0.0.2")},
       "fits"},
      {"one address",
       pod("web").host_port(80, "", "10.0.0.1"),
       kNode,
       {pod("there").host_port(80, "", "10.0.0.1")},
       kRefused},
      {"no address is all of them: asked",
       pod("web").host_port(80),
       kNode,
       {pod("there").host_port(80, "", "10.0.0.1")},
       kRefused},
      {"no address is all of them: taken",
       pod("web").host_port(80, "", "10.0.0.1"),
       kNode,
       {pod("there").host_port(80)},
       kRefused},
      {"0.0.0.0 is all of them, an IPv6 one too",
       pod("web").host_port(80, "", "0.0.0.0"),
       kNode,
       {pod("there").host_port(80, "", "fd00::1")},
       kRefused},
      {"IPv6's any is just an address",
       pod("web").host_port(80, "", "::"),
       kNode,
       {pod("there").host_port(80, "", "fd00::1")},
       "fits"},
      {"IPv6's any twice",
       pod("web").host_port(80, "", "::"),
       kNode,
       {pod("there").host_port(80, "", "::")},
       kRefused},
      {"an address is compared as it is written",
       pod("web").host_port(80, "", "fd00::1"),
       kNode,
       {pod("there").host_port(80, "", "fd00:0::1")},
       "fits"},
  };
  check_plugin_verdicts("NodePorts", rows);
}

TEST_CASE("NodePorts: whose ports count") {
  const Placement rows[] = {
      {"a sidecar's are asked",
       pod("web").sidecar().host_port(80),
       kNode,
       {pod("there").host_port(80)},
       kRefused},
      {"a sidecar's are taken",
       pod("web").host_port(80),
       kNode,
       {pod("there").sidecar().host_port(80)},
       kRefused},
      {"another init container's are not asked",
       pod("web").init().host_port(80),
       kNode,
       {pod("there").host_port(80)},
       "fits"},
      {"another init container's are not taken",
       pod("web").host_port(80),
       kNode,
       {pod("there").init().host_port(80)},
       "fits"},
      {"a pod being deleted still has its ports",
       pod("web").host_port(80),
       kNode,
       {pod("there").host_port(80).deleting()},
       kRefused},
      {"one's own ports may repeat",
       pod("web").sidecar().host_port(80).container().host_port(80),
       kNode,
       {},
       "fits"},
  };
  check_plugin_verdicts("NodePorts", rows);
}

TEST_CASE("NodePorts is skipped where no host port is asked, and there alone") {
  State state(kPlugins);
  state.set_node(kNode);
  const View view(state);
  const auto skips = [&](const Pod& asked) {
    return predicates::find_plugin("NodePorts")->bind({asked, view, {}}, {}) == nullptr;
  };
  CHECK(skips(pod("no containers")));
  CHECK(skips(pod("a container port is not a host port").host_port(0)));
  CHECK(skips(pod("an init container's").init().host_port(80)));
  CHECK_FALSE(skips(pod("a protocol that nobody has").host_port(80, "SCTP")));
  CHECK_FALSE(skips(pod("a sidecar's").sidecar().host_port(80)));
}

}  // namespace winnow::test::node_ports_test
