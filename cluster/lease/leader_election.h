// Leader election: of several replicas one leads, by a Lease, as client-go's leader election has it.
//
// cluster/lease has the Lease (lease.h), the options (election_options.h), the candidate (elector.h), and
// here its thread. The idea: whoever holds the Lease writes to it again and again. A candidate takes over
// when it has seen no write for the lease's duration, by its own clock. The leader ceases to lead earlier
// than that, by its own clock too, if its writes fail.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>

#include "cluster/lease/elector.h"

namespace winnow::live {

/// Takes part in an election, in a thread of its own. Whoever acts as the leader asks term() before each act,
/// and gives each act leads_until() as its deadline: then nothing is done after the leadership may be lost.
/// Thread-safe, but start() and stop() are one thread's.
class LeaderElection {
 public:
  /// All references outlive this. @param options  without a problem_of().
  LeaderElection(ApiServers& servers, ApiTransport& transport, Clock& clock, LeaderElectionOptions options,
                 LeaderElectionObserver& observer);
  /// Does what stop() does.
  ~LeaderElection() { stop(); }
  LeaderElection(const LeaderElection&) = delete;
  LeaderElection& operator=(const LeaderElection&) = delete;

  /// Begins to take part; called once. The observer is called by the thread that begins here.
  void start();
  /// Leads no more from here on, gives the Lease back for others to take at once, and ends the thread. Blocks
  /// for as long as that lasts, at most the renew deadline. All acts of the leader have ended before it is
  /// called.
  void stop();

  /// Whether this process leads now: it turns false at leads_until(), even while a request hangs.
  bool is_leader() const { return term() != 0; }
  /// The number of times that this process has begun to lead, counted from 1; 0: it does not lead now. Who
  /// sees another number than before has not led all the time in between.
  std::uint64_t term() const { return elector_.term(); }
  /// The time at which the leadership ends if nothing renews it; in the past: it has ended.
  Clock::Time leads_until() const { return elector_.leads_until(); }
  /// The identity that holds the Lease, as this process has last seen; "": nobody, or not seen yet.
  std::string holder() const { return elector_.holder(); }

 private:
  Clock::Duration step(const std::stop_token& stop);

  Clock& clock_;
  Elector elector_;
  std::jthread thread_;
};

}  // namespace winnow::live
