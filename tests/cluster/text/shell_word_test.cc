#include <doctest/doctest.h>

#include "cluster/text/words.h"

namespace winnow::test {
namespace {

TEST_CASE("a shell takes it for one word") {
  for (const char* const plain :
       {"jane", "system:serviceaccount:kube-system:winnow", "/etc/x.conf", "a@b-c_d"})
    CHECK(shell_word(plain) == plain);
  CHECK(shell_word("") == "''");
  CHECK(shell_word("x; rm -rf ~") == "'x; rm -rf ~'");
  CHECK(shell_word("$(id)`id`") == "'$(id)`id`'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("a\nb") == "'a\nb'");
}

}  // namespace
}  // namespace winnow::test
