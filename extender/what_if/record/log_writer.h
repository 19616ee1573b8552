// The files of a recording, written by a thread of their own.
#pragma once

#include <atomic>
#include <chrono>
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
  /// Where a line that stands comes in a later file.
  enum class Place : std::uint8_t {
    kFirst,    ///< Before others, in the order of the lines.
    kInOrder,  ///< Next, in the order in which their keys came up. Their texts are in memory for a moment.
    kBehind,   ///< Last, in the order of the lines.
  };
  std::string text;
  Effect effect = Effect::kNothing;
  std::string key = {};
  std::string other_key = {};
  Place place = Place::kBehind;
};

/// Writes lines into files of a directory, in the order of add(). When a file is full the next begins with
/// its head and with all lines that stand, so that it can be read without the ones before. The oldest files
/// are removed so that all together stay within a size. Thread-safe.
///
/// A file that somebody removes, moves or cuts short while it is written is noticed when lines are flushed:
/// the next file begins then, with all that stands.
///
/// A line that cannot be kept ends the recording, because what follows would not be true: the queue is full,
/// a file cannot be written, or what stands has no room. The last line of the file then says why, if that can
/// be written.
class LogWriter {
 public:
  struct Options {
    std::string dir;
    std::size_t most_bytes = 0;                    ///< Of all files together, those of earlier processes too.
    std::size_t most_queued = 256UL << 20;         ///< Bytes of memory of the lines that wait for the thread.
    std::size_t files = 8;                         ///< A file has an equal part of most_bytes.
    std::chrono::milliseconds longest_wait{1000};  ///< Of make_room().
    // For tests: how a file is made, and the time after which lines are flushed.
    std::function<int(const std::string& path)> make = make_file;
    std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
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
  /// Ends the recording for that reason, of which the first bytes are kept.
  void give_up(std::string_view why) noexcept;
  /// Waits until less than half of the queue is used. If that takes longer than `longest_wait`, it returns,
  /// and so does each call that follows: until the queue has been below half again.
  void make_room();
  /// The same, however long it takes.
  void wait_for_room();
  /// How often a wait of make_room() was given up.
  std::uint64_t stalls() const;

  /// Whether the recording has ended early. True for ever, once true.
  bool is_over() const noexcept { return over_; }
  /// Why it has; "": it goes on.
  std::string ended() const;
  /// Lines that the thread has not taken yet.
  std::size_t waiting() const;
  /// Lines so far, and those that are lost: they came after the recording had ended early, or were in a file
  /// that is gone. Both only grow.
  std::uint64_t lines() const;
  std::uint64_t lost_lines() const { return lost_; }
  /// Counts lines that nobody has made, because the recording is over.
  void lose(std::uint64_t lines) noexcept { lost_ += lines; }

 private:
  struct Standing {
    std::uint64_t line = 0;   ///< Its number in the current file.
    std::uint64_t order = 0;  ///< When its key came up.
    LogLine::Place place = LogLine::Place::kBehind;
  };
  using Stands = std::unordered_map<std::string, Standing, TextHash, std::equal_to<>>;
  struct OldFile {
    std::uint64_t number = 0;
    std::uintmax_t bytes = 0;
  };
  enum class Taken : std::uint8_t { kLine, kTime, kEnd };

  LogWriter(Options options, Head head);
  static std::deque<OldFile> files_in(const std::string& dir);
  std::size_t part() const { return options_.most_bytes / options_.files; }
  std::string file() const;
  void end_for(std::string_view why) noexcept WINNOW_REQUIRES(mutex_);
  void run();
  Taken take(LogLine& line);
  void write(const LogLine& line) noexcept;
  void note(const LogLine& line);
  std::string put(std::string_view text);
  std::string flush();
  std::string flush_if_due();
  std::string look_after_file();
  std::string begin_anew();
  std::string keep_size();
  bool is_full() const;
  std::string begin_file();
  std::string end_file(std::string_view why, bool has_next);
  bool fail(std::string_view why) noexcept;
  template <class Work>
  void attempt(const Work& work) noexcept;
  std::string rotate();
  std::string go_on_behind(const std::string& from);
  std::string begin_next(const std::string& from);
  std::string copy_standing(const std::string& from);
  bool remove_oldest();
  const Options options_;
  const Head head_;
  const std::string too_much_;  ///< Made beforehand: memory may be short.

  mutable Mutex mutex_;
  std::condition_variable queued_, taken_;
  std::deque<LogLine> queue_ WINNOW_GUARDED_BY(mutex_);
  std::size_t queued_bytes_ WINNOW_GUARDED_BY(mutex_) = 0;  ///< With the line that is being written.
  bool stalled_ WINNOW_GUARDED_BY(mutex_) = false;          ///< A wait was given up.
  std::uint64_t stalls_ WINNOW_GUARDED_BY(mutex_) = 0;
  bool ending_ WINNOW_GUARDED_BY(mutex_) = false;
  std::string ended_ WINNOW_GUARDED_BY(mutex_);  ///< It never allocates.
  std::uint64_t added_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> over_ = false;
  std::atomic<std::uint64_t> lost_ = 0;

  // The thread's own.
  std::size_t writing_ = 0;    ///< Bytes of memory of the line that is being written.
  std::size_t unflushed_ = 0;  ///< Bytes of text behind the last flush.
  std::chrono::steady_clock::time_point flushed_;
  std::deque<OldFile> older_;  ///< The files before the current one, the oldest first.
  std::uintmax_t older_bytes_ = 0;
  std::uint64_t number_ = 0;          ///< Of the current file.
  std::uint64_t copied_ = 0;          ///< Of the file that is being copied from; 0: none is.
  std::unique_ptr<GzipWriter> file_;  ///< Null: nothing can be written any more.
  std::uint64_t lines_ = 0;           ///< In the current file.
  std::uint64_t new_lines_ = 0;       ///< Of these, without those that it begins with.
  std::chrono::steady_clock::time_point looked_after_;
  std::size_t first_bytes_ = 0;  ///< Of the lines that the current file begins with.
  bool has_warned_ = false;
  std::uint64_t next_order_ = 0;
  Stands stands_;
  std::thread thread_;
};

/// The file of that number in a recording's directory.
std::string log_file(const std::string& dir, std::uint64_t number);
/// The number of a file by its name without directories; 0: it is no name that log_file() gives.
std::uint64_t log_file_number(std::string_view name);

}  // namespace winnow
