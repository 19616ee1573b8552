// What is taken of Prometheus' answers, whatever it says.
#include "cluster/client/metrics/prometheus.h"

#include <doctest/doctest.h>

#include <chrono>
#include <deque>
#include <expected>
#include <map>
#include <string>
#include <vector>

#include "cluster/client/transport/transport.h"

namespace winnow::live {
namespace {

using Values = std::map<std::string, double>;
using PromAnswer = std::expected<ApiResponse, TransportError>;

const PrometheusQuery kByNode{.name = "busy", .query = "x"};
const PrometheusQuery kByInstance{.name = "busy", .query = "x", .by = "instance", .cut = ":"};

std::string vector_of(const std::string& series) {
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + series + "]}}";
}
std::string series_of(const std::string& labels, const std::string& value) {
  return R"({"metric":{)" + labels + R"(},"value":[1700000000.5,")" + value + R"("]})";
}

Values numbers(const ValuesByNode& values) {
  Values all;
  for (const auto& [node, value] : values) all.emplace(node, value.value);
  return all;
}

/// Gives the answers in their order, and notes what was asked.
class AnsweringPrometheus final : public ApiTransport {
 public:
  std::deque<PromAnswer> answers;
  std::vector<std::string> asked;

  PromAnswer call(const std::string& server, const ApiRequest& request, std::chrono::milliseconds,
                  const std::stop_token&) override {
    asked.push_back(server + request.path);
    PromAnswer answer = answers.front();
    answers.pop_front();
    return answer;
  }
  PromAnswer stream(const std::string&, const ApiRequest&, std::chrono::milliseconds,
                    std::chrono::milliseconds, const OnPiece&, const std::stop_token&) override {
    return ApiResponse{};
  }
};

PromAnswer answer(int status, std::string body) { return ApiResponse{status, std::move(body), {}}; }
PromAnswer silence() {
  return std::unexpected(TransportError{TransportError::Kind::kTimeout, "no answer in 10s"});
}

TEST_SUITE("prometheus") {
  TEST_CASE("a vector's values go to the nodes that its label names") {
    struct Row {
      const char* sentence;
      PrometheusQuery query;
      std::string series;
      Values values;
      std::string note;
    };
    const Row rows[] = {
        {"two nodes",
         kByNode,
         series_of(R"("node":"a")", "0.5") + "," + series_of(R"("__name__":"x","node":"b")", "1e3"),
         {{"a", 0.5}, {"b", 1000}},
         ""},
        {"no series", kByNode, "", {}, ""},
        {"the port is cut off",
         kByInstance,
         series_of(R"("instance":"a:9100")", "1") + "," + series_of(R"("instance":"b")", "2"),
         {{"a", 1}, {"b", 2}},
         ""},
        {"an escape in a label", kByNode, series_of(R"("node":"\u0061")", "1"), {{"a", 1}}, ""},
        {"NaN and infinities are none",
         kByNode,
         series_of(R"("node":"a")", "NaN") + "," + series_of(R"("node":"b")", "+Inf") + "," +
             series_of(R"("node":"c")", "-Inf") + "," + series_of(R"("node":"d")", "-2"),
         {{"d", -2}},
         ""},
        {"a value that is no number", kByNode, series_of(R"("node":"a")", "much"), {}, ""},
        {"the label is missing",
         kByNode,
         series_of(R"("instance":"a")", "1") + "," + series_of(R"("node":"b")", "2"),
         {{"b", 2}},
         "1 of 2 series have no node's name in the label node"},
        {"a node has several series",
         kByNode,
         series_of(R"("node":"a")", "1") + "," + series_of(R"("node":"a","cpu":"1")", "2") + "," +
             series_of(R"("node":"b")", "3"),
         {{"b", 3}},
         "1 nodes have several values, as \"a\": put max by (node) (...) around the query"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const QueryAnswer read = read_query_answer(vector_of(row.series), row.query);
      CHECK(read.error == "");
      CHECK(read.note == row.note);
      CHECK(numbers(read.values) == row.values);
      for (const auto& [node, value] : read.values) CHECK(value.taken == 1'700'000'000'500'000'000);
    }
  }

  TEST_CASE("an answer that is no vector is told of in one line") {
    struct Row {
      const char* sentence;
      std::string json, error;
    };
    const Row rows[] = {
        {"it is a page", "<html>", "the answer is not Prometheus'"},
        {"it is cut", vector_of("").substr(0, 60), "the answer is not Prometheus'"},
        {"it has no status", "{}", "the answer is not Prometheus': it has no status"},
        {"the query is wrong",
         R"({"status":"error","errorType":"bad_data","error":"parse error\nat char 3"})",
         "parse error at char 3"},
        {"it says no reason", R"({"status":"error"})", "status \"error\""},
        {"a scalar", R"({"status":"success","data":{"resultType":"scalar","result":[1,"1"]}})",
         "it gives a scalar, expected a vector, with the label node"},
        {"a text", R"({"status":"success","data":{"resultType":"string","result":[1,"a"]}})",
         "it gives a string, expected a vector"},
        {"a matrix",
         R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1,"1"]]}]}})",
         "it gives a matrix, expected a vector"},
        {"no data", R"({"status":"success"})", "it gives a nothing, expected a vector"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const QueryAnswer read = read_query_answer(row.json, kByNode);
      CAPTURE(read.error);
      CHECK(read.error.contains(row.error));
      CHECK(!read.error.contains('\n'));
      CHECK(read.values.empty());
    }
  }

  TEST_CASE("an answer with too many series is refused whole") {
    std::string series;
    for (std::size_t i = 0; i <= kMostMeasured; ++i)
      series += (i > 0 ? "," : "") + series_of(R"("node":"n)" + std::to_string(i) + '"', "1");
    const QueryAnswer read = read_query_answer(vector_of(series), kByNode);
    CHECK(read.error == "it gives 50001 series, expected 50000 at most");
    CHECK(read.values.empty());
  }

  TEST_CASE("each query is asked, and one in trouble costs the others nothing") {
    struct Row {
      const char* sentence;
      std::deque<PromAnswer> answers;
      PollResult result;
      std::string error;
      std::string metrics;  ///< The names of those that were answered.
      std::size_t asked;
    };
    const PromAnswer good = answer(200, vector_of(series_of(R"("node":"a")", "1")));
    const Row rows[] = {
        {"all are answered", {good, good}, PollResult::kGood, "", "one two ", 2},
        {"the first is wrong",
         {answer(400, R"({"status":"error","errorType":"bad_data","error":"parse error"})"), good},
         PollResult::kPartly,
         "query \"one\": 400: parse error",
         "two ",
         2},
        {"both are wrong",
         {answer(422, R"({"status":"error","error":"too many samples"})"), answer(500, "oops")},
         PollResult::kFailed,
         "query \"one\": 422: too many samples",
         "",
         2},
        {"one gives a scalar",
         {good, answer(200, R"({"status":"success","data":{"resultType":"scalar","result":[1,"1"]}})")},
         PollResult::kPartly,
         "query \"two\": it gives a scalar, expected a vector, with the label node",
         "one ",
         2},
        {"nobody answers", {silence()}, PollResult::kFailed, "query \"one\": no answer in 10s", "", 1},
        {"it goes silent",
         {good, silence()},
         PollResult::kPartly,
         "query \"two\": no answer in 10s",
         "one ",
         2},
        {"the token is refused",
         {answer(401, "Unauthorized")},
         PollResult::kDenied,
         "query \"one\": 401: Unauthorized",
         "",
         1},
        {"there is none behind the path",
         {answer(404, "404 page not found\n")},
         PollResult::kMissing,
         "query \"one\": 404: 404 page not found",
         "",
         1},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      AnsweringPrometheus server;
      server.answers = row.answers;
      Prometheus prometheus("https://prometheus:9090/p",
                            {{.name = "one", .query = "max by (node) (a)"}, {.name = "two", .query = "b"}},
                            server);
      const Polled polled = prometheus.poll({});
      CHECK(polled.result == row.result);
      CHECK(polled.error == row.error);
      std::string metrics;
      for (const auto& [name, values] : polled.metrics) metrics += name + ' ';
      CHECK(metrics == row.metrics);
      CHECK(server.asked.size() == row.asked);
      CHECK(server.asked.front() ==
            "https://prometheus:9090/p/api/v1/query?query=max%20by%20%28node%29%20%28a%29");
    }
  }
}

}  // namespace
}  // namespace winnow::live
