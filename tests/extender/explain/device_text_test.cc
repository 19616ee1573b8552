// Why a claim does not fit, in words: on one node, and summed over nodes.
#include "extender/explain/device_text.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "extender/explain/cause_text.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

Cause device(std::int64_t devices, std::string name, std::string why) {
  Cause cause{"device"};
  cause.with("claim", "ml/c").with("request", "r").with("devices", devices).with("device", std::move(name));
  return cause.with("why", std::move(why));
}

Cause lack(std::int64_t wanted, std::int64_t found, std::int64_t devices) {
  return Cause{"devices"}
      .with("claim", "ml/c")
      .with("request", "r")
      .with("class", "gpu")
      .with("wanted", wanted)
      .with("found", found)
      .with("devices", devices);
}

}  // namespace

TEST_CASE("device text: each cause in words") {
  struct Row {
    Cause cause;
    const char* text;
  };
  const Row rows[] = {
      {lack(2, 1, 8), "claim ml/c, request r wants 2 devices of class gpu: 1 of 8 devices will do"},
      {lack(1, 0, 1), "claim ml/c, request r wants 1 device of class gpu: none of 1 device will do"},
      {lack(1, 0, 0), "claim ml/c, request r: no device is there for class gpu"},
      {Cause{"devices"}.with("claim", "ml/c").with("request", "r").with("class", "gpu").with("devices", 3),
       "claim ml/c, request r takes all devices of class gpu, and not all of 3 devices can be had"},
      {device(1, "d/n/gpu-0", "allocated").with("heldBy", "ml/x").with("pod", "ml/p"),
       "device d/n/gpu-0: allocated to claim ml/x of pod ml/p"},
      {device(3, "d/n/gpu-0", "allocated").with("heldBy", "ml/x"),
       "3 devices are allocated, as d/n/gpu-0 to claim ml/x"},
      {device(1, "d/n/gpu-0", "allocated").with("heldBy", "1 pod"),
       "device d/n/gpu-0: allocated to another claim"},
      {device(2, "d/n/gpu-0", "selector")
           .with("class", "gpu")
           .with("selector", "device.x")
           .with("values", std::vector<std::string>{"memory=40Gi"}),
       "2 devices with memory=40Gi, as d/n/gpu-0: class gpu wants device.x"},
      {device(1, "d/n/gpu-0", "selector").with("selector", "device.x"),
       "device d/n/gpu-0: the request wants device.x"},
      {device(1, "d/n/gpu-0", "taint").with("taint", "bad:NoSchedule"),
       "device d/n/gpu-0: taint bad:NoSchedule"},
      {device(2, "d/n/gpu-0", "capacity").with("name", "memory").with("have", "40Gi").with("wanted", "80Gi"),
       "2 devices: memory of 40Gi, wanted 80Gi, as d/n/gpu-0"},
      {device(1, "d/n/gpu-0", "capacity").with("name", "memory").with("wanted", "80Gi"),
       "device d/n/gpu-0: no capacity memory, wanted 80Gi"},
      {device(1, "d/n/gpu-0", "counter").with("name", "set/slices").with("have", "2").with("wanted", "4"),
       "device d/n/gpu-0: the pool has 2 left of counter set/slices, and 4 is needed"},
      {device(1, "d/n/gpu-0", "constraint").with("name", "a/numa").with("other", "d/n/gpu-1"),
       "device d/n/gpu-0: differs in a/numa from d/n/gpu-1"},
      {device(1, "d/n/gpu-0", "constraint").with("name", "a/numa"),
       "device d/n/gpu-0: has no attribute a/numa, which a constraint names"},
      {device(1, "d/n/gpu-0", "request").with("other", "q"),
       "device d/n/gpu-0: given to request q of the same pod"},
      {device(1, "d/n/gpu-0", "node"), "device d/n/gpu-0: for other nodes"},
      {device(1, "d/n/gpu-0", "error").with("error", "it fails"), "device d/n/gpu-0: it fails"},
      {Cause{"pool"}.with("pool", "d/n").with("slices", 1).with("wanted", 2),
       "pool d/n is incomplete: 1 of 2 slices are there"},
      {Cause{"pool"}.with("pool", "d/n").with("why", "names twice"), "pool d/n is invalid: names twice"},
      {Cause{"claimElsewhere"}.with("claim", "ml/c"), "claim ml/c has its devices on other nodes"},
      {Cause{"claimElsewhere"}.with("claim", "ml/c").with("why", "binding"),
       "claim ml/c: its devices were not bound in time, or failed"},
      {Cause{"claimElsewhere"}.with("claim", "ml/c").with("why", "feature"),
       "claim ml/c has devices that skip node operations, which the node does not declare"},
  };
  for (const Row& row : rows) {
    CHECK(is_of_devices(row.cause));
    CHECK(to_text(row.cause) == row.text);
  }
  CHECK_FALSE(is_of_devices(Cause{"resource"}));
}

TEST_CASE("device text: devices are summed over nodes, and pools counted") {
  const Cause one = device(8, "d/a/gpu-0", "taint").with("taint", "bad:NoSchedule");
  const Cause other = device(4, "d/b/gpu-0", "taint").with("taint", "bad:NoSchedule");
  const Cause apart = device(4, "d/b/gpu-0", "taint").with("taint", "worse:NoSchedule");
  CHECK(device_sort(one) == device_sort(other));
  CHECK(device_sort(one) != device_sort(apart));
  const Cause* const same[] = {&one, &other};
  CHECK(sum_devices(same) == "12 devices: taint bad:NoSchedule, as d/a/gpu-0");
  const Cause pools[] = {Cause{"pool"}.with("pool", "d/a").with("slices", 1).with("wanted", 2),
                         Cause{"pool"}.with("pool", "d/b").with("slices", 1).with("wanted", 3)};
  const Cause* const both[] = {&pools[0], &pools[1]};
  CHECK(device_sort(pools[0]) == device_sort(pools[1]));
  CHECK(sum_devices(both) == "pool d/a is incomplete: 1 of 2 slices are there, and 1 more");
}

}  // namespace winnow::test
