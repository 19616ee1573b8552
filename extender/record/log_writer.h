// The files of a recording, written by a thread of their own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "cluster/mutex.h"
#include "cluster/text/gzip_lines.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// A line of a recording, and what it does to the lines that stand. A line stands until another takes its
/// key: the lines that stand are what a later file must begin with.
struct LogLine {
  enum class Effect : std::uint8_t {
    kNothing,  ///< Calls and answers: nobody needs it later.
    kStands,   ///< It takes the place of the line with its key.
    kEnds,     ///< It ends the lines whose keys are `key` and `other_key`.
    kEndsAll,  ///< It ends all lines whose keys begin with `key`.
  };
  std::string text;
  Effect effect = Effect::kNothing;
  std::string key = {};
  std::string other_key = {};
  /// Of lines that stand, these come first in a later file, in the order in which their keys came up.
  bool leads = false;
};

/// Writes lines into files of a directory, in the order of add(). When a file is full the next begins with
/// its head and with all lines that stand, so that it can be read without the ones before. The oldest files
/// are removed when all together are too large. Thread-safe.
///
/// A line that cannot be kept ends the recording, because what follows would not be true: the queue is full,
/// or a file cannot be written. The last line of the file then says why, if that can be written.
class LogWriter {
 public:
  struct Options {
    std::string dir;
    std::size_t most_bytes = 0;             ///< Of all files together.
    std::size_t most_queued = 256UL << 20;  ///< Bytes that wait for the thread.
    std::size_t files = 8;                  ///< A file has an equal part of most_bytes.
  };
  /// The first line of a file, by its number.
  using Head = std::function<std::string(std::uint64_t number)>;

  /// Makes the directory and the first file. @return the writer, or the error in one line.
  static std::expected<std::unique_ptr<LogWriter>, std::string> open(Options options, Head head);
  /// Writes what is queued, and ends the file.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void add(LogLine line) noexcept;
  /// Ends the recording for that reason.
  void give_up(const std::string& why) noexcept;
  /// Waits until less than half of the queue is used, for a second at most.
  void make_room();
  /// Why the recording has ended; "": it goes on.
  std::string ended() const;
  /// Lines so far, and those that came after the recording had ended early. Both only grow.
  std::uint64_t lines() const;
  std::uint64_t lost_lines() const;

 private:
  struct Standing {
    std::uint64_t line = 0;   ///< Its number in the current file.
    std::uint64_t order = 0;  ///< When its key came up.
    bool leads = false;
  };
  using Stands = std::unordered_map<std::string, Standing, TextHash, std::equal_to<>>;

  LogWriter(Options options, Head head, std::uint64_t number, std::unique_ptr<GzipWriter> file);
  void run();
  void write(LogLine line);
  void note(const LogLine& line);
  std::string put(std::string_view text);
  void rotate();
  std::string copy_standing(const std::string& from);
  std::string copy_leading(const std::string& from);
  std::string copy_others(const std::string& from);
  void end_file(std::string_view why, bool has_next);
  void remove_oldest();
  bool is_full() const;
  const Options options_;
  const Head head_;

  mutable Mutex mutex_;
  std::condition_variable queued_, taken_;
  std::deque<LogLine> queue_ WINNOW_GUARDED_BY(mutex_);
  std::size_t queued_bytes_ WINNOW_GUARDED_BY(mutex_) = 0;
  bool ending_ WINNOW_GUARDED_BY(mutex_) = false;
  std::string ended_ WINNOW_GUARDED_BY(mutex_);
  std::uint64_t added_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t lost_ WINNOW_GUARDED_BY(mutex_) = 0;

  // The thread's own.
  std::size_t unflushed_ = 0;  ///< Bytes of text behind the last flush.
  std::uint64_t number_;       ///< Of the current file.
  std::unique_ptr<GzipWriter> file_;
  std::uint64_t lines_ = 0;      ///< In the current file.
  std::size_t first_bytes_ = 0;  ///< Of the lines that the current file begins with.
  std::uint64_t next_order_ = 0;
  Stands stands_;
  std::thread thread_;
};

/// The file of that number in a recording's directory.
std::string log_file(const std::string& dir, std::uint64_t number);
/// The number of a file by its name without directories; 0: it is none of a recording.
std::uint64_t log_file_number(std::string_view name);

}  // namespace winnow
