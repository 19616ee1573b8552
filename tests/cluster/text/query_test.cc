#include <doctest/doctest.h>

#include "cluster/text/encoding.h"

namespace winnow::live {

TEST_CASE("a query is encoded, and what is empty is left out") {
  Query query("/api/v1/pods");
  CHECK(query.path() == "/api/v1/pods");
  query.add("limit", "")
      .add("continue", "a/b=+ é")
      .add("fieldSelector", "status.phase!=Failed")
      .add("x", "-._~9");
  CHECK(query.path() ==
        "/api/v1/pods?continue=a%2Fb%3D%2B%20%C3%A9&fieldSelector=status.phase%21%3DFailed&x=-._~9");
}

TEST_CASE("the value of a parameter") {
  struct Row {
    const char* query;
    const char* name;
    const char* value;
  };
  const Row rows[] = {
      {"a=1&b=2", "a", "1"},
      {"a=1&b=2", "b", "2"},
      {"a=1&b=2", "c", ""},
      {"", "a", ""},
      {"a", "a", ""},
      {"a=", "a", ""},
      {"aa=1&a=2", "a", "2"},
      {"a=x%2Fy+z%20", "a", "x/y z "},
      {"a=b=c", "a", "b=c"},
      {"&&a=1&", "a", "1"},
      {"a=1&a=2", "a", "1"},
      {"a=%zz", "a", "%zz"},
      {"a=%C3%A4", "a", "\u00e4"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.query);
    CHECK(query_value(row.query, row.name) == row.value);
  }
}

}  // namespace winnow::live
