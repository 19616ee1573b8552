// The log: one line an event, to stderr, in logfmt.
//
//   time=2026-01-31T12:00:00.000123Z level=info msg="rules loaded" file=policy.yaml predicates=7
//
// A value is quoted where a reader could mistake it (spaces, quotes, '=', nothing at all), and whatever could
// end a line, steer a terminal or turn the direction of text is escaped: a pod's name cannot forge an event.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <format>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace winnow {

enum class LogLevel : std::uint8_t { kInfo, kWarn, kError };

/// key=value. The key is the program's own: a literal of [a-z0-9_].
struct LogField {
  LogField(std::string_view key_, std::string_view text) : key(key_), value(text) {}
  LogField(std::string_view key_, const char* text) : key(key_), value(text) {}
  LogField(std::string_view key_, const std::string& text) : key(key_), value(text) {}
  LogField(std::string_view key_, bool truth) : key(key_), value(truth ? "true" : "false") {}
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  LogField(std::string_view key_, Number number) : key(key_), value(std::format("{}", number)) {}

  std::string_view key;
  std::string value;
};
using LogFields = std::initializer_list<LogField>;

/// Sets how much is logged (--v): what is guarded by log_enabled(v) for v up to `verbosity`. 0 until called.
/// Any thread.
void log_init(int verbosity);
/// Whether details of that level are wanted; ask before making fields that cost something. Any thread.
bool log_enabled(int verbosity);

/// Write one line each, whole, at once; fields in the order given. Any thread. A stderr that cannot be
/// written to is not an error.
void log_info(std::string_view message, LogFields fields = {});
void log_warn(std::string_view message, LogFields fields = {});
void log_error(std::string_view message, LogFields fields = {});

/// The line that these write, without its end.
std::string format_log_line(std::chrono::system_clock::time_point time, LogLevel level,
                            std::string_view message, std::span<const LogField> fields);

}  // namespace winnow
