#include "cluster/lease/leader_election.h"

#include <exception>
#include <random>
#include <utility>

namespace winnow::live {
namespace {

/// The wait after a step that has thrown. The shortest retry period of use is not shorter.
constexpr std::chrono::seconds kAfterFailure{1};

}  // namespace

LeaderElection::LeaderElection(ApiServers& servers, ApiTransport& transport, Clock& clock,
                               LeaderElectionOptions options, LeaderElectionObserver& observer)
    : clock_(clock),
      elector_(servers, transport, clock, std::move(options), observer, std::random_device{}()) {}

void LeaderElection::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) clock_.sleep(step(stop), stop);
    try {
      elector_.release();
    } catch (const std::exception&) {  // Out of memory: the Lease ends by itself.
    }
  });
}

Clock::Duration LeaderElection::step(const std::stop_token& stop) {
  try {
    return elector_.step(stop);
  } catch (const std::exception&) {  // Out of memory. A lead that cannot be renewed ends by its deadline.
    return kAfterFailure;
  }
}

void LeaderElection::stop() {
  elector_.abdicate();
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace winnow::live
