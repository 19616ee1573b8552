// The file of queries: what is read, and what is refused.
#include "cluster/client/metrics/prometheus_queries.h"

#include <doctest/doctest.h>

#include <string>

namespace winnow::live {
namespace {

TEST_SUITE("prometheus_queries") {
  TEST_CASE("queries are read from YAML and from JSON") {
    const std::vector<PrometheusQuery> expected = {
        {.name = "diskBusy", .query = "max by (instance) (rate(x[2m]))", .by = "instance", .cut = ":"},
        {.name = "power.w", .query = "watts"}};
    const char* const texts[] = {
        "queries:\n  diskBusy:\n    query: max by (instance) (rate(x[2m]))\n    by: instance\n    cut: ':'\n"
        "  power.w: {query: watts}\n",
        R"j({"queries":{"diskBusy":{"query":"max by (instance) (rate(x[2m]))","by":"instance","cut":":"},)j"
        R"("power.w":{"query":"watts","by":"node"}}})"};
    for (const char* const text : texts) {
      CAPTURE(text);
      const auto queries = parse_prometheus_queries(text);
      REQUIRE(queries.has_value());
      CHECK(*queries == expected);
    }
  }

  TEST_CASE("what is no such file is refused in one line, with the field") {
    struct Row {
      const char* sentence;
      std::string text, error;
    };
    std::string many = "queries:\n";
    for (std::size_t i = 0; i <= kMostQueries; ++i) many += "  q" + std::to_string(i) + ": {query: up}\n";
    const Row rows[] = {
        {"nothing is there", "", "is not an object"},
        {"it has no query", "queries: {}", "queries: expected a query at least"},
        {"a field is unknown", "query: up", "query: is no field of the file; expected queries"},
        {"a query's field is unknown", "queries: {a: {query: up, label: x}}",
         "queries.a.label: is no field of a query; expected query, by or cut"},
        {"a query is a text", "queries: {a: up}", "queries.a: \"up\" is not an object"},
        {"the PromQL is missing", "queries: {a: {by: node}}", "queries.a: lacks its field query, in PromQL"},
        {"the PromQL is a number", "queries: {a: {query: 5}}", "queries.a.query: 5 is not a string"},
        {"the label is none", "queries: {a: {query: up, by: a-b}}",
         "queries.a: \"a-b\" in its field by is no name of a label"},
        {"the name has a blank", "queries: {a b: {query: up}}", "expected a name of letters, digits"},
        {"it is no YAML", "queries: [", "line 1"},
        {"they are too many", many, "queries: found 51, expected 50 at most"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto queries = parse_prometheus_queries(row.text);
      REQUIRE(!queries.has_value());
      CAPTURE(queries.error());
      CHECK(queries.error().contains(row.error));
      CHECK(!queries.error().contains('\n'));
    }
  }
}

}  // namespace
}  // namespace winnow::live
