#include "extender/service/metrics/live_metrics.h"

#include <doctest/doctest.h>

#include <format>
#include <string>
#include <utility>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/servers/load_balancer_rr.h"
#include "extender/explain/decision_log.h"
#include "extender/service/metrics/figures.h"
#include "extender/service/metrics/metrics.h"

namespace winnow {
namespace {

const live::Resource kPods = {"pods", "/api/v1/pods", "Pod", ""};
constexpr const char* kA = "https://a:6443";
constexpr const char* kB = "https://b:6443";

struct Page {
  Metrics metrics{"", ""};
  LiveMetrics& live = metrics.live();

  /// The value as it is written; "" where there is no such series.
  std::string value(const std::string& series) const {
    const std::string page = "\n" + metrics.render();
    const std::size_t at = page.find("\n" + series + " ");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + series.size() + 2;
    return page.substr(begin, page.find('\n', begin) - begin);
  }
};

}  // namespace

TEST_SUITE("live metrics") {
  TEST_CASE_FIXTURE(Page, "what a reflector tells is counted by resource and server") {
    for (int i = 0; i < 2; ++i) live.on_list(kPods, kA, 100);
    live.on_watch(kPods, kA);
    live.on_events(kPods, kA, 5);
    live.on_events(kPods, kB, 2);
    for (int i = 0; i < 3; ++i) live.on_bookmark(kPods, kA);
    live.on_error(kPods, kA, live::WatchError::kThrottled, "slow down");
    live.on_error(kPods, kA, live::WatchError::kOlder, "at 3");
    live.on_error(kPods, kA, live::WatchError::kOlder, "at 4");
    live.on_rewind(kPods, "9", "3");
    live.on_undecodable("pods");
    const auto of = [](const std::string& name, const std::string& rest = "") {
      return name + "{" + rest + R"(resource="pods",server="https://a:6443"})";
    };
    CHECK(value(of("winnow_watch_lists_total")) == "2");
    CHECK(value(of("winnow_watch_connects_total")) == "1");
    CHECK(value(of("winnow_watch_events_total")) == "5");
    CHECK(value(R"(winnow_watch_events_total{resource="pods",server="https://b:6443"})") == "2");
    CHECK(value(of("winnow_watch_bookmarks_total")) == "3");
    CHECK(value(of("winnow_watch_errors_total", R"(reason="throttled",)")) == "1");
    CHECK(value(of("winnow_watch_errors_total", R"(reason="older",)")) == "2");
    CHECK(value(of("winnow_watch_older_refused_total")) == "2");
    CHECK(value(R"(winnow_watch_rewinds_total{resource="pods"})") == "1");
    CHECK(value(R"(winnow_watch_undecodable_total{resource="pods"})") == "1");
  }

  TEST_CASE_FIXTURE(Page, "a request without an API server is counted by what the balancer lacks") {
    const std::string service = R"(winnow_apiserver_missing_total{reason="missing_service"})";
    const std::string endpoints = R"(winnow_apiserver_missing_total{reason="missing_endpoints"})";
    CHECK(value(service) == "0");
    CHECK(value(endpoints) == "0");
    live.on_no_server(live::BalancerError::kErrMissingServiceEntry);
    for (int i = 0; i < 2; ++i) live.on_no_server(live::BalancerError::kErrMissingEndpoints);
    CHECK(value(service) == "1");
    CHECK(value(endpoints) == "2");
  }

  TEST_CASE_FIXTURE(Page, "how a watch is, while there is one") {
    live.set_watches({{"pods", true, 12.5, 77, true}, {"nodes", false, 0, 0, false}});
    CHECK(value(R"(winnow_watch_age_seconds{resource="pods"})") == "12.5");
    CHECK(value(R"(winnow_watch_synced{resource="pods"})") == "1");
    CHECK(value(R"(winnow_watch_resource_version{resource="pods"})") == "77");
    CHECK(value(R"(winnow_watch_synced{resource="nodes"})") == "0");
    CHECK(value(R"(winnow_watch_stale{resource="pods"})") == "1");
    CHECK(value(R"(winnow_watch_stale{resource="nodes"})") == "0");
    live.set_watches({{"pods", true, 1, 78, false}});  // Other rules, which read no nodes.
    CHECK(value(R"(winnow_watch_resource_version{resource="pods"})") == "78");
    for (const char* name : {"winnow_watch_age_seconds", "winnow_watch_synced", "winnow_watch_stale",
                             "winnow_watch_resource_version"})
      CHECK(value(std::string(name) + R"({resource="nodes"})").empty());
    live.set_watches({{"pods", true, 1, 78, false}, {"nodes", true, 2, 79, false}});
    CHECK(value(R"(winnow_watch_resource_version{resource="nodes"})") == "79");
  }

  TEST_CASE_FIXTURE(Page,
                    "of a resource that is not read it is shown whether that is a lack, and nothing else") {
    const std::string unread = R"(winnow_watch_unread{resource="services"})";
    const std::string synced = R"(winnow_watch_synced{resource="services"})";
    live.set_watches({{"services", true, 1, 7, false}});
    CHECK(value(unread) == "0");
    CHECK(value(synced) == "1");
    live.set_watches({{"services", true, 1, 7, false, /*unread=*/true, /*missing=*/true}});
    CHECK(value(unread) == "1");
    CHECK(value(synced).empty());
    live.set_watches({{"services", true, 1, 7, false, /*unread=*/true, /*missing=*/false}});
    CHECK(value(unread) == "0");
    CHECK(value(synced).empty());
    live.set_watches({{"services", true, 1, 7, false}});
    CHECK(value(unread) == "0");
    CHECK(value(synced) == "1");
    live.set_watches({});
    CHECK(value(unread).empty());
  }

  TEST_CASE_FIXTURE(Page, "a resource is watched at one server") {
    const std::string at_a = R"(winnow_watch_server{resource="pods",server="https://a:6443"})";
    const std::string at_b = R"(winnow_watch_server{resource="pods",server="https://b:6443"})";
    live.on_watch(kPods, kA);
    live.set_watches({{"pods", true, 0, 5, false}});
    CHECK(value(at_a) == "1");
    live.on_watch(kPods, kB);
    CHECK(value(at_a).empty());
    CHECK(value(at_b) == "1");
    live.set_watches({});
    CHECK(value(at_b).empty());
    live.on_watch(kPods, kA);  // The cache that was replaced is not quite gone.
    CHECK(value(at_a).empty());
    live.set_watches({{"pods", true, 0, 6, false}});
    CHECK(value(at_a) == "1");
  }

  TEST_CASE_FIXTURE(Page, "counters go on when another picture begins to count anew") {
    const std::string bound =
        "winnow_assumed_ended_total{outcome=\"" + std::string(to_string(AssumedOutcome{})) + "\"}";
    AssumedFigures before{.pods = 3, .oldest_seconds = 1, .outcomes = {40}, .overdue_total = 2};
    live.set_assumed(before);
    live.set_assumed(before);
    CHECK(value(bound) == "40");
    // Of these three none was counted before.
    AssumedFigures after{.pods = 1, .oldest_seconds = 1, .outcomes = {}, .overdue_total = 3};
    live.set_assumed(after);
    CHECK(value(bound) == "40");
    CHECK(value("winnow_assumed_overdue_total") == "5");
    after.outcomes[0] = 7;
    live.set_assumed(after);
    CHECK(value(bound) == "47");
    CHECK(value("winnow_assumed_overdue_total") == "5");
    CHECK(value("winnow_assumed_pods") == "1");
  }

  TEST_CASE_FIXTURE(Page, "pods that were refused, and how late the watch is") {
    for (const char* name : {"winnow_refused_pods", "winnow_refused_would_fit",
                             "winnow_refused_would_fit_total", "winnow_watch_lateness_seconds"})
      CHECK(value(name) == "0");
    live.set_refusals(
        {.pods = 7, .would_fit = 3, .told_total = 2, .doubts_total = 0, .lateness_seconds = 0.125});
    live.set_refusals(
        {.pods = 5, .would_fit = 1, .told_total = 4, .doubts_total = 3, .lateness_seconds = 0.25});
    CHECK(value("winnow_refused_pods") == "5");
    CHECK(value("winnow_refused_would_fit") == "1");
    CHECK(value("winnow_refused_would_fit_total") == "4");
    CHECK(value("winnow_refused_in_doubt_total") == "3");
    CHECK(value("winnow_watch_lateness_seconds") == "0.25");
  }

  TEST_CASE_FIXTURE(Page, "decisions that are kept, by verb, and what became of them") {
    DecisionFigures figures{.kept = 3, .bytes = 2500, .made = {5, 0, 1}, .ended = {}};
    figures.ended[static_cast<std::size_t>(DecisionResult::kBound)] = 2;
    live.set_decisions(figures);
    figures.made[0] = 6;
    live.set_decisions(figures);
    CHECK(value("winnow_decisions_kept") == "3");
    CHECK(value("winnow_decisions_kept_bytes") == "2500");
    CHECK(value(R"(winnow_decisions_total{verb="filter"})") == "6");
    CHECK(value(R"(winnow_decisions_total{verb="preempt"})") == "1");
    CHECK(value(R"(winnow_decisions_ended_total{result="bound"})") == "2");
    CHECK(value(R"(winnow_decisions_ended_total{result="elsewhere"})") == "0");
  }

  TEST_CASE_FIXTURE(Page, "lines of a recording, and those that are lost") {
    live.set_recording({.lines = 3, .lost_lines = 0});
    live.set_recording({.lines = 5, .lost_lines = 2});
    CHECK(value("winnow_recording_lines_total") == "5");
    CHECK(value("winnow_recording_lost_lines_total") == "2");
  }

  TEST_CASE_FIXTURE(Page, "measurements of nodes by their source, while that is asked") {
    const std::string nodes = R"(winnow_node_metrics_nodes{source="metrics-server"})";
    const auto polls = [](const std::string& result) {
      return "winnow_node_metrics_polls_total{result=\"" + result + R"(",source="metrics-server"})";
    };
    CHECK(value(nodes) == "");
    CHECK(value("winnow_node_metrics_age_seconds") == "0");
    NodeMetricsFigures figures{.sources = {{"metrics-server", 12, {5, 0, 1, 0, 0}}}, .oldest_seconds = 34.5};
    live.set_node_metrics(figures);
    CHECK(value(nodes) == "12");
    CHECK(value("winnow_node_metrics_age_seconds") == "34.5");
    CHECK(value(polls("good")) == "5");
    CHECK(value(polls("denied")) == "1");
    CHECK(value(polls("failed")) == "0");
    figures.sources[0].polls = {7, 0, 1, 0, 2};
    live.set_node_metrics(figures);
    CHECK(value(polls("good")) == "7");
    CHECK(value(polls("failed")) == "2");
    live.set_node_metrics({.sources = {}, .oldest_seconds = 0});
    CHECK(value(nodes) == "");
    CHECK(value(polls("good")) == "7");
    CHECK(value("winnow_node_metrics_age_seconds") == "0");
    live.set_node_metrics(figures);
    CHECK(value(polls("good")) == "7");
  }

  TEST_CASE_FIXTURE(Page, "lines of the log that were dropped") {
    CHECK(value("winnow_log_lines_dropped_total") == "0");
    live.set_log_lines_dropped(3);
    live.set_log_lines_dropped(5);
    CHECK(value("winnow_log_lines_dropped_total") == "5");
  }

  TEST_CASE_FIXTURE(Page, "when certificates expire") {
    CHECK(value("winnow_serving_certificate_expiration_timestamp_seconds") == "+Inf");
    live.set_serving_certificate_end(1'800'000'000);
    CHECK(value("winnow_serving_certificate_expiration_timestamp_seconds") == "1800000000");
    for (const double seconds : {-5.0, 3600.0, 600'000.0, 700'000.0, 1e9})
      live.observe_client_certificate(seconds);
    for (const auto& [le, count] :
         {std::pair("0", "1"), std::pair("3600", "2"), std::pair("86400", "2"), std::pair("604800", "3"),
          std::pair("2592000", "4"), std::pair("+Inf", "5")})
      CHECK(value(std::format("winnow_client_certificate_expiration_seconds_bucket{{le=\"{}\"}}", le)) ==
            count);
  }

  TEST_CASE_FIXTURE(Page, "what a shadow finds, and whether it keeps up") {
    CHECK(value("winnow_shadow") == "0");
    live.set_shadow({.same = 1,
                     .tie = 2,
                     .other = 3,
                     .refused = 4,
                     .nowhere = 5,
                     .dropped = 6,
                     .too_long = 7,
                     .failed = 8,
                     .queued = 9,
                     .lag_seconds = 0.5,
                     .on = true});
    for (const auto& [result, number] :
         {std::pair("same", "1"), std::pair("tie", "2"), std::pair("other", "3"), std::pair("refused", "4"),
          std::pair("nowhere", "5")})
      CHECK(value(std::format("winnow_shadow_decisions_total{{result=\"{}\"}}", result)) == number);
    for (const auto& [reason, number] :
         {std::pair("dropped", "6"), std::pair("too_long", "7"), std::pair("error", "8")})
      CHECK(value(std::format("winnow_shadow_undecided_total{{reason=\"{}\"}}", reason)) == number);
    CHECK(value("winnow_shadow") == "1");
    CHECK(value("winnow_shadow_queue_pods") == "9");
    CHECK(value("winnow_shadow_lag_seconds") == "0.5");
  }

  TEST_CASE_FIXTURE(Page, "the way to the API servers is asked for at a scrape") {
    CHECK(value("winnow_insecure_skip_tls_verify") == "0");
    TransportFigures figures{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, true};
    live.follow_transport([&] { return figures; });
    live.set_watches({});
    figures.token_reloads = 14;
    live.set_watches({});
    CHECK(value("winnow_apiserver_connections_total") == "1");
    CHECK(value("winnow_apiserver_connect_failures_total") == "2");
    CHECK(value("winnow_apiserver_resent_requests_total") == "3");
    CHECK(value(R"(winnow_credential_reloads_total{what="token"})") == "14");
    CHECK(value(R"(winnow_credential_reloads_total{what="certificate_authority"})") == "5");
    CHECK(value(R"(winnow_credential_reloads_total{what="client_certificate"})") == "6");
    CHECK(value(R"(winnow_credential_reload_failures_total{what="token"})") == "7");
    CHECK(value(R"(winnow_credential_reload_failures_total{what="certificates"})") == "8");
    CHECK(value(R"(winnow_apiserver_denied_total{code="401"})") == "9");
    CHECK(value(R"(winnow_apiserver_denied_total{code="403"})") == "10");
    CHECK(value("winnow_insecure_skip_tls_verify") == "1");
    live.follow_transport(nullptr);
    figures.connections = 100;
    live.set_watches({});
    CHECK(value("winnow_apiserver_connections_total") == "1");
  }
}

}  // namespace winnow
