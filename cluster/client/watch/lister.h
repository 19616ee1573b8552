// The lister of a resource, and a page of a list, as an API server sends it.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/watch/list_stream.h"

namespace winnow::live {

class ApiTransport;
class ObjectSink;
class ReflectorObserver;
class RetryAfter;
struct Resource;

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

// The lister: lists a resource.
//
// A list is read in one of three ways. From etcd it is the newest, and comes in pages, each with a token for
// the next one. From a server's watch cache it comes in one answer and does not load etcd, but it may be old.
// So the request has a minimum resource version. As a stream (list_stream.h) it comes from the watch cache,
// too, object by object, and is as new as etcd or the minimum. A server that refuses streams is asked the
// other ways: for the first list etcd, for later ones its cache.

/// A lister of one resource, like client-go's (tools/pager/pager.go v0.37.0). A later page is requested by
/// its token alone. If a later page's history is gone, the list is requested in one answer. If that answer
/// was too large, all later lists are requested in pages. If it took too long, they are until a list has
/// succeeded. For one thread.
class Lister {
 public:
  static constexpr std::size_t kPage = 500;
  static constexpr std::size_t kEmptyPages = 100;     ///< In a row; a list with more never ends.
  static constexpr std::size_t kObjects = 5'000'000;  ///< Ten times what the largest clusters have.
  static constexpr std::chrono::seconds kLimit{60};   ///< For a page; kube-apiserver's own --request-timeout.

  /// All arguments must outlive the lister. @param observer  gets on_slow_list() and on_error().
  Lister(const Resource& resource, ObjectSink& sink, ApiTransport& transport, Clock& clock,
         const RetryAfter& retry, ReflectorObserver& observer)
      : resource_(resource),
        sink_(sink),
        transport_(transport),
        retry_(retry),
        observer_(observer),
        stream_(resource, sink, transport, clock, retry, observer) {}

  /// A complete list: its resource version and the number of objects.
  struct Listed {
    std::string resource_version;
    std::size_t objects = 0;
    std::size_t empty_pages = 0;  ///< The last ones, in a row.
    /// What has happened since, in order. It is to be taken in after end_list().
    std::vector<LaterEvent> later;
    std::string later_version;  ///< The version that `later` reaches; "" without it.
  };
  /// Passes a complete list to the sink, without the final end_list().
  /// @param not_older_than  the minimum resource version of the list, which comes from the server's cache.
  ///   "": the newest list. While whole lists are too large or too slow, all pages come from etcd.
  /// @param known  an older list is refused (kOlder); "" accepts any. Of pages the sink gets nothing then.
  /// @param from_etcd  with "" before it: etcd itself is to be asked, in pages.
  std::expected<Listed, Failure> list(const std::string& server, std::string_view not_older_than,
                                      std::string_view known, bool from_etcd, const std::stop_token& stop);

  /// Asks, by a list of one object, whether the server has reached `known`.
  std::expected<void, Failure> probe(const std::string& server, std::string_view known,
                                     const std::stop_token& stop);

 private:
  struct Body {
    std::string text;
    ListPage page;  ///< Points into text.
  };
  std::expected<Listed, Failure> list_pages(const std::string& server, std::string_view not_older_than,
                                            std::string_view known, const std::stop_token& stop);
  std::expected<void, Failure> fetch(const std::string& server, std::string path, Body& body,
                                     const std::stop_token& stop);
  std::expected<void, Failure> check(const ListPage& page, std::string_view known) const;
  std::string first_path(std::string_view not_older_than, std::size_t limit) const;
  std::string next_path(std::string_view token) const;
  std::expected<void, Failure> hand_over(const std::string& server, const ListPage& page, Listed& listed);
  bool whole_is_too_much() const { return too_large_ || too_slow_; }

  const Resource& resource_;
  ObjectSink& sink_;
  ApiTransport& transport_;
  const RetryAfter& retry_;
  ReflectorObserver& observer_;
  ListStream stream_;
  bool too_large_ = false;  ///< A whole list was larger than the limit of an answer.
  bool too_slow_ = false;   ///< The last request for a whole list timed out.
};

}  // namespace winnow::live
