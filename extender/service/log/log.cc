#include "extender/service/log/log.h"

#include <poll.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "extender/service/log/log_format.h"
#include "extender/service/log/log_queue.h"

namespace winnow {
namespace {

std::atomic<int> verbosity_wanted{0};
std::atomic<LogFormat> format_wanted{LogFormat::kText};

// The logger is never destroyed, because threads may log while the program ends.
spdlog::logger& logger() {
  static spdlog::logger* const instance = [] {
    auto made = std::make_unique<spdlog::logger>("winnow", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    // spdlog reports its own errors, such as a failed write, in lines that are not logfmt. They are dropped.
    made->set_error_handler([](const std::string&) {});
    return made.release();
  }();
  return *instance;
}

std::string_view name(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  std::unreachable();
}

thread_local std::string_view request_id;  // Of the call that the thread answers; "": none.

std::string format_line(LogLevel level, std::string_view message, LogFields given) {
  std::vector<LogField> fields(given);
  if (!request_id.empty()) fields.emplace_back("request_id", request_id);
  const bool json = format_wanted.load(std::memory_order_relaxed) == LogFormat::kJson;
  return (json ? format_json_line : format_log_line)(std::chrono::system_clock::now(), level,
                                                     utf8_shortened(message, kMostFieldBytes), fields);
}

/// Writes to stderr, and waits for who reads it.
bool write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waits{STDERR_FILENO, POLLOUT, 0};
      ::poll(&waits, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// It is never destroyed: its thread may wait for a reader who never comes.
LogQueue& queue() {
  static LogQueue* const instance = new LogQueue(write_to_stderr, [](std::uint64_t dropped) {
    return format_line(LogLevel::kWarn, "log lines dropped: nobody has read them in time",
                       {{"lines", dropped}}) +
           '\n';
  });
  return *instance;
}

std::atomic<LogQueue*> queue_in_use{nullptr};  ///< Null: lines are written at once.

/// The process is about to be aborted; what was logged before may say why.
[[noreturn]] void end_after_flush(std::terminate_handler before) {
  log_flush();
  if (before != nullptr) before();
  std::abort();
}

void write(LogLevel level, std::string_view message, LogFields fields) {
  std::string line = format_line(level, message, fields);
  if (LogQueue* const in_use = queue_in_use.load(std::memory_order_acquire))
    in_use->add(std::move(line += '\n'));
  else
    logger().log(spdlog::level::critical, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

LogThread::LogThread() {
  queue_in_use = &queue();
  static const std::terminate_handler before = std::get_terminate();
  std::set_terminate([] { end_after_flush(before); });
}

LogThread::~LogThread() {
  log_flush();
  queue_in_use = nullptr;
}

LogRequestId::LogRequestId(std::string_view id) { request_id = id; }
LogRequestId::~LogRequestId() { request_id = {}; }

void log_flush() {
  if (LogQueue* const in_use = queue_in_use.load(std::memory_order_acquire)) in_use->flush(LogThread::kFlush);
}

std::uint64_t log_lines_dropped() {
  LogQueue* const in_use = queue_in_use.load(std::memory_order_acquire);
  return in_use != nullptr ? in_use->dropped() : 0;
}

void log_init(int verbosity, LogFormat format) {
  verbosity_wanted.store(verbosity, std::memory_order_relaxed);
  format_wanted.store(format, std::memory_order_relaxed);
}
bool log_enabled(int verbosity) { return verbosity <= verbosity_wanted.load(std::memory_order_relaxed); }

void log_info(std::string_view message, LogFields fields) {
  if (log_enabled(0)) write(LogLevel::kInfo, message, fields);
}
void log_warn(std::string_view message, LogFields fields) {
  if (log_enabled(-1)) write(LogLevel::kWarn, message, fields);
}
void log_error(std::string_view message, LogFields fields) { write(LogLevel::kError, message, fields); }

std::string format_log_line(std::chrono::system_clock::time_point time, LogLevel level,
                            std::string_view message, std::span<const LogField> fields) {
  const auto microseconds = std::chrono::floor<std::chrono::microseconds>(time);
  std::string line = std::format("time={:%FT%T}Z level={} msg=", microseconds, name(level));
  append_logfmt_value(line, message);
  for (const LogField& field : fields) {
    line.append(" ").append(field.key).append("=");
    append_logfmt_value(line, field.value);
  }
  return line;
}

std::string format_json_line(std::chrono::system_clock::time_point time, LogLevel level,
                             std::string_view message, std::span<const LogField> fields) {
  const auto since = std::chrono::floor<std::chrono::microseconds>(time).time_since_epoch().count();
  std::string line =
      std::format(R"({{"ts":{}.{:03},"level":"{}","msg":)", since / 1000, since % 1000, name(level));
  append_json_value(line, message);
  for (const LogField& field : fields) {
    line.append(",\"").append(field.key).append("\":");
    if (field.is_json)
      line += field.value;
    else
      append_json_value(line, field.value);
  }
  return line += '}';
}

}  // namespace winnow
