#include "extender/log/log.h"

#include <doctest/doctest.h>

#include <vector>

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
