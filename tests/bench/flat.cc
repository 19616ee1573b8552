// Time per request at 5,000 nodes with 15,000, 50,000 and 150,000 pods: it should not grow.
//
//   winnow_flat classic|today [ROUNDS=200 [NODES PODS PODS…]]
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/bench/pairs.h"
#include "tests/bench/sample_json.h"
#include "tests/bench/service.h"

namespace winnow::bench {
namespace {

void compare(std::vector<std::unique_ptr<TestService>>& services, const char* path, Asked kind, int rounds) {
  std::vector<std::string> bodies;
  for (const auto& service : services)
    bodies.push_back(args_by_name(asked_pod(service->sample(), kind), names_in_order(service->sample(), 0)));
  std::vector<std::vector<double>> costs(services.size());
  for (int round = -10; round < rounds; ++round)  // The first ten learn names and selectors.
    for (std::size_t i = 0; i < services.size(); ++i) {
      http::Request request = TestService::request(path, bodies[i]);
      const double nanoseconds = cost([&] { services[i]->handle(request); });
      if (round >= 0) costs[i].push_back(nanoseconds);
    }
  const std::vector<double> growth = ratios(costs.back(), costs.front());
  std::printf("%-12s %-24s", path, to_string(kind));
  for (const std::vector<double>& cost : costs) std::printf(" %9.1f", median(cost) / 1e3);
  std::printf("  %5.2f [%.2f %.2f]\n", median(growth), percentile(growth, 0.05), percentile(growth, 0.95));
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  using namespace winnow::bench;
  const bool today = argc > 1 && std::string_view(argv[1]) == "today";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 200;
  const winnow::LoadedRules rules =
      today ? winnow::load_rules("", kDefaultConfig, {}).value() : winnow::classic_rules({});
  const std::size_t nodes = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 5000;
  std::vector<std::size_t> sizes;
  for (int i = 4; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {15'000, 50'000, 150'000};
  std::vector<std::unique_ptr<TestService>> services;
  std::printf("%-12s %-24s", "", "pods");
  for (const std::size_t pods : sizes) {
    services.push_back(std::make_unique<TestService>(Sample::Size{nodes, pods}, 0, rules));
    std::printf(" %9zu", pods);
  }
  std::printf("  last/first [p5 p95]   (us, %zu nodes)\n", nodes);
  for (const Asked kind : today ? std::span<const Asked>(kAskedToday) : std::span<const Asked>(kAskedClassic))
    for (const char* path : {"/filter", "/prioritize"}) compare(services, path, kind, rounds);
}
