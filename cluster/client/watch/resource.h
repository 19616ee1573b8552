// A resource of the API that is listed and watched, the receiver of its objects, the observer of reflectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

#include "cluster/api/kinds.h"

namespace winnow::live {

enum class WatchError : std::uint8_t;

/// The names of a resource for requests and answers.
struct Resource {
  std::string name;            ///< "pods"
  std::string path;            ///< "/api/v1/pods"
  std::string kind;            ///< "Pod"; a list's kind has "List" behind it.
  std::string field_selector;  ///< "" for all objects.
  KindPresence presence = kRequired;
  /// Lists are asked for as streams (WatchList), where a server has them.
  bool streams_lists = false;
};

// The receiver of one resource's objects.

/// Thrown by a sink that has lost what it was given: another writer to the same cache has failed.
class SinkLost : public std::exception {
 public:
  const char* what() const noexcept override { return "the objects were lost, and are listed again"; }
};

/// A receiver of the objects that a reflector reads, in the order of the API server's history. Objects are
/// JSON texts. If the sink cannot decode one, it reports that and keeps the object's previous state. Only a
/// text that is no JSON is the caller's to report. Called by one thread.
///
/// A call throws std::bad_alloc if memory is short, or SinkLost. The next call is then begin_list().
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  /// Starts a list. A list that was started and not ended is dropped.
  virtual void begin_list() = 0;
  /// An object of the list. Readers need not see it before end_list(). A first list may be shown earlier, as
  /// readers wait for its end. @return false: the text is no JSON, and nothing was done.
  virtual bool list(std::string_view object) = 0;
  /// Ends a complete list. It replaces all objects of the resource: an object that is not in the list is
  /// gone.
  virtual void end_list(std::string_view resource_version) = 0;
  /// Notes that no server lets the resource be read any more. What is known of it stays. The next call is
  /// begin_list().
  virtual void leave_unread() {}

  /// An ADDED or MODIFIED event. @return as list().
  virtual bool set(std::string_view object) = 0;
  /// A DELETED event, with the object's last state. @return as list().
  virtual bool remove(std::string_view object) = 0;
  /// Ends a batch of events. Readers must see its changes from now on.
  virtual void flush() = 0;
};

// The observer of reflectors.

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
  /// Older data is about to be accepted, because etcd was restored.
  virtual void on_rewind(const Resource&, std::string_view from, std::string_view to) = 0;
};

}  // namespace winnow::live
