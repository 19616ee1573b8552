#include "extender/service/metrics/metrics.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "cluster/client/servers/access_reviewer.h"
#include "cluster/rule/expression_counts.h"
#include "extender/service/http/message.h"
#include "extender/service/metrics/figures.h"
#include "extender/service/metrics/request_series.h"
#include "extender/version.h"

namespace winnow {
namespace {

const std::vector<std::string> kRules = {"GeneralPredicates", "NoDiskConflict"};

/// Metrics as the service makes them: with series of these rules and of some verbs.
struct Made {
  Metrics metrics{"0.1.0", "abc"};
  std::shared_ptr<const RuleSeries> rules;
  const VerbSeries* filter = metrics.verb("filter", /*computes=*/true);
  const VerbSeries* prioritize = metrics.verb("prioritize", /*computes=*/true);
  const VerbSeries* other = metrics.verb("other", /*computes=*/false);

  explicit Made(std::span<const std::string> names = kRules) : rules(metrics.rules(names)) {}
  std::string page() const { return metrics.render(); }
};

bool has_line(const std::string& page, std::string_view line) {
  return page.contains(std::string("\n").append(line).append("\n"));
}

void check_lines(const std::string& page, std::initializer_list<const char*> lines) {
  for (const char* const line : lines) {
    CAPTURE(line);
    CHECK(has_line(page, line));
  }
}

TEST_CASE("every series is there before anything happens") {
  const std::string page = Made().page();
  check_lines(page, {
                        R"(winnow_requests_total{result="ok",verb="filter"} 0)",
                        R"(winnow_requests_total{result="internal",verb="other"} 0)",
                        R"(winnow_request_duration_seconds_count{verb="prioritize"} 0)",
                        R"(winnow_pass_duration_seconds_count{pass="encode",verb="prioritize"} 0)",
                        R"(winnow_rejections_total{rule="GeneralPredicates"} 0)",
                        R"(winnow_rejections_total{rule="NoDiskConflict"} 0)",
                        R"(winnow_request_nodes_count{verb="filter"} 0)",
                        "winnow_feasible_nodes_count 0",
                        "winnow_unknown_nodes_total 0",
                        "winnow_decisions_kept 0",
                        "winnow_decisions_kept_bytes 0",
                        R"(winnow_decisions_total{verb="nominate"} 0)",
                        R"(winnow_decisions_ended_total{result="bind_failed"} 0)",
                        R"(winnow_pods_not_nominated_total{reason="pod_group"} 0)",
                        "winnow_state_nodes 0",
                        R"(winnow_places_held{by="nomination"} 0)",
                        R"(winnow_places_held{by="other_nomination"} 0)",
                        R"(winnow_places_held{by="assumption"} 0)",
                        "winnow_places_held_untried_seconds 0",
                        "winnow_state_age_seconds 0",
                        "winnow_http_connections_open 0",
                        "winnow_http_connections_accepted_total 0",
                        R"(winnow_http_refused_total{cause="header_slow"} 0)",
                        R"(winnow_access_reviews_total{result="shed",review="TokenReview"} 0)",
                        R"(winnow_access_reviews_total{result="yes",review="SubjectAccessReview"} 0)",
                    });
  CHECK(page.contains("\nwinnow_build_info{compiler=\"" + build_info().compiler + '"'));
  CHECK(page.contains("revision=\"abc\",version=\"0.1.0\"} 1\n"));
  CHECK(!page.contains("pass=\"encode\",verb=\"other\""));
}

TEST_CASE("a page is sorted, and names each family once") {
  const std::string page = Made().page();
  std::string before;
  for (std::size_t at = 0; (at = page.find("# TYPE ", at)) != std::string::npos; ++at) {
    const std::size_t name = at + 7;
    const std::string family = page.substr(name, page.find(' ', name) - name);
    CHECK(before < family);
    before = family;
  }
  CHECK(page.find("rule=\"GeneralPredicates\"") < page.find("rule=\"NoDiskConflict\""));
}

/// Whether a document's table has the metric: by its name, or in short as `…_rest` or `winnow_start…`.
bool is_described(const std::string& document, const std::string& family) {
  if (document.contains("`" + family + "`")) return true;
  constexpr std::string_view kDots = "\xe2\x80\xa6";  // "…"
  for (std::size_t at = 0; (at = document.find(kDots, at)) != std::string::npos; at += kDots.size()) {
    const std::size_t open = document.rfind('`', at) + 1;
    const std::size_t close = document.find('`', at);
    const std::string start = document.substr(open, at - open);
    const std::string rest = document.substr(at + kDots.size(), close - at - kDots.size());
    if (rest.contains('\n') || start.contains('\n')) continue;
    if (start.size() + rest.size() > 3 && family.starts_with(start) && family.ends_with(rest)) return true;
  }
  return false;
}

TEST_CASE("docs/operate.md describes each metric") {
  std::ifstream file(std::string(WINNOW_ROOT) + "/docs/operate.md", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  const std::size_t from = all.find("## What `/metrics` says");
  REQUIRE(from != std::string::npos);
  const std::string table = all.substr(from, all.find("\n## ", from + 3) - from);
  const std::string page = Made().page();
  for (std::size_t at = 0; (at = page.find("# TYPE ", at)) != std::string::npos; ++at) {
    const std::size_t name = at + 7;
    const std::string family = page.substr(name, page.find(' ', name) - name);
    CAPTURE(family);
    CHECK(is_described(table, family));
  }
  CHECK_FALSE(is_described(table, "winnow_of_nobody_total"));
}

TEST_CASE("a request is counted once in everything that applies to it") {
  Made made;
  const std::vector<std::uint32_t> rejected = {3, 0};
  made.metrics.observe({.verb = made.filter,
                        .result = Result::kOk,
                        .seconds = 0.0002,
                        .pass_seconds = {0.0001, -1, 0.00005, -1, -1, 0, 0.25},
                        .nodes = 5,
                        .feasible = 1,
                        .unknown_nodes = 1,
                        .rejected = rejected,
                        .rules = made.rules.get()});
  check_lines(made.page(), {
                               R"(winnow_requests_total{result="ok",verb="filter"} 1)",
                               R"(winnow_requests_total{result="error",verb="filter"} 0)",
                               R"(winnow_request_duration_seconds_bucket{verb="filter",le="0.0001"} 0)",
                               R"(winnow_request_duration_seconds_bucket{verb="filter",le="0.00025"} 1)",
                               R"(winnow_request_duration_seconds_bucket{verb="filter",le="+Inf"} 1)",
                               R"(winnow_pass_duration_seconds_count{pass="decode",verb="filter"} 1)",
                               R"(winnow_pass_duration_seconds_count{pass="bind",verb="filter"} 0)",
                               R"(winnow_pass_duration_seconds_count{pass="encode",verb="filter"} 1)",
                               R"(winnow_pass_duration_seconds_count{pass="hold",verb="filter"} 1)",
                               R"(winnow_pass_duration_seconds_sum{pass="hold",verb="filter"} 0.25)",
                               R"(winnow_pass_duration_seconds_count{pass="hold",verb="prioritize"} 0)",
                               R"(winnow_request_nodes_sum{verb="filter"} 5)",
                               R"(winnow_request_nodes_bucket{verb="filter",le="4"} 0)",
                               R"(winnow_request_nodes_bucket{verb="filter",le="16"} 1)",
                               "winnow_feasible_nodes_sum 1",
                               "winnow_unknown_nodes_total 1",
                               R"(winnow_rejections_total{rule="GeneralPredicates"} 3)",
                               R"(winnow_rejections_total{rule="NoDiskConflict"} 0)",
                           });
}

TEST_CASE("a request that asked about no nodes says nothing about nodes") {
  Made made;
  const std::vector<std::uint32_t> too_many = {1, 1, 1};
  made.metrics.observe({.verb = made.other,
                        .result = Result::kNotFound,
                        .pass_seconds = {1, 1, 1, 1, 1, 1},
                        .nodes = 7,
                        .rejected = too_many,
                        .rules = made.rules.get()});
  check_lines(made.page(), {
                               R"(winnow_requests_total{result="not_found",verb="other"} 1)",
                               R"(winnow_request_nodes_count{verb="filter"} 0)",
                               "winnow_feasible_nodes_count 0",
                           });
}

TEST_CASE("figures are the last that were set, and counters never fall") {
  Metrics metrics("", "");
  metrics.set_state(
      {.nodes = 5, .pods = 7, .pending_pods = 2, .groups = 3, .classes = 1, .age_seconds = 0.5});
  http::Counters counters;
  counters.accepted = 10;
  counters.open = 4;
  counters.refused[static_cast<std::size_t>(http::Cause::kMalformed)] = 2;
  metrics.set_http(counters);
  counters.accepted = 9;
  counters.open = 3;
  metrics.set_http(counters);
  check_lines(metrics.render(), {
                                    "winnow_state_nodes 5",
                                    "winnow_state_pods 7",
                                    "winnow_state_pending_pods 2",
                                    "winnow_state_groups 3",
                                    "winnow_state_classes 1",
                                    "winnow_state_age_seconds 0.5",
                                    "winnow_http_connections_accepted_total 10",
                                    "winnow_http_connections_open 3",
                                    R"(winnow_http_refused_total{cause="malformed"} 2)",
                                });
}

TEST_CASE("devices are counted by class, and a class that is gone has no series") {
  Metrics metrics("", "");
  const DeviceFigures both[] = {{"gpu", 1, 2, 3}, {"nic", 4, 0, 0}};
  metrics.set_devices(both);
  check_lines(metrics.render(), {
                                    R"(winnow_devices{class="gpu",state="allocated"} 1)",
                                    R"(winnow_devices{class="gpu",state="tainted"} 2)",
                                    R"(winnow_devices{class="gpu",state="free"} 3)",
                                    R"(winnow_devices{class="nic",state="allocated"} 4)",
                                });
  const DeviceFigures one[] = {{"nic", 0, 0, 4}};
  metrics.set_devices(one);
  CHECK_FALSE(metrics.render().contains(R"(class="gpu")"));
  CHECK(has_line(metrics.render(), R"(winnow_devices{class="nic",state="free"} 4)"));
}

TEST_CASE("expressions of rules of one's own are counted by rule") {
  const auto value = [](const std::string& line) {
    const std::string page = Metrics("", "").render();
    const std::size_t at = page.find("\n" + line + " ");
    return at == std::string::npos ? -1 : std::stod(page.substr(at + line.size() + 2));
  };
  CHECK(value(R"(winnow_expression_errors_total{rule="Expression/of-metrics"})") == -1);
  counted_expressions().of("Expression/of-metrics").add(/*more_evaluations=*/1, /*more_errors=*/1, 7);
  counted_expressions().of("Expression/of-metrics").add(1, 0, 5);
  CHECK(value(R"(winnow_expression_evaluations_total{rule="Expression/of-metrics"})") == 2);
  CHECK(value(R"(winnow_expression_errors_total{rule="Expression/of-metrics"})") == 1);
  CHECK(value(R"(winnow_expression_cost_total{rule="Expression/of-metrics"})") == 12);
}

TEST_CASE("a rule's name may hold what the format must escape") {
  const std::vector<std::string> rules = {"a\"b\\c\nd"};
  CHECK(has_line(Made(rules).page(), R"(winnow_rejections_total{rule="a\"b\\c\nd"} 0)"));
}

TEST_CASE("the process shows what the kernel knows of it") {
  const std::string page = Metrics("", "").render();
  for (const char* const name :
       {"process_cpu_seconds_total", "process_resident_memory_bytes", "process_virtual_memory_bytes",
        "process_start_time_seconds", "process_open_fds", "process_max_fds", "process_threads"}) {
    CAPTURE(name);
    CHECK(page.contains(std::string("\n").append(name).append(" ")));
  }
}

TEST_CASE("threads may count while a page is made") {
  Made made;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 250; ++n)
          made.metrics.observe({.verb = made.prioritize, .seconds = 0.001, .nodes = 1});
      });
    }
    for (int n = 0; n < 5; ++n) CHECK(!made.page().empty());
  }
  check_lines(made.page(), {R"(winnow_requests_total{result="ok",verb="prioritize"} 1000)",
                            R"(winnow_request_nodes_count{verb="prioritize"} 1000)"});
}

}  // namespace
}  // namespace winnow
