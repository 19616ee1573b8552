#include "extender/run/live_observer.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "extender/metrics/metrics.h"

namespace winnow::test {
namespace {

/// What the process writes to its standard error while it lives.
class StandardError {
 public:
  StandardError() : file_(std::tmpfile()), before_(::dup(2)) { ::dup2(::fileno(file_), 2); }
  ~StandardError() {
    ::dup2(before_, 2);
    ::close(before_);
    std::fclose(file_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

  std::string text() const {
    std::string text(static_cast<std::size_t>(::lseek(::fileno(file_), 0, SEEK_END)), ' ');
    const auto got = ::pread(::fileno(file_), text.data(), text.size(), 0);
    return got == static_cast<ssize_t>(text.size()) ? text : "not read";
  }

 private:
  std::FILE* const file_;
  const int before_;
};

int count(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
TEST_CASE("a request without an API server has a line with the reason and the client, and is counted") {
  Metrics metrics{"", ""};
  LiveObserver observer{metrics.live()};
  std::string one, many;
  {
    const StandardError error;
    observer.on_no_server(live::BalancerError::kErrMissingServiceEntry, "pods");
    one = error.text();
    for (int i = 0; i < 1000; ++i) observer.on_no_server(live::BalancerError::kErrMissingEndpoints, "bind-3");
    many = error.text();
  }
  CHECK_MESSAGE(one.ends_with(" level=error msg=\"no API server to ask\" reason=missing_service client=pods "
                              "left_out=0\n"),
                one);
  CHECK(count(many, "\n") < 100);
  CHECK(metrics.render().contains("winnow_apiserver_missing_total{reason=\"missing_endpoints\"} 1000\n"));
}

  return count;
}

}  // namespace

TEST_CASE("a slow list has a line with resource, server and bytes, and many of them have few lines") {
  Metrics metrics{"", ""};
  LiveObserver observer{metrics.live()};
  std::string one, many;
  {
    const StandardError error;
    observer.on_slow_list({"pods", "/api/v1/pods", "Pod", ""}, "https://a:6443", 57);
    one = error.text();
    for (int i = 0; i < 1000; ++i)
      observer.on_slow_list({"nodes", "/api/v1/nodes", "Node", ""}, "https://b", 1);
    many = error.text();
  }
  CHECK_MESSAGE(one.ends_with(" level=warn msg=\"a list is slow: its answer is not whole yet\" resource=pods "
                              "server=https://a:6443 bytes=57 seconds=10 left_out=0\n"),
                one);
  CHECK(count(many, "\n") >= 2);
  CHECK(count(many, "\n") < 100);  // The exact number is that of LogRate, and depends on the time.
}

}  // namespace winnow::test
