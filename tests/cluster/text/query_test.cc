#include "cluster/text/query.h"

#include <doctest/doctest.h>

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

}  // namespace winnow::live
