#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "cluster/text/encoding.h"

namespace winnow {

TEST_CASE("base64, both ways") {
  const char* rows[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}};
  for (const auto& [bytes, text] : rows) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text) == std::string(bytes));
  }
  CHECK(to_base64(std::string_view("\0\xff\xfe", 3)) == "AP/+");
  CHECK(from_base64("Zm9v\nYmFy\r\n") == "foobar");
  for (const char* bad : {"Zg", "Zg=", "Z", "Zg==Zg==", "Zm9 v", "Zm-v", "====", "Zg==="}) {
    CAPTURE(bad);
    CHECK_FALSE(from_base64(bad));
  }
}

}  // namespace winnow
