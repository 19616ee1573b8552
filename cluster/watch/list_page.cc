#include "cluster/watch/list_page.h"

#include "cluster/text/json/json_members.h"

namespace winnow::live {
namespace {

void read_metadata(JsonScan& scan, ListPage& page) {
  read_object(scan, [&](std::string_view key) {
    if (key == "resourceVersion")
      page.resource_version = raw_string(scan);
    else if (key == "continue")
      page.next = string_text(scan);
    else
      scan.value();
  });
}

void read_items(JsonScan& scan, ListPage& page) {
  page.items.clear();
  read_elements(scan, [&] {
    if (scan.peek() == '{')
      page.items.push_back(scan.value());
    else
      scan.fail("an object");
  });
}

}  // namespace

std::expected<ListPage, std::string> read_list_page(std::string_view body) {
  JsonScan scan(body);
  ListPage page;
  read_members(scan, [&](std::string_view key) {
    if (key == "kind")
      page.kind = raw_string(scan);
    else if (key == "metadata")
      read_metadata(scan, page);
    else if (key == "items")
      read_items(scan, page);
    else
      scan.value();
  });
  if (!scan.expect_end()) return std::unexpected(scan.error());
  return page;
}

}  // namespace winnow::live
