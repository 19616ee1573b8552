#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test::fits_host_ports_test {
namespace {

const char* const kRefused = "unschedulable: node(s) didn't have free ports for the requested pod ports";
const Node kNode = node("a");

}  // namespace

TEST_CASE("PodFitsHostPorts: ports and protocols") {
  const Placement rows[] = {
      {"no ports asked", pod("web").container(), kNode, {pod("there").host_port(80)}, "fits"},
      {"nobody there", pod("web").host_port(80), kNode, {}, "fits"},
      {"the same port", pod("web").host_port(80), kNode, {pod("there").host_port(80)}, kRefused},
      {"another port", pod("web").host_port(80), kNode, {pod("there").host_port(81)}, "fits"},
      {"no protocol is TCP", pod("web").host_port(80, "TCP"), kNode, {pod("there").host_port(80)}, kRefused},
      {"another protocol", pod("web").host_port(80, "UDP"), kNode, {pod("there").host_port(80)}, "fits"},
      {"the same other protocol",
       pod("web").host_port(80, "UDP"),
       kNode,
       {pod("there").host_port(80, "UDP")},
       kRefused},
      {"a protocol that nobody has",
       pod("web").host_port(80, "SCTP"),
       kNode,
       {pod("there").host_port(80)},
       "fits"},
      {"protocols are spelled in capitals",
       pod("web").host_port(80, "tcp"),
       kNode,
       {pod("there").host_port(80)},
       "fits"},
  };
  check_verdicts("PodFitsHostPorts", rows);
}

TEST_CASE("PodFitsHostPorts: addresses") {
  const Placement rows[] = {
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
      {"all addresses asked, one taken",
       pod("web").host_port(80),
       kNode,
       {pod("there").host_port(80, "", "10.0.0.1")},
       kRefused},
      {"all asked by name",
       pod("web").host_port(80, "", "0.0.0.0"),
       kNode,
       {pod("there").host_port(80, "", "10.0.0.1")},
       kRefused},
      {"one asked, all taken",
       pod("web").host_port(80, "", "10.0.0.1"),
       kNode,
       {pod("there").host_port(80)},
       kRefused},
      {"one asked, all taken by name",
       pod("web").host_port(80, "", "10.0.0.1"),
       kNode,
       {pod("there").host_port(80, "", "0.0.0.0")},
       kRefused},
      {"an address that nobody has, where nobody has all",
       pod("web").host_port(80, "", "10.9.9.9"),
       kNode,
       {pod("there").host_port(80, "", "10.0.0.1")},
       "fits"},
      {"IPv6's any is just an address: asked",
       pod("web").host_port(80, "", "::"),
       kNode,
       {pod("there").host_port(80, "", "10.0.0.1")},
       "fits"},
      {"IPv6's any is just an address: taken",
       pod("web").host_port(80, "", "10.0.0.1"),
       kNode,
       {pod("there").host_port(80, "", "::")},
       "fits"},
      {"IPv6's any twice",
       pod("web").host_port(80, "", "::"),
       kNode,
       {pod("there").host_port(80, "", "::")},
       kRefused},
  };
  check_verdicts("PodFitsHostPorts", rows);
}

TEST_CASE("PodFitsHostPorts: whose ports count") {
  const Placement rows[] = {
      {"a container port is not a host port",
       pod("web").host_port(0),
       kNode,
       {pod("there").host_port(0)},
       "fits"},
      {"init containers' ports are not asked",
       pod("web").init().host_port(80),
       kNode,
       {pod("there").host_port(80)},
       "fits"},
      {"init containers' ports are not taken",
       pod("web").host_port(80),
       kNode,
       {pod("there").init().host_port(80)},
       "fits"},
      {"the second port of the second container",
       pod("web").host_port(1).container().host_port(2).host_port(80),
       kNode,
       {pod("there").host_port(79), pod("other").host_port(80)},
       kRefused},
      {"a pod being deleted still has its ports",
       pod("web").host_port(80),
       kNode,
       {pod("there").host_port(80).deleting()},
       kRefused},
      {"one's own ports may repeat", pod("web").host_port(80).container().host_port(80), kNode, {}, "fits"},
  };
  check_verdicts("PodFitsHostPorts", rows);
}

TEST_CASE("a port is free when the last pod that has it goes") {
  State state;
  state.set_node(node("a"));
  state.set_pod(pod("one").host_port(80).on("a"));
  state.set_pod(pod("two").host_port(80).on("a"));
  const Pod web = pod("web").host_port(80);
  state.remove_pod("default", "one");
  CHECK(judge_one("PodFitsHostPorts", View(state), web) != "fits");
  state.remove_pod("default", "two");
  CHECK(judge_one("PodFitsHostPorts", View(state), web) == "fits");
}

}  // namespace winnow::test::fits_host_ports_test
