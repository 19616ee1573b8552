// The time of filter beside a burst of pod events, which another thread decodes and applies as a watch does.
//
//   winnow_burst [NODES [PODS [EVENTS_A_SECOND [SECONDS]]]]
//
// Wall time: both threads want a core.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/client/watch/cache_sink.h"
#include "cluster/client/watch/resource.h"
#include "tests/bench/sample_json.h"
#include "tests/bench/service.h"

namespace winnow::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Events come in pieces of this many, as a connection delivers them.
constexpr std::size_t kPiece = 20;

/// One in three events takes a pod away, one brings it back, and one changes it. Until `ends`.
void send_events(TestService& service, std::size_t a_second, const std::atomic<bool>& ends) {
  const auto sink = live::make_cache_sink(
      kind_of<Pod>, service.cache(),
      [](ResourceKind, std::string_view error) { std::printf("%s\n", std::string(error).c_str()); });
  const Sample& sample = service.sample();
  std::vector<std::string> pods;
  for (std::size_t i = 0; i < 3000; ++i) pods.push_back(to_json(sample.pod(i * 49'999 % sample.pods())));
  Clock::time_point next = Clock::now();
  for (std::size_t event = 0; !ends;) {
    for (std::size_t i = 0; i < kPiece; ++i, ++event) {
      const std::string& pod = pods[event / 3 % pods.size()];
      event % 3 == 0 ? sink->remove(pod) : sink->set(pod);
    }
    sink->flush();
    next += std::chrono::nanoseconds(std::chrono::seconds(1)) * kPiece / a_second;
    std::this_thread::sleep_until(next);
  }
}

/// Asks filter about all nodes by name, with a pause of a millisecond.
void measure(TestService& service, const char* what, std::chrono::seconds span) {
  const Sample& sample = service.sample();
  std::vector<double> times;
  const Clock::time_point end = Clock::now() + span;
  for (std::size_t turn = 0; Clock::now() < end; ++turn) {
    const Pod pod = asked_pod(sample, turn % 2 == 0 ? Asked::kPlain : Asked::kSmallService);
    http::Request request =
        TestService::request("/filter", args_by_name(pod, names_in_order(sample, turn % sample.nodes())));
    const Clock::time_point start = Clock::now();
    service.handle(request);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::ranges::sort(times);
  const auto at = [&](double part) {
    return times[static_cast<std::size_t>(part * double(times.size() - 1))];
  };
  std::printf("%-28s %6zu calls  p50 %6.2f  p99 %6.2f  slowest %6.2f ms\n", what, times.size(), at(0.5),
              at(0.99), at(1));
}

void run(std::size_t nodes, std::size_t pods, std::size_t a_second, std::chrono::seconds span) {
  TestService service({.nodes = nodes, .pods = pods}, 0, load_rules("", kDefaultConfig, {}).value());
  measure(service, "beside nothing", span);
  std::atomic<bool> ends = false;
  std::thread sender([&] { send_events(service, a_second, ends); });
  measure(service, ("beside " + std::to_string(a_second) + " events a second").c_str(), span);
  ends = true;
  sender.join();
  measure(service, "beside nothing again", span);
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? std::strtoul(argv[i], nullptr, 10) : otherwise;
  };
  winnow::bench::run(number(1, 5000), number(2, 150'000), number(3, 10'000),
                     std::chrono::seconds(number(4, 10)));
}
