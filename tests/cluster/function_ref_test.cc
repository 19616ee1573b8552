// A reference to something that can be called.
#include "cluster/function_ref.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>

namespace winnow::test {
namespace {

int twice(int number) { return 2 * number; }
int call(FunctionRef<int(int)> function) { return function ? function(3) : -1; }

}  // namespace

TEST_CASE("a reference calls what it refers to, and changes it there") {
  int calls = 0;
  const auto counting = [&calls](int number) { return ++calls, number; };
  CHECK(call(counting) == 3);
  CHECK(calls == 1);
  CHECK(call([sum = 10](int number) mutable { return sum += number; }) == 13);
  CHECK(call(twice) == 6);
  CHECK(call(&twice) == 6);
  CHECK(call(std::function<int(int)>(twice)) == 6);
}

TEST_CASE("a reference to nothing, or to an empty function, is null") {
  CHECK(call(nullptr) == -1);
  CHECK(call({}) == -1);
  CHECK(call(std::function<int(int)>()) == -1);
}

TEST_CASE("a reference passes on references, and what is returned is converted") {
  std::string text = "a";
  const FunctionRef<void(std::string&)> none;
  CHECK_FALSE(none);
  const auto append = [](std::string& to) { return to += "b", 1; };
  const FunctionRef<void(std::string&)> reference = append;
  reference(text);
  CHECK(text == "ab");
}

}  // namespace winnow::test
