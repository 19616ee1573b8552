#include "cluster/client/watch/lister.h"

#include <exception>
#include <format>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/servers/backoff.h"
#include "cluster/client/transport/transport.h"
#include "cluster/client/watch/reflector_status.h"
#include "cluster/client/watch/resource.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_scan.h"

namespace winnow::live {
namespace {

std::unexpected<Failure> failure(WatchError watch_error, std::string_view message) {
  return std::unexpected(Failure{watch_error, one_line(message)});
}

}  // namespace

// A list at a resource version has no limit: with one, some releases do not answer from the watch cache.
std::string Lister::first_path(std::string_view not_older_than, std::size_t limit) const {
  Query query(resource_.path);
  query.add("fieldSelector", resource_.field_selector);
  if (limit > 0) query.add("limit", std::to_string(limit));
  query.add("resourceVersion", not_older_than);
  if (!not_older_than.empty()) query.add("resourceVersionMatch", "NotOlderThan");
  return query.path();
}

// The token contains the resource version. A server refuses a second one.
std::string Lister::next_path(std::string_view token) const {
  return Query(resource_.path)
      .add("fieldSelector", resource_.field_selector)
      .add("limit", std::to_string(kPage))
      .add("continue", token)
      .path();
}

std::expected<void, Failure> Lister::fetch(const std::string& server, std::string path, Body& body,
                                           const std::stop_token& stop) {
  const auto tell = [&](std::size_t bytes) {
    try {
      observer_.on_slow_list(resource_, server, bytes);
    } catch (const std::exception&) {  // To tell of it takes memory. The list may succeed without.
    }
  };
  const ApiRequest request{.path = std::move(path), .on_slow = tell, .answer = AnswerOf::kList};
  auto answer = retry_.ask([&] { return transport_.call(server, request, kLimit, stop); }, stop);
  if (!answer) return std::unexpected(failure_of(answer.error()));
  if (answer->status != 200) {
    Failure failure = failure_of(*answer);
    // The server's own limit for a request has expired, not Winnow's.
    if (answer->status == 504 && failure.watch_error == WatchError::kRefused)
      failure.watch_error = WatchError::kTimeout;
    return std::unexpected(std::move(failure));
  }
  body.text = std::move(answer->body);
  auto page = read_list_page(body.text);
  if (!page) return failure(WatchError::kMalformed, "a list: " + page.error());
  body.page = std::move(*page);
  return {};
}

std::expected<void, Failure> Lister::check(const ListPage& page, std::string_view known) const {
  if (page.kind != resource_.kind + "List")
    return failure(WatchError::kMalformed,
                   "expected a " + resource_.kind + "List, found " + go_quote(page.kind));
  if (!is_resource_version(page.resource_version))
    return failure(WatchError::kMalformed, "a list's resource version: expected a number above 0, found \"" +
                                               std::string(page.resource_version) + '"');
  if (is_older(page.resource_version, known))
    return failure(WatchError::kOlder, "a list at " + std::string(page.resource_version) + ", but " +
                                           std::string(known) + " is known");
  return {};
}

std::expected<void, Failure> Lister::hand_over(const std::string& server, const ListPage& page,
                                               Listed& listed) {
  listed.objects += page.items.size();
  listed.empty_pages = page.items.empty() ? listed.empty_pages + 1 : 0;
  if (listed.empty_pages > kEmptyPages)
    return failure(WatchError::kMalformed,
                   std::format("{} pages in a row without an object", listed.empty_pages));
  if (listed.objects > kObjects)
    return failure(WatchError::kMalformed, std::format("a list of more than {} objects", kObjects));
  for (const std::string_view item : page.items)
    // One object that makes no sense does not keep the others out.
    if (!sink_.list(item))
      observer_.on_error(resource_, server, WatchError::kMalformed, "a list: an object is no JSON");
  return {};
}

std::expected<Lister::Listed, Failure> Lister::list(const std::string& server,
                                                    std::string_view not_older_than, std::string_view known,
                                                    bool from_etcd, const std::stop_token& stop) {
  if (from_etcd || !resource_.streams_lists) return list_pages(server, not_older_than, known, stop);
  auto streamed = stream_.list(server, not_older_than, known, stop);
  if (!streamed) return std::unexpected(std::move(streamed.error()));
  if (!*streamed) return list_pages(server, not_older_than, known, stop);
  StreamedList& list = **streamed;
  return Listed{std::move(list.resource_version), list.objects, 0, std::move(list.later),
                std::move(list.later_version)};
}

std::expected<Lister::Listed, Failure> Lister::list_pages(const std::string& server,
                                                          std::string_view not_older_than,
                                                          std::string_view known,
                                                          const std::stop_token& stop) {
  Body body;
  Listed listed;
  std::string token;
  const bool paged = not_older_than.empty() || whole_is_too_much();
  // With a limit and a resource version, some releases answer with exactly that version.
  if (paged) not_older_than = "";
  const auto first = [&](std::size_t limit) -> std::expected<void, Failure> {
    if (auto got = fetch(server, first_path(not_older_than, limit), body, stop); !got) {
      if (limit == 0 && got.error().watch_error == WatchError::kOversized) too_large_ = true;
      if (limit == 0 && got.error().watch_error == WatchError::kTimeout) too_slow_ = true;
      return got;
    }
    if (auto good = check(body.page, known); !good) return good;
    listed = {.resource_version = std::string(body.page.resource_version)};
    sink_.begin_list();
    return {};
  };
  if (auto got = first(paged ? kPage : 0); !got) return std::unexpected(got.error());
  for (;;) {
    if (auto good = hand_over(server, body.page, listed); !good) return std::unexpected(good.error());
    if (body.page.next.empty()) break;
    if (body.page.next == token) return failure(WatchError::kMalformed, "a page that is its own next page");
    token = body.page.next;
    auto got = fetch(server, next_path(token), body, stop);
    if (!got && got.error().watch_error == WatchError::kExpired && !whole_is_too_much()) got = first(0);
    // Only the first page's age is checked. The other pages have the same version.
    if (got) got = check(body.page, "");
    if (!got) return std::unexpected(got.error());
  }
  too_slow_ = false;
  return listed;
}

std::expected<void, Failure> Lister::probe(const std::string& server, std::string_view known,
                                           const std::stop_token& stop) {
  Body body;
  if (auto got = fetch(server, first_path(known, 1), body, stop); !got) return got;
  return check(body.page, known);
}

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
