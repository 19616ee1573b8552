#include "cluster/text/go_quote.h"

#include <doctest/doctest.h>

using winnow::go_quote;

TEST_CASE("text is quoted as Go's %q prints it") {
  CHECK(go_quote("") == R"("")");
  CHECK(go_quote("web-1") == R"("web-1")");
  CHECK(go_quote("a\"b\\c") == R"("a\"b\\c")");
  CHECK(go_quote("\t\n\x01\x7f") == R"("\t\n\x01\x7f")");
  CHECK(go_quote("größe €") == R"("größe €")");
  CHECK(go_quote("o\x9e"
                 "m") == R"("o\x9em")");
  CHECK(go_quote("\xe2\x82") == R"("\xe2\x82")");
}
