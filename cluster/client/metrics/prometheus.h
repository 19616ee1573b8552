// Numbers of nodes from a Prometheus, by queries of the user's.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/metrics/metrics_provider.h"
#include "cluster/client/metrics/prometheus_queries.h"

namespace winnow::live {

class ApiTransport;

/// Sends each query as an instant query: GET URL/api/v1/query. A query that is refused, or whose answer
/// cannot be used, leaves the others as they are. Where no answer comes at all, the rest of the poll is left
/// out.
///
/// A node's value of NaN or of infinity counts as none. Series without the label, and values of a node that
/// has several, are left out and told of. How long a series is known after its last sample is Prometheus' to
/// say: it dates each answer by the time of the query.
class Prometheus final : public MetricsProvider {
 public:
  /// How long one query may take.
  static constexpr std::chrono::seconds kLimit{10};
  /// For how long queries are begun. What has been measured ages meanwhile, and nobody takes it away.
  static constexpr std::chrono::seconds kLongestPoll{30};

  /// @param url  as for ApiTransport, with a path or without. @param transport  outlives this.
  Prometheus(std::string url, std::vector<PrometheusQuery> queries, ApiTransport& transport)
      : url_(std::move(url)), queries_(std::move(queries)), transport_(transport) {}

  std::string_view name() const override { return "prometheus"; }
  Polled poll(const std::stop_token& stop) override;

 private:
  /// Takes the answer to one query into `polled`. @return false: it is of no use to ask on.
  bool ask(const PrometheusQuery& query, Polled& polled, const std::stop_token& stop);

  const std::string url_;
  const std::vector<PrometheusQuery> queries_;
  ApiTransport& transport_;
};

/// What an answer to an instant query says.
struct QueryAnswer {
  std::string error;  ///< The answer cannot be used: why, in one line. "": it can.
  std::string note;   ///< What of it was left out, in one line; "": nothing.
  ValuesByNode values;
};
QueryAnswer read_query_answer(std::string_view json, const PrometheusQuery& query);

}  // namespace winnow::live
