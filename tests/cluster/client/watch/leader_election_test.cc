// The election's thread: what other threads see of it, while its requests hang.
#include "cluster/client/watch/leader_election.h"

#include <doctest/doctest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#include "cluster/client/servers/api_servers.h"
#include "tests/cluster/client/watch/fake_lease.h"

namespace winnow::live {
namespace {

/// Time that only the test moves. A wait ends with a stop request, or when as much has passed.
class HeldClock final : public Clock {
 public:
  Time now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }
  bool sleep(Duration duration, const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    const Time until = now_ + duration;
    ++sleeps_;
    moved_.notify_all();
    moved_.wait(lock, stop, [&] { return now_ >= until; });
    return !stop.stop_requested();
  }
  /// Until a thread sleeps: time that is moved before begins its sleep later.
  void wait_for_sleep() {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return sleeps_ > 0; });
  }
  void advance(Duration duration) {
    const std::lock_guard lock(mutex_);
    now_ += duration;
    moved_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any moved_;
  Time now_{std::chrono::hours(1)};
  int sleeps_ = 0;
};

/// Requests hang from the third one on, until they are let go or stopped. The first two find no Lease, and
/// make one.
class HangingWay final : public ApiTransport {
 public:
  explicit HangingWay(test::FakeLease& lease) : way_(lease, clock_) {}

  std::atomic<bool> no_memory = false;  ///< The next request throws.

  std::expected<ApiResponse, TransportError> call(const std::string& server, const ApiRequest& request,
                                                  std::chrono::milliseconds limit,
                                                  const std::stop_token& stop) override {
    if (no_memory.exchange(false)) throw std::bad_alloc();
    std::unique_lock lock(mutex_);
    if (++requests_ > 2) {
      changed_.notify_all();
      if (!changed_.wait(lock, stop, [&] { return let_go_; }))
        return std::unexpected(TransportError{TransportError::Kind::kStopped, "stopped"});
    }
    return way_.call(server, request, limit, stop);
  }
  std::expected<ApiResponse, TransportError> stream(const std::string&, const ApiRequest&,
                                                    std::chrono::milliseconds, std::chrono::milliseconds,
                                                    const OnPiece&, const std::stop_token&) override {
    return std::unexpected(TransportError{TransportError::Kind::kUnreachable, "no watch here"});
  }

  void wait_for_request(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return requests_ >= number; });
  }
  void let_go() {
    const std::lock_guard lock(mutex_);
    let_go_ = true;
    changed_.notify_all();
  }

 private:
  SimClock clock_;  ///< No fault asks for time.
  test::LeaseWay way_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int requests_ = 0;
  bool let_go_ = false;
};

/// Lets a test wait for the beginning of a term.
struct Waiting final : LeaderElectionObserver {
  std::atomic<std::uint64_t> term = 0;
  std::atomic<int> stopped = 0;
  void on_started_leading(std::uint64_t number) override {
    term = number;
    term.notify_all();
  }
  void on_stopped_leading(LeadEnd, const std::string&) override { ++stopped; }
  void on_new_leader(const std::string&) override {}
  void on_failure(const std::string&) override {}
};

struct ElectionBed {
  HeldClock clock;
  test::FakeLease lease;
  HangingWay way{lease};
  ApiServers servers{{"https://one"}, clock};
  Waiting observer;
  LeaderElection election{
      servers, way, clock, {.resource_namespace = "kube-system", .identity = "a"}, observer};

  void lead() {
    CHECK_FALSE(election.is_leader());
    election.start();
    observer.term.wait(0);
    clock.wait_for_sleep();
    CHECK(election.is_leader());
    CHECK(election.term() == 1);
  }
};

TEST_SUITE("leader election") {
  TEST_CASE("the leadership ends by itself, while a renewal hangs; and the renewal begins another") {
    ElectionBed bed;
    bed.lead();
    const Clock::Time until = bed.election.leads_until();
    CHECK(until == bed.clock.now() + std::chrono::seconds(10));
    bed.clock.advance(std::chrono::seconds(2));
    bed.way.wait_for_request(3);
    bed.clock.advance(std::chrono::milliseconds(7999));
    CHECK(bed.election.is_leader());
    bed.clock.advance(std::chrono::milliseconds(1));
    CHECK_FALSE(bed.election.is_leader());
    CHECK(bed.election.leads_until() == until);
    CHECK(bed.observer.stopped == 0);  // Its thread still waits for the answer.
    bed.way.let_go();
    bed.observer.term.wait(1);
    CHECK(bed.election.term() == 2);
    CHECK(bed.observer.stopped == 1);
    bed.election.stop();
    CHECK(bed.lease.spec.contains(R"("holderIdentity":"")"));
  }

  TEST_CASE("stop ends a renewal that hangs, and the leadership with it") {
    ElectionBed bed;
    bed.lead();
    bed.clock.advance(std::chrono::seconds(2));
    bed.way.wait_for_request(3);
    const std::jthread server([&] {
      bed.way.wait_for_request(4);  // To give it back, the Lease is read.
      bed.way.let_go();
    });
    bed.election.stop();
    CHECK_FALSE(bed.election.is_leader());
    CHECK(bed.observer.stopped == 1);
    CHECK(bed.lease.spec.contains(R"("holderIdentity":"")"));
    bed.election.stop();
  }

  TEST_CASE("an election goes on after a step that throws, as for want of memory") {
    ElectionBed bed;
    bed.way.let_go();  // The lead may be over before it is seen here: then it is renewed.
    bed.way.no_memory = true;
    bed.election.start();
    while (bed.observer.term == 0) {
      bed.clock.advance(std::chrono::milliseconds(100));
      std::this_thread::yield();
    }
    CHECK_FALSE(bed.way.no_memory);
    bed.way.no_memory = true;
    bed.election.stop();  // The Lease cannot be given back.
    CHECK_FALSE(bed.election.is_leader());
  }

  TEST_CASE("an election that never began ends without a request") {
    ElectionBed bed;
    bed.election.stop();
    CHECK_FALSE(bed.lease.exists);
  }
}

}  // namespace
}  // namespace winnow::live
