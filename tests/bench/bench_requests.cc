// Whole requests, and their first pass.
#include <benchmark/benchmark.h>

#include "extender/service/scheduling/node_request.h"
#include "tests/bench/bench.h"
#include "tests/bench/sample_json.h"

namespace winnow::bench {
namespace {

constexpr std::size_t kNodes[] = {100, 1000, 5000, 15000};

std::string body_by_name(const Sample& sample, Asked kind) {
  return args_by_name(asked_pod(sample, kind), names_in_order(sample, sample.nodes() / 3));
}

void count_nodes(benchmark::State& run, std::size_t nodes) {
  run.SetItemsProcessed(run.iterations() * static_cast<std::int64_t>(nodes));
}

/// The copy of the body, which is the socket's work, is not counted.
void ask(benchmark::State& run, const char* path, const std::string& body, TestService& service) {
  for (auto _ : run) {
    run.PauseTiming();
    http::Request request = TestService::request(path, body);
    run.ResumeTiming();
    benchmark::DoNotOptimize(service.handle(request));
  }
  count_nodes(run, service.sample().nodes());
}

void decode(benchmark::State& run, std::size_t nodes) {
  TestService& service = service_of(nodes);
  const std::string body = body_by_name(service.sample(), Asked::kPlain);
  NodeOrder order;
  for (auto _ : run) {
    run.PauseTiming();
    http::Request request = TestService::request("/filter", body);
    run.ResumeTiming();
    RequestReader reader(std::move(request.body));
    benchmark::DoNotOptimize(!reader.decode() &&
                             reader.locate(service.cache(), order, IfAssumed::kStays).has_value());
  }
  count_nodes(run, nodes);
}

void add_case(const std::string& name,
              void (*work)(benchmark::State&, const char*, const std::string&, TestService&),
              const char* path, std::size_t nodes, Asked kind) {
  benchmark::RegisterBenchmark(name, [=](benchmark::State& run) {
    TestService& service = service_of(nodes);
    work(run, path, body_by_name(service.sample(), kind), service);
  })->Unit(benchmark::kMicrosecond);
}

}  // namespace

void add_request_cases() {
  for (const std::size_t nodes : kNodes) {
    const std::string size = '/' + std::to_string(nodes);
    benchmark::RegisterBenchmark("decode" + size, [=](benchmark::State& run) {
      decode(run, nodes);
    })->Unit(benchmark::kMicrosecond);
    for (const char* path : {"/filter", "/prioritize"})
      for (const Asked kind : kAskedClassic)
        add_case(std::string(path + 1) + '/' + to_string(kind) + size, ask, path, nodes, kind);
  }
  for (const std::size_t nodes : {100UZ, 1000UZ})
    benchmark::RegisterBenchmark("filter_full_nodes/" + std::to_string(nodes), [=](benchmark::State& run) {
      TestService& service = service_of(nodes);
      ask(run, "/filter", args_with_nodes(service.sample(), asked_pod(service.sample(), Asked::kPlain), 0),
          service);
    })->Unit(benchmark::kMicrosecond);
}

}  // namespace winnow::bench
