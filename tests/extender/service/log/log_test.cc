#include "extender/service/log/log.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/extender/service/log/captured_log.h"

namespace winnow {
namespace {

using namespace std::chrono_literals;

// 2026-01-31 12:00:00.000123 UTC
constexpr std::chrono::system_clock::time_point kTime{1769860800s + 123us};

std::string line(std::string_view message, std::vector<LogField> fields) {
  return format_log_line(kTime, LogLevel::kInfo, message, fields);
}

TEST_CASE("a line has time, level, message and then the fields as they were given") {
  CHECK(format_log_line(kTime, LogLevel::kWarn, "rules loaded",
                        std::vector<LogField>{{"file", "policy.yaml"}, {"predicates", 7}, {"exact", true}}) ==
        "time=2026-01-31T12:00:00.000123Z level=warn msg=\"rules loaded\" file=policy.yaml predicates=7 "
        "exact=true");
  CHECK(format_log_line(kTime, LogLevel::kError, "stopped", {}) ==
        "time=2026-01-31T12:00:00.000123Z level=error msg=stopped");
}

TEST_CASE("lines of a thread that answers a request end in its id") {
  const test::CapturedLog log;
  {
    const LogRequestId id("a \"b\"");
    log_warn("within", {{"x", 1}});
  }
  log_warn("behind");
  CHECK(log.text().contains("msg=within x=1 request_id=\"a \\\"b\\\"\"\n"));
  CHECK(log.text().ends_with("msg=behind\n"));
}

TEST_CASE("how values are written") {
  struct Row {
    const char* sentence;
    std::string value;
    const char* written;
  };
  const Row rows[] = {
      {"a name is bare", "default/web-1", "default/web-1"},
      {"a JSON path is bare", "predicates[0].name", "predicates[0].name"},
      {"nothing is quoted", "", R"("")"},
      {"a space is quoted", "a b", R"("a b")"},
      {"a quote is quoted and escaped", R"(say "a")", R"("say \"a\"")"},
      {"a backslash is escaped", R"(a\n)", R"("a\\n")"},
      {"an equals sign is quoted", "a=b", R"("a=b")"},
      {"a line end cannot end the line", "a\nlevel=error\r\t", R"("a\nlevel=error\r\t")"},
      {"a NUL is written out", std::string("a\0b", 3), R"("a\u0000b")"},
      {"an escape sequence does not reach the terminal", "\x1b[31m", R"("\u001b[31m")"},
      {"letters of all languages stay", "näher …", R"("näher …")"},
      {"what turns the direction is written out", "a\u202eb", R"("a\u202eb")"},
      {"a separator of lines is written out", "a\u2028b", R"("a\u2028b")"},
      {"a control from beyond ASCII is written out", "a\u0085b", R"("a\u0085b")"},
      {"a character that cannot be seen is written out", "\U000e0041", R"("\U000e0041")"},
      {"a byte that is no UTF-8 is written out", "a\xff", R"("a\xff")"},
      {"a character that is cut off is written out", "\xe2\x80", R"("\xe2\x80")"},
      {"a character in too many bytes is written out", "\xc0\xaf", R"("\xc0\xaf")"},
      {"half a surrogate pair is written out", "\xed\xa0\x80", R"("\xed\xa0\x80")"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(line("m", {{"key", row.value}}) ==
          std::string("time=2026-01-31T12:00:00.000123Z level=info msg=m key=").append(row.written));
  }
}

TEST_CASE("a message is escaped like a value") {
  CHECK(line("a\nb", {}) == R"(time=2026-01-31T12:00:00.000123Z level=info msg="a\nb")");
}

std::string json_line(std::string_view message, std::vector<LogField> fields) {
  return format_json_line(kTime, LogLevel::kInfo, message, fields);
}

TEST_CASE("as JSON a line has the same, and the time in milliseconds") {
  CHECK(
      format_json_line(kTime, LogLevel::kWarn, "rules loaded",
                       std::vector<LogField>{{"file", "policy.yaml"}, {"predicates", 7}, {"exact", true}}) ==
      R"({"ts":1769860800000.123,"level":"warn","msg":"rules loaded","file":"policy.yaml","predicates":7,)"
      R"("exact":true})");
  CHECK(format_json_line(kTime + 5us, LogLevel::kError, "stopped", {}) ==
        R"({"ts":1769860800000.128,"level":"error","msg":"stopped"})");
  CHECK(json_line("a\nb", {}) == R"({"ts":1769860800000.123,"level":"info","msg":"a\u000ab"})");
}

TEST_CASE("how values are written as JSON") {
  struct Row {
    const char* sentence;
    LogField field;
    const char* written;
  };
  const Row rows[] = {
      {"a text is quoted", {"key", "default/web-1"}, R"("default/web-1")"},
      {"nothing is quoted", {"key", ""}, R"("")"},
      {"digits in a text stay a text", {"key", "7"}, R"("7")"},
      {"a number is a number", {"key", -7}, "-7"},
      {"a fraction is a number", {"key", 0.25}, "0.25"},
      {"what is no finite number is a text", {"key", 1e308 * 10}, R"("inf")"},
      {"a quote and a backslash are escaped", {"key", R"("\)"}, R"("\"\\")"},
      {"a line end cannot end the line",
       {"key", "a\n{\"level\":\"error\"}\r\t"},
       R"("a\u000a{\"level\":\"error\"}\u000d\u0009")"},
      {"a NUL is written out", {"key", std::string("a\0b", 3)}, R"("a\u0000b")"},
      {"an escape sequence does not reach the terminal", {"key", "\x1b[31m"}, R"("\u001b[31m")"},
      {"letters of all languages stay", {"key", "näher …"}, R"("näher …")"},
      {"what turns the direction is written out", {"key", "a\u202eb"}, R"("a\u202eb")"},
      {"what cannot be seen is a pair of surrogates", {"key", "\U000e0041"}, R"("\udb40\udc41")"},
      {"a byte that is no UTF-8 is replaced", {"key", "a\xff"}, R"("a\ufffd")"},
      {"half a surrogate pair is replaced, a byte at a time",
       {"key", "\xed\xa0\x80"},
       R"("\ufffd\ufffd\ufffd")"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(json_line("m", {row.field}) ==
          std::string(R"({"ts":1769860800000.123,"level":"info","msg":"m","key":)").append(row.written) +
              '}');
  }
}

TEST_CASE("the log is written in the format that was asked for") {
  const test::CapturedLog captured;
  log_init(0, LogFormat::kJson);
  log_warn("as JSON", {{"pod", "default/web"}});
  log_init(0);
  log_warn("as text", {{"pod", "default/web"}});
  const std::string text = captured.text();
  CHECK(text.starts_with("{\"ts\":"));
  CHECK(text.contains("\"level\":\"warn\",\"msg\":\"as JSON\",\"pod\":\"default/web\"}\ntime="));
  CHECK(text.ends_with("level=warn msg=\"as text\" pod=default/web\n"));
}

TEST_CASE("details are logged up to the level that --v asks for") {
  CHECK(log_enabled(0));
  CHECK(!log_enabled(1));
  log_init(2);
  CHECK(log_enabled(2));
  CHECK(!log_enabled(3));
  log_init(0);
}

}  // namespace
}  // namespace winnow
