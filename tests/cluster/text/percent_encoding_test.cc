#include <doctest/doctest.h>

#include <string>

#include "cluster/text/encoding.h"

namespace winnow {
namespace {

TEST_CASE("any bytes are a part of a URL, and are the same when read again") {
  CHECK(percent_encoded("azAZ09-._~") == "azAZ09-._~");
  CHECK(percent_encoded("a/b c%+é") == "a%2Fb%20c%25%2B%C3%A9");
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  CHECK(percent_decoded(percent_encoded(bytes)) == bytes);
}

TEST_CASE("what is no escape stays") {
  CHECK(percent_decoded("a%2fb%2Fc") == "a/b/c");
  CHECK(percent_decoded("%") == "%");
  CHECK(percent_decoded("%4") == "%4");
  CHECK(percent_decoded("%4g%g4%%41") == "%4g%g4%A");
}

}  // namespace
}  // namespace winnow
