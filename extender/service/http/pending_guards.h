// The requests whose guards decide later.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>

#include "cluster/mutex.h"
#include "extender/service/http/message.h"
#include "extender/service/http/registry.h"

namespace winnow::http {

/// Keeps the entries of a server that wait for their guards, and hands them back when these have decided. A
/// guard may decide before the entry is here, and after the server has ended. Thread-safe; made by
/// std::make_shared, for an Admit keeps it alive.
class PendingGuards : public std::enable_shared_from_this<PendingGuards> {
 public:
  struct Decided {
    Registry::Entry* entry;
    std::optional<Response> refusal;
  };

  PendingGuards();
  ~PendingGuards();
  PendingGuards(const PendingGuards&) = delete;
  PendingGuards& operator=(const PendingGuards&) = delete;

  /// An eventfd that can be read while next() has something; -1: there are no descriptors left.
  int fd() const { return fd_; }

  /// Makes the Admit of the request that the entry's connection is about to answer. @param ticket  names it.
  Admit make(Registry::Entry* entry, std::uint64_t& ticket);
  /// Takes the entry, of which the caller is the owner. next() gives it to its new owner, perhaps at once.
  void keep(std::uint64_t ticket);
  /// Forgets a ticket whose entry stays with the caller. Of no ticket, 0, there is nothing to forget.
  void forget(std::uint64_t ticket);
  /// @return an entry that was decided on, which the caller owns from now on.
  std::optional<Decided> next();
  /// Forgets all entries, for they are about to be destroyed.
  void close();

 private:
  struct Waiting {
    Registry::Entry* entry;
    bool kept = false;     ///< keep() was called.
    bool decided = false;  ///< The Admit was called.
    std::optional<Response> refusal = {};
  };
  void admit(std::uint64_t ticket, std::optional<Response> refusal);
  void hand_back(std::uint64_t ticket) WINNOW_REQUIRES(mutex_);

  const int fd_;
  Mutex mutex_;
  std::uint64_t tickets_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint64_t, Waiting> waiting_ WINNOW_GUARDED_BY(mutex_);
  std::deque<Decided> decided_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow::http
