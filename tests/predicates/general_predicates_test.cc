#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("GeneralPredicates gives all reasons of its four parts, in order") {
  const Node a = node("a").cpu("1").pods("10").label("disk", "hdd");
  const Pod busy = pod("there").cpu("1").host_port(80);
  const std::string kCpu = "Insufficient cpu";
  const std::string kHost = "node(s) didn't match the requested hostname";
  const std::string kPorts = "node(s) didn't have free ports for the requested pod ports";
  const std::string kSelector = "node(s) didn't match node selector";
  const Placement rows[] = {
      {"all four pass",
       pod("web").cpu("1").host_port(80).on("a").selects_nodes("disk", "hdd"),
       a,
       {},
       "fits"},
      {"resources", pod("web").cpu("1"), a, {busy}, "unschedulable: " + kCpu},
      {"host name", pod("web").on("b"), a, {busy}, "unresolvable: " + kHost},
      {"ports", pod("web").host_port(80), a, {busy}, "unschedulable: " + kPorts},
      {"selector", pod("web").selects_nodes("disk", "ssd"), a, {busy}, "unresolvable: " + kSelector},
      {"both that eviction mends",
       pod("web").cpu("1").host_port(80),
       a,
       {busy},
       "unschedulable: " + kCpu + ", " + kPorts},
      {"one that it cannot mend makes the node unresolvable",
       pod("web").cpu("1").host_port(80).selects_nodes("disk", "ssd"),
       a,
       {busy},
       "unresolvable: " + kCpu + ", " + kPorts + ", " + kSelector},
      {"all four",
       pod("web").cpu("1").host_port(80).on("b").selects_nodes("disk", "ssd"),
       a,
       {busy},
       "unresolvable: " + kCpu + ", " + kHost + ", " + kPorts + ", " + kSelector},
      {"a pod that asks for nothing is counted",
       pod("web"),
       node("a").pods("1"),
       {busy},
       "unschedulable: Insufficient pods"},
  };
  check_verdicts("GeneralPredicates", rows);
}

}  // namespace winnow::test
