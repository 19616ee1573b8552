// A request's processor time with decisions kept, over the time without.
//
//   winnow_kept [ROUNDS=1000]
//
// Both services have the same cache, and are asked in turn. The first two columns are medians in
// microseconds, then the median of the rounds' ratios.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "extender/explain/decision_log.h"
#include "tests/bench/pairs.h"
#include "tests/bench/sample_json.h"
#include "tests/bench/service.h"

namespace winnow::bench {
namespace {

ExtenderServices keeping(bool keeps) {
  ExtenderServices made;
  if (!keeps) return made;
  constexpr std::size_t kMost = 10'000;
  made.decision_log = std::make_shared<DecisionLog>(kMost);
  for (std::size_t i = 0; i < kMost; ++i) {  // Full, as it is after some time.
    DecisionRecord record;
    record.pod = "default/some-pod-of-an-app-" + std::to_string(i);
    record.uid = "00000000-0000-0000-0000-" + std::to_string(i);
    record.fits = 3;
    for (const char* node : {"some-node-1", "some-node-2", "some-node-3"})
      record.best.push_back({node, 700, std::vector<std::int64_t>(10)});
    made.decision_log->keep(std::move(record));
  }
  return made;
}

Pod asking(const Sample& sample, const std::string& cpu) {
  Pod pod = asked_pod(sample, Asked::kPlain);
  if (!cpu.empty())
    pod.spec.containers.front().resources.requests.insert_or_assign("cpu", *Quantity::parse(cpu));
  return pod;
}

struct Case {
  AnswerMode answer;
  const char* path;
  const char* what;
  const char* cpu;  ///< That the pod asks for; "": what a plain pod does.
};

void compare(TestService& service, const Case& asked, int rounds) {
  const Sample& sample = service.sample();
  const std::string body = args_by_name(asking(sample, asked.cpu), names_in_order(sample, 0));
  const std::unique_ptr<Extender> services[] = {
      service.another({.answer = asked.answer, .seed = 1}, keeping(true)),
      service.another({.answer = asked.answer, .seed = 1}, keeping(false))};
  std::vector<std::vector<double>> costs(2);
  for (int round = -10; round < rounds; ++round)  // The first ten learn names and selectors.
    for (std::size_t turn = 0; turn < 2; ++turn) {
      const std::size_t which = (turn + static_cast<std::size_t>(round + 10)) % 2;
      http::Request request = TestService::request(asked.path, body);
      http::Response response;
      const double nanoseconds = cost([&] {
        services[which]->handle(request, response);
        if (response.afterwards) response.afterwards();
      });
      if (round >= 0) costs[which].push_back(nanoseconds);
    }
  const std::vector<double> more = ratios(costs[0], costs[1]);
  std::printf("%6zu %-12s %-26s %9.1f %9.1f  %5.3f [%.3f %.3f]\n", sample.nodes(), asked.path, asked.what,
              median(costs[0]) / 1e3, median(costs[1]) / 1e3, median(more), percentile(more, 0.25),
              percentile(more, 0.75));
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  using namespace winnow::bench;
  using winnow::AnswerMode;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::printf("%6s %-12s %-26s %9s %9s  kept/not [p25 p75]   (us)\n", "nodes", "", "", "kept", "not");
  const Case cases[] = {
      {AnswerMode::kBest, "/filter", "best, fits", ""},
      {AnswerMode::kBest, "/filter", "best, fits nowhere", "1000"},
      {AnswerMode::kComplete, "/filter", "complete, fits", ""},
      {AnswerMode::kComplete, "/prioritize", "complete", ""},
  };
  for (const std::size_t nodes : {100UZ, 1000UZ, 5000UZ}) {
    TestService service({nodes, nodes * 30}, 0, winnow::load_rules("", kDefaultConfig, {}).value());
    for (const Case& asked : cases) compare(service, asked, rounds);
  }
}
