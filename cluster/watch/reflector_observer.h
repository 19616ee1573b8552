// Who is told what reflectors go through.
#pragma once

#include <cstddef>
#include <string_view>

#include "cluster/servers/watch_error.h"
#include "cluster/watch/resource.h"

namespace winnow::live {

/// Is told what happens, for counters and the log. Any reflector's thread.
class ReflectorObserver {
 public:
  virtual ~ReflectorObserver() = default;
  virtual void on_list(const Resource&, std::string_view server, std::size_t objects) = 0;  ///< Taken in.
  virtual void on_watch(const Resource&, std::string_view server) = 0;                      ///< Opened.
  virtual void on_events(const Resource&, std::string_view server, std::size_t events) = 0;
  virtual void on_bookmark(const Resource&, std::string_view server) = 0;
  /// @param message one line for people, nothing secret.
  virtual void on_error(const Resource&, std::string_view server, WatchError, std::string_view message) = 0;
  /// Older data is about to be taken after all: every server has been asked for long enough (a restored
  /// etcd).
  virtual void on_rewind(const Resource&, std::string_view from, std::string_view to) = 0;
};

}  // namespace winnow::live
