// One page of a list, as an API server answers it.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace winnow::live {

/// Points into the body it was read from.
struct ListPage {
  std::string_view kind;              ///< "PodList"
  std::string_view resource_version;  ///< Of the list (metadata.resourceVersion), never of an item.
  std::string next;  ///< metadata.continue: what to ask for the next page with; "" on the last one.
  std::vector<std::string_view> items;
};

/// One pass over the body. Items are delimited, not looked into, but they are objects.
/// @return or what is wrong: "byte 17: expected …".
std::expected<ListPage, std::string> read_list_page(std::string_view body);

}  // namespace winnow::live
