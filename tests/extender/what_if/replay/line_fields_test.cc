#include <doctest/doctest.h>

#include "cluster/text/characters.h"
#include "extender/what_if/replay/recording_reader.h"

namespace winnow::test {

TEST_CASE("what is wrong with a field is said in one line that can be shown") {
  LineFields fields("{\"body\":\"{\\\"Po\xba\xba\x1b[2J\xe2\x80\xae\"}");
  CHECK(fields.error() == "");
  CHECK(fields.text("body") == "");
  CHECK(fields.error().starts_with("body: "));
  CHECK(fields.error().ends_with("; expected a string"));
  CHECK(printable(fields.error()) == fields.error());
  LineFields other("{}");
  other.fail("\x1b[2J", "a\nb", "c");
  CHECK(other.error() == printable(other.error()));
}

}  // namespace winnow::test
