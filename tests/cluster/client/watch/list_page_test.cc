#include <doctest/doctest.h>

#include "cluster/client/watch/lister.h"

namespace winnow::live {

TEST_CASE("a page has its items and its own metadata") {
  const auto page = read_list_page(R"( {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7",
      "continue":"a\/b=","remainingItemCount":3},"items":[{"metadata":{"resourceVersion":"99"}} , {"a":[{}]}]}
      )");
  REQUIRE(page);
  CHECK(page->kind == "PodList");
  CHECK(page->resource_version == "7");
  CHECK(page->next == "a/b=");
  REQUIRE(page->items.size() == 2);
  CHECK(page->items[0] == R"({"metadata":{"resourceVersion":"99"}})");
  CHECK(page->items[1] == R"({"a":[{}]})");
}

TEST_CASE("a page may have its parts in any order, and no items") {
  struct Row {
    const char* sentence;
    const char* body;
    const char* version;
    std::size_t items;
  };
  const Row rows[] = {
      {"items before metadata", R"({"items":[{}],"metadata":{"resourceVersion":"5"}})", "5", 1},
      {"null for no items", R"({"metadata":{"resourceVersion":"5"},"items":null})", "5", 0},
      {"no items at all", R"({"metadata":{"resourceVersion":"5"}})", "5", 0},
      {"no metadata", R"({"items":[]})", "", 0},
      {"metadata is null", R"({"metadata":null,"items":[]})", "", 0},
      {"a version that is a number", R"({"metadata":{"resourceVersion":5},"items":[]})", "", 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto page = read_list_page(row.body);
    REQUIRE(page);
    CHECK(page->resource_version == row.version);
    CHECK(page->items.size() == row.items);
    CHECK(page->next.empty());
  }
}

TEST_CASE("a page that is none says where") {
  struct Row {
    const char* body;
    const char* error;
  };
  const Row rows[] = {
      {"", "byte 0: expected '{', found the end"},
      {"<html>", "byte 0: expected '{', found '<'"},
      {R"({"items":[{},7]})", "byte 13: expected an object, found '7'"},
      {R"({"items":{}})", "byte 9: expected '[', found '{'"},
      {R"({"items":[{}]} x)", "byte 15: expected nothing more, found 'x'"},
      {R"({"items":[{"a":1})", "byte 17: expected ']', found the end"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.body);
    const auto page = read_list_page(row.body);
    REQUIRE_FALSE(page);
    CHECK(page.error() == row.error);
  }
}

TEST_CASE("a page that ends anywhere is none, and nothing is read behind it") {
  const std::string body =
      R"({"kind":"PodList","metadata":{"resourceVersion":"7","continue":"x\ny"},"items":[{"a":"\"]}"},{}]})";
  for (std::size_t size = 0; size < body.size(); ++size) {
    const std::string cut = body.substr(0, size);
    CHECK_FALSE(read_list_page(cut));
  }
  CHECK(read_list_page(body));
}

}  // namespace winnow::live
