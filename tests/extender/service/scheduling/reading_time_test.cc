// Calls that take long, while a watch event waits for the cache.
#include <doctest/doctest.h>

#include <thread>

#include "extender/service/scheduling/compute_limiter.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

Budget an_hour() { return Budget(std::chrono::steady_clock::now() + hours(1)); }

/// Computes until the request's time is over.
void compute(const Budget& budget) {
  for (;;) budget.check();
}

class Endless : public Predicate {
 public:
  explicit Endless(const Budget& budget) : budget_(budget) {}
  void map(std::span<const NodeId>, std::span<Verdict>) const override { compute(budget_); }
  std::span<const std::string> reasons() const override { return {}; }

 private:
  const Budget& budget_;
};
std::unique_ptr<const Predicate> endless(const Request& request, const Arguments&) {
  return std::make_unique<Endless>(*request.budget);
}

class EndlessPriority : public Priority {
 public:
  explicit EndlessPriority(const Budget& budget) : budget_(budget) {}
  void map(std::span<const NodeId>, std::span<std::int64_t>) const override { compute(budget_); }

 private:
  const Budget& budget_;
};
std::expected<std::unique_ptr<const Priority>, std::string> endless_score(const Request& request,
                                                                          const Arguments&) {
  return std::make_unique<EndlessPriority>(*request.budget);
}

}  // namespace

TEST_CASE("the time for reading is over when a writer has waited") {
  ClusterCache cache{State::Options{}};
  const Budget whole = an_hour();
  std::jthread writer;
  {
    const ClusterCache::ReadGuard reader = cache.read();
    const auto budget = reading_time(cache, &whole, milliseconds(0));
    CHECK_FALSE(budget->is_over());
    CHECK(cache.writer_waits() == milliseconds(0));
    writer = std::jthread([&] { cache.write([](State&) {}); });
    while (!budget->is_over()) std::this_thread::yield();
    CHECK(cache.writer_waits() > milliseconds(0));
  }
  writer.join();
  CHECK(cache.writer_waits() == milliseconds(0));
  CHECK_FALSE(whole.is_over());
  CHECK_FALSE(reading_time(cache, &whole, milliseconds(0))->is_over());
}

TEST_CASE("the time for reading is over with the whole, and is unlimited with it") {
  ClusterCache cache{State::Options{}};
  const Budget over(std::chrono::steady_clock::now() - milliseconds(1));
  CHECK(reading_time(cache, &over)->is_over());
  CHECK(reading_time(cache, nullptr) == nullptr);
}

TEST_CASE("a call that waits, and does not compute, is not ended for a writer") {
  ClusterCache cache{State::Options{}};
  const Budget whole = an_hour();
  std::jthread writer;
  const ClusterCache::ReadGuard reader = cache.read();
  const auto budget = reading_time(cache, &whole, milliseconds(200));
  writer = std::jthread([&] { cache.write([](State&) {}); });
  while (cache.writer_waits() < milliseconds(500)) {
    CHECK_FALSE(budget->is_over());
    std::this_thread::sleep_for(milliseconds(20));
  }
}

TEST_CASE("calls of an hour make way for a watch event") {
  std::vector<RuleSet> rules(1);
  rules[0].predicates = {{"Endless", &endless, {}}};
  rules[0].priorities = {{"Endless", &endless_score, {}}};
  const auto cache = cache_of_size(3);
  Workers workers{1};
  const Engines engines{rules, workers};
  Metrics metrics{"", ""};
  ExtenderOptions options;
  options.request_timeout = hours(1);
  Extender extender(active_config_of(*cache, engines, metrics), metrics, options);

  const std::string names = args_with_names({"n0", "n1"});
  const std::pair<const char*, std::string> calls[] = {
      {"/filter", names},
      {"/prioritize", names},
      {"/explain", names},
      {"/preempt", R"({"Pod":{"metadata":{"name":"p"}},"NodeNameToMetaVictims":{"n0":{"Pods":[]}}})"}};
  std::vector<int> statuses(std::size(calls));
  std::vector<std::jthread> callers;
  for (std::size_t i = 0; i < std::size(calls); ++i)
    callers.emplace_back([&, i] {
      http::Request request{.method = "POST",
                            .path = calls[i].first,
                            .content_type = "application/json",
                            .body = calls[i].second};
      http::Response response;
      extender.handle(request, response);
      statuses[i] = response.status;
    });
  // Events come until every call has made way: a call may begin after the first.
  std::jthread events([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      cache->write([](State&) {});
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  callers.clear();
  CHECK(statuses[0] == 503);
  CHECK(statuses[1] == 503);
  CHECK(statuses[2] == 503);
  CHECK((statuses[3] == 503 || statuses[3] == 200));  // What was judged in time is answered.
}

}  // namespace winnow::test
