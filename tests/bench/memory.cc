// How long a cluster takes to load from objects in memory, and how much memory it then holds.
//
//   winnow_memory NODES PODS
//
// The objects are made one by one, and what it takes to make them is taken off.
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/bench/pairs.h"
#include "tests/bench/sample.h"

namespace winnow::bench {
namespace {

double resident_bytes() {
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  double whole = 0, resident = 0;
  statm >> whole >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// One kind of object: makes each and gives it to the state. Prints a line.
template <class Make, class Give>
void load(const char* what, std::size_t count, Make&& make, Give&& give) {
  const double making = cost([&] {
    for (std::size_t i = 0; i < count; ++i) static_cast<void>(make(i));
  });
  const double before = resident_bytes();
  const double loading = cost([&] {
    for (std::size_t i = 0; i < count; ++i) give(make(i));
  });
  const double bytes = resident_bytes() - before;
  std::printf("%-14s %8zu %9.2f s %9.0f ns each %8.1f MB %8.0f bytes each\n", what, count,
              (loading - making) / 1e9, (loading - making) / static_cast<double>(count), bytes / 1e6,
              bytes / static_cast<double>(count));
}

void load(const Sample& sample) {
  State state;
  load(
      "nodes", sample.nodes(), [&](std::size_t i) { return sample.node(i); },
      [&](const Node& node) { state.set_node(node); });
  load(
      "services", sample.apps(), [&](std::size_t i) { return sample.service(i); },
      [&](const Service& one) { state.workloads.set_service(one.metadata, one.selector); });
  load(
      "replica sets", sample.apps(), [&](std::size_t i) { return sample.replica_set(i); },
      [&](const ReplicaSet& one) {
        state.workloads.set(WorkloadKind::kReplicaSet, one.metadata, one.selector);
      });
  load(
      "pods", sample.pods(), [&](std::size_t i) { return sample.pod(i); },
      [&](const Pod& pod) { state.set_pod(pod); });
  std::printf("resident now: %.1f MB, %zu label sets\n", resident_bytes() / 1e6, state.groups.groups());
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  const std::size_t nodes = argc > 1 ? static_cast<std::size_t>(std::atol(argv[1])) : 5000;
  const std::size_t pods = argc > 2 ? static_cast<std::size_t>(std::atol(argv[2])) : 150'000;
  winnow::bench::load(winnow::bench::Sample({.nodes = nodes, .pods = pods}));
}
