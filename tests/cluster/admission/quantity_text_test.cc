#include <doctest/doctest.h>

#include <string>

#include "cluster/admission/field_errors.h"
#include "cluster/api/quantity.h"

namespace winnow {
namespace {

TEST_CASE("an amount is written as upstream writes it") {
  struct Row {
    const char* amount;
    const char* text;
  };
  const Row rows[] = {{"0", "0"},           {"2", "2"},       {"1500m", "1500m"},    {"1.5", "1500m"},
                      {"1000", "1k"},       {"-3", "-3"},     {"1536Mi", "1536Mi"},  {"3072Mi", "3Gi"},
                      {"2G", "2G"},         {"100M", "100M"}, {"100000000", "100M"}, {"1Mi", "1Mi"},
                      {"2000Gi", "2000Gi"}, {"8E", "8E"},     {"-2Gi", "-2Gi"},      {"1234567", "1234567"},
                      {"1e3", "1k"}};
  for (const Row& row : rows) {
    CAPTURE(row.amount);
    CHECK(quantity_text(Quantity::parse(row.amount).value()) == row.text);
  }
}

}  // namespace
}  // namespace winnow
