// The registry of open connections: their owning threads, their deadlines, and their arming in epoll.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/mutex.h"
#include "extender/service/http/connection.h"

namespace winnow::http {

/// All open connections of a server. Thread-safe.
///
/// A connection is either parked (armed in epoll for one event) or owned by the thread that claimed it. Only
/// the owner uses it, parks it or removes it. Events name a connection by an id that is never used again, so
/// that a late event finds nothing.
class Registry {
 public:
  struct Entry {
    Entry(std::unique_ptr<Transport> transport, std::string remote, const Limits& limits, Tally& tally,
          const Guard* guard)
        : connection(std::move(transport), std::move(remote), limits, tally, guard) {}
    Connection connection;

   private:
    friend class Registry;
    std::uint64_t id_ = 0;
    bool owned_ = true;
    bool armed_before_ = false;
    bool idle_ = false;  // as of the last park()
    bool unproven_ = true;
    std::list<Entry*>* list_ = nullptr;
    Clock::time_point timer_ = kNever;
    std::list<Entry*>::iterator place_;
  };
  struct Expired {
    std::vector<Entry*> entries;  ///< claimed
    bool alarm = false;           ///< the time of set_alarm() has come
  };
  /// Lower ids are for the caller's own descriptors in the same epoll set.
  static constexpr std::uint64_t kFirstId = 16;

  /// @param epoll_fd, timer_fd are the caller's and outlive this. The timer uses CLOCK_MONOTONIC and is in
  /// the epoll set.
  Registry(int epoll_fd, int timer_fd) : epoll_fd_(epoll_fd), timer_fd_(timer_fd) {}

  /// @return the entry, owned by the caller.
  Entry* add(std::unique_ptr<Entry> entry);
  /// Makes the calling thread the owner. @return null when the connection is gone or has an owner.
  Entry* claim(std::uint64_t id);
  /// Ends the ownership, and arms the connection in epoll for reading or writing. While the registry is
  /// draining, an idle connection is closed instead. The caller must not use the entry afterwards.
  void park(Entry* entry, bool for_write);
  /// Closes a connection that the caller owns.
  void remove(Entry* entry);

  /// Closes a parked connection to make room. Connections that have not yet brought a whole request go
  /// first, such as those in their handshake, the oldest before the others: a flood of them evicts only
  /// itself, and a byte now and then makes none younger. If there is none, the connection idle longest goes.
  /// @return false when no connection can be closed.
  bool evict();
  /// Claims the parked connections whose deadline has passed.
  Expired take_expired();
  /// Makes a later take_expired() report `alarm`, at about that time.
  void set_alarm(Clock::time_point when);

  /// Closes idle connections, now and whenever one is parked, unless unread input waits in the socket.
  void drain();
  /// Waits until no connection is open. @return false: the deadline has passed before.
  bool wait_empty(Clock::time_point deadline);
  /// Closes all connections. Called when no thread uses the registry any more.
  void clear();

  std::size_t size() const;
  std::size_t idle() const;

 private:
  using Owned = std::unique_ptr<Entry>;
  Owned extract(Entry* entry) WINNOW_REQUIRES(mutex_);
  void take(Entry& entry) WINNOW_REQUIRES(mutex_);
  void move_to(std::list<Entry*>& list, Entry& entry) WINNOW_REQUIRES(mutex_);
  void forget_unproven(Entry& entry) WINNOW_REQUIRES(mutex_);
  void set_timer(Entry& entry) WINNOW_REQUIRES(mutex_);
  void program_timer() WINNOW_REQUIRES(mutex_);

  const int epoll_fd_;
  const int timer_fd_;
  mutable Mutex mutex_;
  std::condition_variable emptied_;
  std::unordered_map<std::uint64_t, Owned> entries_ WINNOW_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Entry*> unproven_ WINNOW_GUARDED_BY(mutex_);  // no request served yet; by age
  // Each entry is in one of these lists; the one that has been there longest comes first.
  std::list<Entry*> idle_ WINNOW_GUARDED_BY(mutex_);  // parked between requests
  std::list<Entry*> busy_ WINNOW_GUARDED_BY(mutex_);  // all others
  std::size_t idle_count_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::set<std::pair<Clock::time_point, std::uint64_t>> timers_ WINNOW_GUARDED_BY(mutex_);
  Clock::time_point programmed_ WINNOW_GUARDED_BY(mutex_) = kNever;
  std::uint64_t next_id_ WINNOW_GUARDED_BY(mutex_) = kFirstId;
  bool draining_ WINNOW_GUARDED_BY(mutex_) = false;
};

}  // namespace winnow::http
