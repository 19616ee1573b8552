#include "cluster/clock.h"

#include <doctest/doctest.h>

#include <thread>

#include "tests/failing_memory.h"

namespace winnow::live::test {

using namespace std::chrono_literals;

TEST_CASE("the machine's clock") {
  Clock& clock = system_clock();
  SUBCASE("sleeps at least as long as it is told to") {
    const Clock::Time begun = clock.now();
    CHECK(clock.sleep(5ms, {}));
    CHECK(clock.now() - begun >= 5ms);
  }
  SUBCASE("a stop request cuts a sleep short, however long it is") {
    std::stop_source source;
    std::jthread stopper([&] {
      std::this_thread::sleep_for(10ms);
      source.request_stop();
    });
    CHECK_FALSE(clock.sleep(Clock::Duration::max(), source.get_token()));
  }
  SUBCASE("takes no memory: it is the pause of whoever has none") {
    std::stop_source source;
    winnow::test::fail_memory(0, 1000);
    const std::uint64_t failed = winnow::test::failed_allocations();
    {
      const winnow::test::CodeUnderTest code;
      CHECK(clock.sleep(1ms, source.get_token()));
    }
    CHECK(winnow::test::failed_allocations() == failed);
    winnow::test::mend_memory();
  }
  SUBCASE("a request made before it is seen at once") {
    std::stop_source source;
    source.request_stop();
    CHECK_FALSE(clock.sleep(1h, source.get_token()));
  }
}

}  // namespace winnow::live::test
