// Which thread owns which connection, and until when each may wait.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extender/http/connection.h"

namespace winnow::http {

/// Thread safe. A connection is either parked (armed in epoll for one event) or owned by the one thread that
/// claimed it; only the owner touches it, parks it or removes it. Events name a connection by an id that is
/// never used again, so one that comes too late finds nothing.
class Registry {
 public:
  struct Entry {
    Entry(std::unique_ptr<Transport> transport, std::string remote, const Limits& limits, Tally& tally)
        : connection(std::move(transport), std::move(remote), limits, tally) {}
    Connection connection;

   private:
    friend class Registry;
    std::uint64_t id_ = 0;
    bool owned_ = true;
    bool armed_before_ = false;
    bool idle_ = false;  // as of the last park()
    std::list<Entry*>* list_ = nullptr;
    Clock::time_point timer_ = kNever;
    std::list<Entry*>::iterator place_;
  };
  struct Expired {
    std::vector<Entry*> entries;  ///< claimed
    bool alarm = false;           ///< the one of set_alarm()
  };
  static constexpr std::uint64_t kFirstId = 16;  ///< lower ones are the caller's, in the same epoll set

  /// @param epoll_fd, timer_fd (CLOCK_MONOTONIC, in that epoll set) are the caller's.
  Registry(int epoll_fd, int timer_fd) : epoll_fd_(epoll_fd), timer_fd_(timer_fd) {}

  /// @return the entry, owned by the caller.
  Entry* add(std::unique_ptr<Entry> entry);
  /// @return nothing when it is gone or has an owner.
  Entry* claim(std::uint64_t id);
  /// Gives the entry up until it can be read (written), or its deadline; closes it instead when the registry
  /// is draining and it is idle. The caller must not touch it after this.
  void park(Entry* entry, bool for_write);
  void remove(Entry* entry);

  /// Closes a connection to make room: of those that have not brought one whole request yet, idle or
  /// dripping, the one that has been quiet longest, so that a flood of them only evicts itself; failing
  /// these, the one that has been idle longest. @return false when there is neither.
  bool evict();
  /// Claims what is due now.
  Expired take_expired();
  /// Makes a take_expired() say `alarm` at about that time.
  void set_alarm(Clock::time_point when);

  /// Closes what is idle, now and from now on, unless something has come in that was not read yet.
  void drain();
  /// @return false at the deadline, when connections are left.
  bool wait_empty(Clock::time_point deadline);
  /// With no threads left.
  void clear();

  std::size_t size() const;
  std::size_t idle() const;

 private:
  using Owned = std::unique_ptr<Entry>;
  Owned extract(Entry* entry);
  void take(Entry& entry);
  void move_to(std::list<Entry*>& list, Entry& entry);
  void set_timer(Entry& entry);
  void program_timer();

  const int epoll_fd_;
  const int timer_fd_;
  mutable std::mutex mutex_;
  std::condition_variable emptied_;
  std::unordered_map<std::uint64_t, Owned> entries_;
  // Every entry is in one of these, the one that has been there longest first.
  std::list<Entry*> unproven_;  // parked, no request served yet
  std::list<Entry*> idle_;      // parked between requests
  std::list<Entry*> busy_;      // all others
  std::size_t idle_count_ = 0;
  std::set<std::pair<Clock::time_point, std::uint64_t>> timers_;
  Clock::time_point programmed_ = kNever;
  std::uint64_t next_id_ = kFirstId;
  bool draining_ = false;
};

}  // namespace winnow::http
