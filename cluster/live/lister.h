// Lists a resource.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "cluster/live/list_page.h"
#include "cluster/live/object_sink.h"
#include "cluster/live/resource.h"
#include "cluster/live/retry_after.h"
#include "cluster/live/transport.h"
#include "cluster/live/trouble.h"

namespace winnow::live {

/// Lists as client-go does (tools/pager/pager.go v0.37.0): in pages from etcd, or whole from the server's
/// cache; pages go by their token alone; when the history of a list's later page is gone, the list is asked
/// for whole. A list that was too large for one answer is asked for in pages only from then on, one that took
/// too long until a list has come: another try would end as the last one did. For one thread.
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
  /// @param not_older_than  the resource version that the server must have; "" for the newest that there is,
  /// which is also what is asked for where a whole list is too much.
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
