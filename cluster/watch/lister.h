// Lists a resource.
//
// The idea: a list is read in one of two ways. From etcd, it is the newest, and comes in pages; each page
// has a token for the next one. From a server's watch cache, it comes whole, costs etcd nothing, and may be
// late; so the request says how old it may be at most. The first list is of the first way, later ones of the
// second.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/servers/retry_after.h"
#include "cluster/servers/watch_error.h"
#include "cluster/transport/transport.h"
#include "cluster/watch/list_page.h"
#include "cluster/watch/object_sink.h"
#include "cluster/watch/resource.h"

namespace winnow::live {

/// Lists as client-go does (tools/pager/pager.go v0.37.0). A later page is asked for by its token alone.
/// When the history of a later page is gone, the list is asked for whole. After a whole list that was too
/// large for one answer, all lists are asked for in pages. After one that took too long, the next ones are,
/// until a list has come. For one thread.
class Lister {
 public:
  static constexpr std::size_t kPage = 500;
  static constexpr std::chrono::seconds kLimit{60};  ///< For a page: kube-apiserver's own --request-timeout.

  /// Everything outlives the lister.
  Lister(const Resource& resource, ObjectSink& sink, ApiTransport& transport, const RetryAfter& retry)
      : resource_(resource), sink_(sink), transport_(transport), retry_(retry) {}

  struct Listed {
    std::string resource_version;
    std::size_t objects = 0;
  };
  /// Brings a whole list to the sink, except for its end_list().
  /// @param not_older_than  the list is of this resource version or newer, from the server's cache. "": the
  /// newest, from etcd; so is every list where a whole one is too much.
  /// @param known  a list that is older is refused (kOlder) before the sink hears of it; "" takes any.
  std::expected<Listed, Failure> list(const std::string& server, std::string_view not_older_than,
                                      std::string_view known, const std::stop_token& stop);

  /// Whether the server has got as far as `known`, by a list of one object.
  std::expected<void, Failure> probe(const std::string& server, std::string_view known,
                                     const std::stop_token& stop);

 private:
  struct Body {
    std::string text;
    ListPage page;  ///< Points into text.
  };
  std::expected<void, Failure> fetch(const std::string& server, std::string path, Body& body,
                                     const std::stop_token& stop);
  std::expected<void, Failure> check(const ListPage& page, std::string_view known) const;
  std::string first_path(std::string_view not_older_than, std::size_t limit) const;
  std::string next_path(std::string_view token) const;
  void hand_over(const ListPage& page, Listed& listed);
  bool whole_is_too_much() const { return too_large_ || too_slow_; }

  const Resource& resource_;
  ObjectSink& sink_;
  ApiTransport& transport_;
  const RetryAfter& retry_;
  bool too_large_ = false;  ///< A whole list was larger than an answer may be.
  bool too_slow_ = false;   ///< The last whole list that was asked for has not come in time.
};

}  // namespace winnow::live
