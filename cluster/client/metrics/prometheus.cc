#include "cluster/client/metrics/prometheus.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <format>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/transport/transport.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_scan.h"

namespace winnow::live {
namespace {

/// Times of later years do not fit.
constexpr double kLatestSecond = 9e9;

std::optional<double> finite_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Reads an instant query's answer, series by series.
class AnswerReader {
 public:
  AnswerReader(std::string_view json, const PrometheusQuery& query) : scan_(json), query_(query) {}

  QueryAnswer read() {
    read_members(scan_, [&](std::string_view key) {
      if (key == "status")
        status_ = string_text(scan_);
      else if (key == "error")
        said_ = string_text(scan_);
      else if (key == "data")
        read_data();
      else
        scan_.value();
    });
    if (const bool whole = scan_.expect_end(); !whole || status_.empty())
      return failed("the answer is not Prometheus': " + (whole ? "it has no status" : scan_.error()));
    if (status_ != "success") return failed(said_.empty() ? "status " + go_quote(status_) : said_);
    if (type_ != "vector")
      return failed(std::format("it gives a {}, expected a vector, with the label {}", type_, query_.by));
    if (series_ > kMostMeasured)
      return failed(std::format("it gives {} series, expected {} at most", series_, kMostMeasured));
    for (const std::string& node : several_) answer_.values.erase(node);
    answer_.note = note();
    return std::move(answer_);
  }

 private:
  static QueryAnswer failed(std::string_view why) {
    return {.error = one_line(why), .note = {}, .values = {}};
  }

  void read_data() {
    read_object(scan_, [&](std::string_view key) {
      if (key == "resultType")
        type_ = one_line(string_text(scan_), kLongestType);
      else if (key == "result" && scan_.peek() == '[')
        read_elements(scan_, [&] { read_series(); });
      else
        scan_.value();
    });
  }

  /// {"metric": {"node": "a"}, "value": [1435781451.781, "1"]}; of a scalar it is a number.
  void read_series() {
    std::string label;
    std::optional<MetricValue> value;
    read_object(scan_, [&](std::string_view key) {
      if (key == "metric") {
        read_object(scan_, [&](std::string_view name) {
          if (name == query_.by)
            label = string_text(scan_);
          else
            scan_.value();
        });
      } else if (key == "value") {
        value = read_sample();
      } else {
        scan_.value();
      }
    });
    if (!scan_.failed() && ++series_ <= kMostMeasured) take(std::move(label), value);
  }

  std::optional<MetricValue> read_sample() {
    std::optional<double> time, number;
    read_elements(scan_, [&] {
      if (!time)
        time = finite_number(scan_.value()).value_or(-1);
      else
        number = finite_number(raw_string(scan_));
    });
    if (!time || *time < 0 || *time > kLatestSecond || !number) return std::nullopt;
    constexpr double kSecond = 1e9;
    return MetricValue{.value = *number, .taken = static_cast<std::int64_t>(*time * kSecond)};
  }

  void take(std::string node, const std::optional<MetricValue>& value) {
    if (!query_.cut.empty()) node.resize(std::min(node.find(query_.cut), node.size()));
    if (node.empty()) {
      ++without_label_;
    } else if (value && !answer_.values.try_emplace(node, *value).second) {
      several_.insert(std::move(node));
    }
  }

  std::string note() const {
    std::string text;
    if (without_label_ > 0)
      text = std::format("{} of {} series have no node's name in the label {}", without_label_, series_,
                         query_.by);
    if (!several_.empty())
      text += std::format("{}{} nodes have several values, as {}: put max by ({}) (...) around the query",
                          text.empty() ? "" : "; ", several_.size(), go_quote(*several_.begin()), query_.by);
    return text;
  }

  static constexpr std::size_t kLongestType = 40;

  JsonScan scan_;
  const PrometheusQuery& query_;
  std::string status_, said_;
  std::string type_ = "nothing";
  std::size_t series_ = 0, without_label_ = 0;
  std::set<std::string> several_;  ///< Nodes.
  QueryAnswer answer_;
};

std::string quoted(const PrometheusQuery& query, std::string_view what) {
  return std::format("query {}: {}", go_quote(query.name), what);
}

/// An answer of 4xx or 5xx. Where Prometheus says why, that is the text.
Polled failed_query(const ApiResponse& response, const PrometheusQuery& query) {
  Polled failed = failed_poll(failure_of(response));
  const QueryAnswer answer = read_query_answer(response.body, query);
  if (!answer.error.empty() && response.body.starts_with('{'))
    failed.error = std::format("{}: {}", response.status, answer.error);
  return failed;
}

/// Adds what is wrong with one query to what came of the whole poll.
void note_trouble(Polled& polled, const PrometheusQuery& query, PollResult result, std::string_view what) {
  polled.result = result;
  if (polled.error.empty()) polled.error = quoted(query, what);
}

}  // namespace

QueryAnswer read_query_answer(std::string_view json, const PrometheusQuery& query) {
  return AnswerReader(json, query).read();
}

bool Prometheus::ask(const PrometheusQuery& query, Polled& polled, const std::stop_token& stop) {
  const ApiRequest request{.path = Query("/api/v1/query").add("query", query.query).path(),
                           .answer = AnswerOf::kList};
  const auto sent = transport_.call(url_, request, kLimit, stop);
  if (!sent || sent->status != 200) {
    const Polled failed = sent ? failed_query(*sent, query) : failed_poll(failure_of(sent.error()));
    note_trouble(polled, query, failed.result, failed.error);
    if (sent) polled.retry_after = sent->retry_after;
    // A wrong query is answered 400 or 422, and one that takes too long 503.
    return sent && failed.result == PollResult::kFailed;
  }
  QueryAnswer answer = read_query_answer(sent->body, query);
  if (!answer.error.empty()) {
    note_trouble(polled, query, PollResult::kFailed, answer.error);
    return true;
  }
  if (!answer.note.empty()) note_trouble(polled, query, PollResult::kPartly, answer.note);
  polled.metrics.insert_or_assign(query.name, std::move(answer.values));
  return true;
}

Polled Prometheus::poll(const std::stop_token& stop) {
  Polled polled;
  const auto until = std::chrono::steady_clock::now() + kLongestPoll;
  for (const PrometheusQuery& query : queries_) {
    if (std::chrono::steady_clock::now() > until) {
      note_trouble(polled, query, PollResult::kFailed, std::format("not asked: {} are over", kLongestPoll));
      break;
    }
    if (stop.stop_requested() || !ask(query, polled, stop)) break;
  }
  if (polled.result != PollResult::kGood && !polled.metrics.empty()) polled.result = PollResult::kPartly;
  return polled;
}

}  // namespace winnow::live
