// The observer of reflectors.
#pragma once

#include <cstddef>
#include <string_view>

#include "cluster/servers/watch_error.h"
#include "cluster/watch/resource.h"

namespace winnow::live {

/// A receiver of what happens in reflectors, for counters and the log. Called by the threads of reflectors.
class ReflectorObserver {
 public:
  virtual ~ReflectorObserver() = default;
  virtual void on_list(const Resource&, std::string_view server, std::size_t objects) = 0;  ///< Taken in.
  virtual void on_watch(const Resource&, std::string_view server) = 0;                      ///< Opened.
  virtual void on_events(const Resource&, std::string_view server, std::size_t events) = 0;
  virtual void on_bookmark(const Resource&, std::string_view server) = 0;
  /// @param message  one readable line, without secrets.
  virtual void on_error(const Resource&, std::string_view server, WatchError, std::string_view message) = 0;
  /// A list, or a page of one, is not whole after ApiTransport::kSlow. @param bytes  what has come of it.
  virtual void on_slow_list(const Resource&, std::string_view server, std::size_t bytes) = 0;
  /// An optional resource is not read; once for each reason. @param missing_right  as in ReflectorStatus.
  virtual void on_unread(const Resource&, std::string_view missing_right) = 0;
  /// Older data is about to be accepted, because etcd was restored.
  virtual void on_rewind(const Resource&, std::string_view from, std::string_view to) = 0;
};

}  // namespace winnow::live
