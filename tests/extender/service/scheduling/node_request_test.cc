#include "extender/service/scheduling/node_request.h"

#include <doctest/doctest.h>

#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

TEST_CASE("a question lets the picture go, whatever was wrong with it") {
  auto cache = cache_of_size(2);
  NodeOrder order;
  const std::string good = args_with_names({"n0", "n1"});
  for (std::size_t length = 0; length <= good.size(); ++length) {
    {
      NodeRequest question(good.substr(0, length));
      CHECK(question.read(*cache, order, IfAssumed::kStays).has_value() == (length == good.size()));
    }
    // Would wait for ever if a reader were left.
    cache->write([](State&) {});
  }
}

TEST_CASE("what is left of a question when the picture is free") {
  auto cache = cache_of_size(2);
  NodeOrder order;
  NodeRequest question(args_with_names({"n0", "x", "n1"}));
  CHECK(question.read(*cache, order, IfAssumed::kStays).has_value());
  cache->write([](State& state) { state.remove_node("n0"); });
  CHECK(question.pod_key() == "u1");
  CHECK(question.node_count() == 3);
  CHECK(question.places() == std::vector<std::uint32_t>{0, 2});
  CHECK(question.quoted_name(1) == "\"x\"");
  CHECK_FALSE(question.is_known(1));

  CHECK(question.look_again(*cache).known().size() == 1);
  CHECK(question.places() == std::vector<std::uint32_t>{2});
  CHECK(question.unknown_count() == 2);
}

static_assert(!std::is_copy_constructible_v<NodeRequest> && !std::is_move_constructible_v<NodeRequest>);

}  // namespace
}  // namespace winnow::test
