// winnow_bench: google-benchmark cases. --benchmark_filter=… chooses; all times are processor times.
#include "tests/bench/bench.h"

#include <benchmark/benchmark.h>

#include <map>
#include <memory>

namespace winnow::bench {

namespace {

using Services = std::map<std::size_t, std::unique_ptr<TestService>>;

TestService& service_in(Services& services, std::size_t nodes, const LoadedRules& rules) {
  std::unique_ptr<TestService>& service = services[nodes];
  if (!service)
    service = std::make_unique<TestService>(Sample::Size{.nodes = nodes, .pods = nodes * 30}, 0, rules);
  return *service;
}

}  // namespace

TestService& service_of(std::size_t nodes) {
  static Services services;
  return service_in(services, nodes, classic_rules({}));
}

TestService& todays_service_of(std::size_t nodes) {
  static Services services;
  return service_in(services, nodes, load_rules("", kDefaultConfig, {}).value());
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
