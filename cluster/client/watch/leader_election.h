// Leader election by a Lease, as client-go's has it: one candidate, try by try, and its thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>

#include "cluster/client/watch/lease.h"
#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

class ApiServers;
class ApiTransport;
struct ApiRequest;

/// How a leadership has ended.
enum class LeadEnd : std::uint8_t {
  kLost,       ///< Time has run out, or somebody else holds the Lease.
  kGivenBack,  ///< By this process, in good order.
};

/// Is told what a candidate goes through, by the thread that calls it. Functions return soon.
class LeaderElectionObserver {
 public:
  virtual ~LeaderElectionObserver() = default;
  /// This process leads. @param term  as Elector::term().
  virtual void on_started_leading(std::uint64_t term) = 0;
  /// It leads no more. @param why  one line. May come later than term() is 0: a request may hang.
  virtual void on_stopped_leading(LeadEnd end, const std::string& why) = 0;
  /// The Lease has another holder than before, this process included; "": none.
  virtual void on_new_leader(const std::string& identity) = 0;
  /// A try has failed, other than by somebody else's holding the Lease. @param error  one line.
  virtual void on_failure(const std::string& error) = 0;
};

/// Takes a Lease, and renews it. One thread calls step() and release(). Any thread asks the others.
///
/// A leader leads until the renew deadline after the moment at which it has sent its last good renewal, by
/// its own clock. A candidate takes the Lease when its record has not changed for its duration, by the
/// candidate's clock. As the deadline is the shorter one, never do two lead, whatever the clocks of their
/// machines show; unless somebody deletes the Lease: then for one retry period. The times in the record are
/// not read.
///
/// Upstream: client-go tools/leaderelection/leaderelection.go and resourcelock/leaselock.go v0.37.0. There a
/// leader leads for one retry period longer, and who gives a Lease back does not look whether it is still its
/// own.
class Elector {
 public:
  using Wall = std::function<std::chrono::system_clock::time_point()>;

  /// References outlive this. @param options  without a problem_of(). @param seed  of the waits.
  /// @param wall  the time that is written into the record.
  Elector(ApiServers& servers, ApiTransport& transport, Clock& clock, LeaderElectionOptions options,
          LeaderElectionObserver& observer, std::uint64_t seed, Wall wall = std::chrono::system_clock::now);

  /// Tries once to take or renew the Lease. @return how long to wait before the next step.
  Clock::Duration step(const std::stop_token& stop);
  /// Ends the leadership for good, and gives the Lease back for others to take at once. Blocks for the renew
  /// deadline at most.
  void release();

  /// Ends the leadership for good, without a request. Any thread.
  void abdicate();
  /// The number of times that this process has begun to lead, counted from 1; 0: it does not lead now.
  std::uint64_t term() const;
  Clock::Time leads_until() const;  ///< In the past: it does not lead. A deadline may be made of it.
  std::string holder() const;       ///< As last seen; "": nobody, or not seen yet.

 private:
  /// In the past, and far from the end of the clock's numbers.
  static constexpr Clock::Time kNever{};
  /// Why a request has failed.
  struct Failed {
    int status = 0;  ///< 0: no answer.
    std::string error;
  };
  using Written = std::expected<void, Failed>;

  using Write = Written (Elector::*)(const LeaseRecord& record, const std::stop_token& stop);

  void take_or_renew(const std::stop_token& stop);
  bool renew_at_once(const std::stop_token& stop);
  void take(LeaseRecord record, const std::stop_token& stop);
  void write(Write how, const LeaseRecord& record, const std::stop_token& stop);
  LeaseRecord record_of_now() const;

  std::expected<Lease, Failed> ask(const ApiRequest& request, std::chrono::milliseconds limit,
                                   const std::stop_token& stop);
  std::expected<Lease, Failed> get(std::chrono::milliseconds limit, const std::stop_token& stop);
  Written create(const LeaseRecord& record, const std::stop_token& stop);
  Written update(const LeaseRecord& record, const std::stop_token& stop);
  Written update_within(std::chrono::milliseconds limit, const LeaseRecord& record,
                        const std::stop_token& stop);
  Written written_as(const LeaseRecord& record, std::expected<Lease, Failed> answer);
  void failed(const Failed& failure, const std::stop_token& stop);

  void see(const LeaseRecord& record);
  bool is_ours() const { return seen_ && seen_->holder == options_.identity; }
  bool is_valid(Clock::Time now) const;
  void lead(Clock::Time sent);
  void lose(const std::string& why);
  void note_lapse();
  void report_holder();
  Clock::Duration wait_of_candidate();

  ApiServers& servers_;
  ApiTransport& transport_;
  Clock& clock_;
  const LeaderElectionOptions options_;
  LeaderElectionObserver& observer_;
  const Wall wall_;
  const std::string path_;                 ///< Of all Leases of the namespace.
  const std::chrono::milliseconds limit_;  ///< For one request.
  std::mt19937_64 random_;

  std::optional<LeaseRecord> seen_;  ///< As last read or written.
  Clock::Time seen_at_{};            ///< : when its record was first seen as it is.
  std::string metadata_;             ///< As last read or written.
  std::string reported_holder_;
  bool leading_ = false;  ///< The observer has been told so.

  mutable Mutex mutex_;
  std::string holder_ WINNOW_GUARDED_BY(mutex_);
  std::uint64_t terms_ WINNOW_GUARDED_BY(mutex_) = 0;
  Clock::Time until_ WINNOW_GUARDED_BY(mutex_) = kNever;
  bool abdicated_ WINNOW_GUARDED_BY(mutex_) = false;
};

// Leader election: of several replicas one leads, by a Lease, as client-go's leader election has it.
//
// The Lease and the options of an election are in lease.h. The candidate is above,
// and here its thread. The idea: whoever holds the Lease writes to it again and again. A candidate takes over
// when it has seen no write for the lease's duration, by its own clock. The leader ceases to lead earlier
// than that, by its own clock too, if its writes fail.

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
