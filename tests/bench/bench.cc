// winnow_bench: google-benchmark cases. --benchmark_filter=… chooses; all times are processor times.
#include "tests/bench/bench.h"

#include <benchmark/benchmark.h>

#include <map>
#include <memory>

namespace winnow::bench {

TestService& service_of(std::size_t nodes) {
  static std::map<std::size_t, std::unique_ptr<TestService>> services;
  std::unique_ptr<TestService>& service = services[nodes];
  if (!service) service = std::make_unique<TestService>(Sample::Size{.nodes = nodes, .pods = nodes * 30});
  return *service;
}

}  // namespace winnow::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  winnow::bench::add_request_cases();
  winnow::bench::add_rule_cases();
  winnow::bench::add_event_cases();
  benchmark::RunSpecifiedBenchmarks();
}
