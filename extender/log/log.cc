#include "extender/log/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <memory>
#include <utility>

#include "extender/log/json_value.h"
#include "extender/log/logfmt.h"

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

void write(LogLevel level, std::string_view message, LogFields fields) {
  const bool json = format_wanted.load(std::memory_order_relaxed) == LogFormat::kJson;
  const std::string line = (json ? format_json_line : format_log_line)(
      std::chrono::system_clock::now(), level, message, {fields.begin(), fields.size()});
  logger().log(spdlog::level::critical, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

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
