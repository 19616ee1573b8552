// The log, one line for each event, and the rate of lines that others can cause.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <format>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/mutex.h"
#include "cluster/text/characters.h"

namespace winnow {

/// Limits lines of one kind: kAtOnce of them, and then one in each kEvery. After kEvery without any, the
/// count begins anew. Thread-safe.
class LogRate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr unsigned kAtOnce = 10;
  static constexpr std::chrono::seconds kEvery{10};

  /// @return nothing if the line is to be left out; else the number of lines left out since the last one.
  std::optional<std::uint64_t> next(Time now) {
    const MutexLock lock(mutex_);
    if (now - last_ >= kEvery) written_ = 0;
    const bool may_write = written_ < kAtOnce;
    if (!may_write) {
      ++left_out_;
      return std::nullopt;
    }
    // One line a period follows a burst.
    written_ = left_out_ > 0 ? kAtOnce : written_ + 1;
    last_ = now;
    return std::exchange(left_out_, 0);
  }

 private:
  Mutex mutex_;
  Time last_ WINNOW_GUARDED_BY(mutex_){};  ///< Of the last line written.
  unsigned written_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::uint64_t left_out_ WINNOW_GUARDED_BY(mutex_) = 0;
};

// The log: one line for each event, on stderr. As text it is logfmt, else a JSON object:
//
//   time=2026-01-31T12:00:00.000123Z level=info msg="rules loaded" file=policy.yaml predicates=7
//   {"ts":1769860800000.123,"level":"info","msg":"rules loaded","file":"policy.yaml","predicates":7}
//
// In logfmt a value is quoted when it is empty or has a character outside a small safe set, such as a space
// or '='. In both, line ends, terminal control characters and characters that change the text's direction are
// escaped. So a pod's name cannot forge an event.

enum class LogLevel : std::uint8_t { kInfo, kWarn, kError };

/// How lines are written (--logging-format).
enum class LogFormat : std::uint8_t { kText, kJson };

/// The longest text of a field, and of a message, in bytes. More is cut.
inline constexpr std::size_t kMostFieldBytes = 4096;

/// One key=value pair. The key is a literal of [a-z0-9_], never text from outside.
struct LogField {
  LogField(std::string_view key_, std::string_view text)
      : key(key_), value(utf8_shortened(text, kMostFieldBytes)) {}
  LogField(std::string_view key_, const char* text) : LogField(key_, std::string_view(text)) {}
  LogField(std::string_view key_, const std::string& text) : LogField(key_, std::string_view(text)) {}
  LogField(std::string_view key_, bool truth) : key(key_), value(truth ? "true" : "false"), is_json(true) {}
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  LogField(std::string_view key_, Number number)
      : key(key_), value(std::format("{}", number)), is_json(number - number == Number{}) {}

  std::string_view key;
  std::string value;
  bool is_json = false;  ///< Whether `value` is a JSON value as it is: a finite number, or a truth.
};
using LogFields = std::initializer_list<LogField>;

/// Sets the verbosity (--v), which log_enabled() compares with, and the format of later lines. Until then
/// they are 0 and text. Below 0 no information is logged, below -1 errors alone. Any thread may
/// call it.
void log_init(int verbosity, LogFormat format = LogFormat::kText);
/// Whether details of this verbosity are logged. Call it before building expensive fields. Any thread may.
bool log_enabled(int verbosity);

/// While it lives, lines are written by a thread of its own: who logs never waits for who reads stderr. Lines
/// that find no room are dropped and counted (LogQueue). One lives at a time. Without it each line is written
/// at once.
class LogThread {
 public:
  /// The longest time that the end of the process waits for lines to be read.
  static constexpr std::chrono::milliseconds kFlush{1000};

  /// May throw std::system_error: there is no thread to be had.
  LogThread();
  /// Waits for at most kFlush until what was logged is written.
  ~LogThread();
  LogThread(const LogThread&) = delete;
  LogThread& operator=(const LogThread&) = delete;
};

/// While it lives, the lines that its thread logs end in `request_id`. One lives at a time in a thread.
class LogRequestId {
 public:
  /// @param id  outlives this.
  explicit LogRequestId(std::string_view id);
  ~LogRequestId();
  LogRequestId(const LogRequestId&) = delete;
  LogRequestId& operator=(const LogRequestId&) = delete;
};

/// Waits until the lines so far are written, for at most LogThread::kFlush: something else is to follow them.
void log_flush();
/// The number of lines that were dropped.
std::uint64_t log_lines_dropped();

/// Each writes one whole line at once, with the fields in the order given. Any thread may call them. A failed
/// write to stderr is ignored.
void log_info(std::string_view message, LogFields fields = {});
void log_warn(std::string_view message, LogFields fields = {});
void log_error(std::string_view message, LogFields fields = {});

/// The line that the functions above write as text, without its line end.
std::string format_log_line(std::chrono::system_clock::time_point time, LogLevel level,
                            std::string_view message, std::span<const LogField> fields);
/// The line that they write as JSON, without its line end. `ts` is in milliseconds since 1970, as Kubernetes'
/// components write it. Upstream: component-base/logs/json/json.go v1.37.0.
std::string format_json_line(std::chrono::system_clock::time_point time, LogLevel level,
                             std::string_view message, std::span<const LogField> fields);

}  // namespace winnow
