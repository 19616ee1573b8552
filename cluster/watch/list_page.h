// A page of a list, as an API server sends it.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::live {

/// The parts of a page. They point into the body, except `next`.
struct ListPage {
  std::string_view kind;              ///< "PodList"
  std::string_view resource_version;  ///< The list's metadata.resourceVersion, never an item's.
  std::string next;                   ///< metadata.continue, the token for the next page; "" on the last one.
  std::vector<std::string_view> items;
};

/// Reads a page in one pass over the body. Items must be objects, but their contents are not checked.
/// @return the page, or an error: "byte 17: expected …".
std::expected<ListPage, std::string> read_list_page(std::string_view body);

}  // namespace winnow::live
