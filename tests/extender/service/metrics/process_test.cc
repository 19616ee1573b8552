#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <ctime>

#include "extender/service/metrics/figure_series.h"

namespace winnow {
namespace {

TEST_CASE("a process knows itself") {
  const ProcessFigures figures = read_process();
  CHECK(figures.cpu_seconds.value_or(-1) >= 0);
  CHECK(figures.resident_bytes.value_or(0) > 100'000);
  CHECK(figures.virtual_bytes.value_or(0) >= figures.resident_bytes.value_or(0));
  CHECK(figures.threads.value_or(0) >= 1);
  const auto now = static_cast<double>(std::time(nullptr));
  CHECK(figures.start_time.value_or(0) > now - 86400);
  CHECK(figures.start_time.value_or(0) <= now + 2);
}

TEST_CASE("a file that is opened counts") {
  const auto before = read_process().open_fds;
  REQUIRE(before.has_value());
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  REQUIRE(fd >= 0);
  CHECK(read_process().open_fds == *before + 1);
  close(fd);
  CHECK(read_process().open_fds == *before);
}

}  // namespace
}  // namespace winnow
