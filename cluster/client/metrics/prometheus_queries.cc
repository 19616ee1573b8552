#include "cluster/client/metrics/prometheus_queries.h"

#include <algorithm>
#include <format>
#include <string_view>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"

namespace winnow::live {
namespace {

using Queries = std::vector<PrometheusQuery>;

constexpr std::size_t kLongestName = 63;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '_' || c == '-' || c == '.';
  });
}

bool is_label(std::string_view text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

bool read_one(const Reader& r, PrometheusQuery& query) {
  const auto known = [](std::string_view key, const Reader& member) {
    return key == "query" || key == "by" || key == "cut" ||
           member.complain("is no field of a query; expected query, by or cut");
  };
  if (!r.for_each_member(known) || !r.read("query", query.query) || !r.read("by", query.by) ||
      !r.read("cut", query.cut))
    return false;
  if (query.query.empty()) return r.complain("lacks its field query, in PromQL");
  return is_label(query.by) || r.complain(go_quote(query.by) + " in its field by is no name of a label");
}

bool read_all(const Reader& r, Queries& queries) {
  return r.for_each_member([&](std::string_view name, const Reader& member) {
    if (!is_name(name)) return member.complain("expected a name of letters, digits, _, - and .");
    if (std::ranges::contains(queries, name, &PrometheusQuery::name))
      return member.complain("is there twice");
    PrometheusQuery& query = queries.emplace_back();
    query.name = name;
    return member.expect_object() && read_one(member, query);
  });
}

}  // namespace

std::expected<Queries, std::string> parse_prometheus_queries(std::string text) {
  const auto document = load_document(std::move(text));
  if (!document) return std::unexpected(document.error().text());
  std::string error;
  Queries queries;
  const Reader root(document->root(), nullptr, error);
  const auto known = [](std::string_view key, const Reader& member) {
    return key == "queries" || member.complain("is no field of the file; expected queries");
  };
  const bool good = root.for_each_member(known) &&
                    root.within("queries", [&](const Reader& r) { return read_all(r, queries); });
  if (!good) return std::unexpected(error);
  if (queries.empty()) return std::unexpected("queries: expected a query at least, as `busy: {query: …}`");
  if (queries.size() > kMostQueries)
    return std::unexpected(
        std::format("queries: found {}, expected {} at most", queries.size(), kMostQueries));
  return queries;
}

}  // namespace winnow::live
