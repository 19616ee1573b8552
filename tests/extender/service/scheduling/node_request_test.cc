#include "extender/service/scheduling/node_request.h"

#include <doctest/doctest.h>

#include "tests/extender/service/running_server.h"

namespace winnow::test {
namespace {

TEST_CASE("a request lets the picture go, whatever was wrong with it") {
  auto cache = cache_of_size(2);
  NodeOrder order;
  const std::string good = args_with_names({"n0", "n1"});
  for (std::size_t length = 0; length <= good.size(); ++length) {
    {
      RequestReader reader(good.substr(0, length));
      const bool good_so_far = !reader.decode();
      CHECK((good_so_far && reader.locate(*cache, order, IfAssumed::kStays)) == (length == good.size()));
    }
    // Would wait for ever if a reader were left.
    cache->write([](State&) {});
  }
}

TEST_CASE("what is left of a request when the picture is free") {
  auto cache = cache_of_size(2);
  NodeOrder order;
  RequestReader reader(args_with_names({"n0", "x", "n1"}));
  CHECK_FALSE(reader.decode());
  const NodeRequest& request = reader.request();
  {
    const auto located = reader.locate(*cache, order, IfAssumed::kStays);
    REQUIRE(located);
    CHECK(located->places() == std::vector<std::uint32_t>{0, 2});
    CHECK(located->known().size() == 2);
  }
  cache->write([](State& state) { state.remove_node("n0"); });
  CHECK(request.pod_key() == "u1");
  CHECK(request.node_count() == 3);
  CHECK(request.quoted_name(1) == "\"x\"");

  const LocatedRequest again = LocatedRequest::again(request, *cache, IfAssumed::kStays, nullptr);
  CHECK(again.known().size() == 1);
  CHECK(again.places() == std::vector<std::uint32_t>{2});
  CHECK(again.unknown_count() == 2);
}

static_assert(!std::is_copy_constructible_v<NodeRequest> && !std::is_move_constructible_v<NodeRequest>);

}  // namespace
}  // namespace winnow::test
