#include "extender/service/live_observer.h"

#include <doctest/doctest.h>

#include <string>

#include "cluster/client/servers/load_balancer_rr.h"
#include "extender/service/metrics/metrics.h"
#include "tests/standard_error.h"

namespace winnow::test {
namespace {

int count(std::string_view text, std::string_view part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
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

}  // namespace winnow::test
