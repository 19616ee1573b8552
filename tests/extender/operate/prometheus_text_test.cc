#include "extender/operate/prometheus_text.h"

#include <doctest/doctest.h>

#include <cmath>

namespace winnow::test {
namespace {

TEST_SUITE("Prometheus text") {
  TEST_CASE("samples, with labels and without") {
    const Samples samples = read_prometheus_text(
        "# HELP a_total What it is.\n# TYPE a_total counter\na_total 3\n"
        "a_total{verb=\"filter\",result=\"ok\"} 1.5e2 1700000000\r\n"
        "b{text=\"x\\\"y\\\\z\\nw\",} +Inf\nc{} NaN\n\nno_value\n{odd=\"1\"} 2\nd{open=\"x} 3\ne 1x\nlast 7");
    REQUIRE(samples.size() == 5);
    CHECK(samples[0].name == "a_total");
    CHECK(samples[0].value == 3);
    CHECK(samples[1].label("verb") == "filter");
    CHECK(samples[1].label("result") == "ok");
    CHECK(samples[1].label("none").empty());
    CHECK(samples[1].value == 150);
    CHECK(samples[2].label("text") == "x\"y\\z\nw");
    CHECK(std::isinf(samples[2].value));
    CHECK(samples[3].name == "c");
    CHECK(samples[4].name == "last");
    CHECK(sum_of(samples, "a_total") == 153);
    CHECK(sum_of(samples, "a_total", [](const Sample& one) { return one.label("verb") == "filter"; }) == 150);
    CHECK(most_of(samples, "a_total") == 150);
    CHECK(most_of(samples, "nothing") == 0);
    CHECK(read_prometheus_text("").empty());
  }
}

}  // namespace
}  // namespace winnow::test
