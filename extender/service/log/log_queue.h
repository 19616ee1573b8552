// Lines on their way to a reader who may not read.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <thread>

#include "cluster/mutex.h"

namespace winnow {

/// Writes lines from a thread of its own, in the order in which they come, so that nobody who adds one waits
/// for who reads them. Lines for which there is no room are dropped and counted. When lines are written
/// again, one says how many were dropped. Thread-safe.
class LogQueue {
 public:
  /// The most memory that waiting lines may take.
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  /// Writes one whole line. It may block. @return false: the line is lost, and counts as dropped.
  using Write = std::function<bool(const std::string& line)>;
  /// The line about so many dropped ones.
  using TellDropped = std::function<std::string(std::uint64_t dropped)>;

  LogQueue(Write write, TellDropped tell_dropped, std::size_t bytes = kBytes);
  /// Writes what waits, and returns when that is done.
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  /// Never waits for a write. @param line  with its line end.
  void add(std::string line) noexcept;
  /// Waits until the lines added so far are written or lost. @return false: the time was over before.
  bool flush(std::chrono::milliseconds longest);
  /// The number of lines that were dropped or lost.
  std::uint64_t dropped() const;

 private:
  void work();
  void write_first() WINNOW_REQUIRES(mutex_);
  void tell_dropped() WINNOW_REQUIRES(mutex_);
  bool take(std::string line) noexcept WINNOW_REQUIRES(mutex_);

  const Write write_;
  const TellDropped tell_dropped_;
  const std::size_t most_;
  mutable Mutex mutex_;
  std::condition_variable added_, written_;
  std::deque<std::string> lines_ WINNOW_GUARDED_BY(mutex_);
  std::size_t bytes_ WINNOW_GUARDED_BY(mutex_) = 0;    ///< Of the lines, with the one that is being written.
  std::uint64_t taken_ WINNOW_GUARDED_BY(mutex_) = 0;  ///< Lines that came in.
  std::uint64_t done_ WINNOW_GUARDED_BY(mutex_) = 0;   ///< Those of them that are written or lost.
  std::uint64_t dropped_ WINNOW_GUARDED_BY(mutex_) = 0;  ///< Lines that are not written, and never will be.
  std::uint64_t told_ WINNOW_GUARDED_BY(mutex_) = 0;     ///< Those of them that a line has told of.
  bool stopping_ WINNOW_GUARDED_BY(mutex_) = false;
  std::thread thread_;  ///< Last member, for it uses the others.
};

}  // namespace winnow
