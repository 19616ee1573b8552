// A request's processor time, from decode to encode and without the socket, against what RapidJSON alone
// needs to parse the same request and to write the same answer.
//
//   winnow_floor [ROUNDS=200] [KIND=plain|affinity|...] [HELPERS=0] [NODES...]
//
// Each round runs both sides one after the other on the same thread, on one of eight rotations of the nodes;
// the ratio is the median over the rounds. `all` asks both verbs about every node; `fit` asks prioritize
// about the nodes that filter has answered, as kube-scheduler does. With HELPERS the time is the whole
// process'.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/bench/pairs.h"
#include "tests/bench/rapid_floor.h"
#include "tests/bench/sample_json.h"
#include "tests/bench/service.h"

namespace winnow::bench {
namespace {

struct Options {
  int rounds = 200;
  Asked kind = Asked::kPlain;
  unsigned helpers = 0;
  std::vector<std::size_t> nodes = {100, 1000, 5000, 15000};
};

/// One verb about one list of nodes, on both sides.
struct Exchange {
  const char* path;
  std::string body;
  RapidAnswer answer;
};

/// What each round cost, in nanoseconds.
struct Costs {
  std::vector<double> handler, copy, parse, write, floor;
};

void one_round(TestService& service, Exchange& exchange, RapidParse& rapid, Costs& costs, clockid_t clock) {
  http::Request request = TestService::request(exchange.path, exchange.body);
  costs.handler.push_back(cost([&] { service.handle(request); }, clock));
  costs.copy.push_back(cost([&] { rapid.copy(exchange.body); }));
  costs.parse.push_back(cost([&] { rapid.parse(); }));
  costs.write.push_back(cost([&] { exchange.answer.write(); }));
  costs.floor.push_back(costs.copy.back() + costs.parse.back() + costs.write.back());
}

/// Makes the exchange, and makes sure that both sides answer the same bytes.
Exchange exchange(TestService& service, const char* path, std::string body) {
  const std::string answer = service.answer(path, body);
  Exchange made{path, std::move(body), RapidAnswer(answer)};
  if (made.answer.write() != answer) {
    std::fprintf(stderr, "%s: RapidJSON writes another answer than Winnow\n", path);
    std::exit(1);
  }
  return made;
}

std::vector<std::string> names_of_answer(const std::string& answer) {
  rapidjson::Document document;
  document.Parse(answer.c_str(), answer.size());
  std::vector<std::string> names;
  for (const auto& name : document["NodeNames"].GetArray()) names.emplace_back(name.GetString());
  return names;
}

/// The sum of a pass in the service's own metrics, in seconds.
double pass_seconds(const std::string& page, std::string_view verb, Pass pass) {
  for (std::size_t at = 0; (at = page.find("\nwinnow_pass_duration_seconds_sum{", at)) != std::string::npos;
       ++at) {
    const std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
    if (line.find('"' + std::string(verb) + '"') != std::string::npos &&
        line.find('"' + std::string(to_string(pass)) + '"') != std::string::npos)
      return std::strtod(line.substr(line.rfind(' ')).c_str(), nullptr);
  }
  return 0;
}

void print_row(std::size_t nodes, const char* what, const Costs& costs) {
  const std::vector<double> ratio = ratios(costs.handler, costs.floor);
  const double handler = median(costs.handler);
  std::printf("%6zu %-16s %6.2f [%4.2f %4.2f] %9.1f %9.1f %8.1f %8.1f %8.1f %8.1f\n", nodes, what,
              median(ratio), percentile(ratio, 0.05), percentile(ratio, 0.95), handler / 1e3,
              median(costs.floor) / 1e3, median(costs.copy) / 1e3, median(costs.parse) / 1e3,
              median(costs.write) / 1e3, handler / static_cast<double>(nodes));
}

/// Filter and prioritize in turn, as kube-scheduler calls them.
void compare(TestService& service, const Options& options, bool only_fitting) {
  const Pod pod = asked_pod(service.sample(), options.kind);
  std::vector<Exchange> filters, prioritizes;
  for (std::size_t turn = 0; turn < 8; ++turn) {
    std::vector<std::string> names = names_in_order(service.sample(), turn * service.sample().nodes() / 8);
    filters.push_back(exchange(service, "/filter", args_by_name(pod, names)));
    if (only_fitting) names = names_of_answer(service.answer("/filter", filters.back().body));
    prioritizes.push_back(exchange(service, "/prioritize", args_by_name(pod, names)));
  }
  RapidParse rapid(filters.front().body.size() + 64);
  const clockid_t clock = options.helpers ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID;
  Costs filter, prioritize;
  const std::string before = service.metrics().render();
  for (int round = 0; round < options.rounds; ++round) {
    one_round(service, filters[static_cast<std::size_t>(round) % 8], rapid, filter, clock);
    one_round(service, prioritizes[static_cast<std::size_t>(round) % 8], rapid, prioritize, clock);
  }
  const std::string after = service.metrics().render();
  print_row(service.sample().nodes(), only_fitting ? "filter fit" : "filter all", filter);
  print_row(service.sample().nodes(), only_fitting ? "prioritize fit" : "prioritize all", prioritize);
  for (const char* verb : {"filter", "prioritize"}) {
    std::printf("       %-16s", verb);
    for (std::size_t pass = 0; pass < kPasses; ++pass)
      std::printf(" %s %.1f", std::string(to_string(static_cast<Pass>(pass))).c_str(),
                  (pass_seconds(after, verb, static_cast<Pass>(pass)) -
                   pass_seconds(before, verb, static_cast<Pass>(pass))) *
                      1e6 / options.rounds);
    std::printf("  (wall us, mean)\n");
  }
}

int run(const Options& options) {
  std::printf("%6s %-16s %6s %11s %9s %9s %8s %8s %8s %8s\n", "nodes", to_string(options.kind), "ratio",
              "[p5   p95]", "winnow us", "floor us", "copy", "parse", "write", "ns/node");
  for (const std::size_t nodes : options.nodes) {
    TestService service({.nodes = nodes, .pods = nodes * 30}, options.helpers);
    compare(service, options, /*only_fitting=*/false);
    compare(service, options, /*only_fitting=*/true);
  }
  return 0;
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  winnow::bench::Options options;
  if (argc > 1) options.rounds = std::atoi(argv[1]);
  for (const winnow::bench::Asked kind : winnow::bench::kAskedClassic)
    if (argc > 2 && std::string_view(argv[2]) == to_string(kind)) options.kind = kind;
  if (argc > 3) options.helpers = static_cast<unsigned>(std::atoi(argv[3]));
  if (argc > 4) options.nodes.clear();
  for (int i = 4; i < argc; ++i) options.nodes.push_back(static_cast<std::size_t>(std::atol(argv[i])));
  return winnow::bench::run(options);
}
