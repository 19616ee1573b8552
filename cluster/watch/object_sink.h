// The receiver of one resource's objects.
#pragma once

#include <exception>
#include <string_view>

namespace winnow::live {

/// Thrown by a sink that has lost what it was given: another writer to the same picture has failed.
class SinkLost : public std::exception {
 public:
  const char* what() const noexcept override { return "the objects were lost, and are listed again"; }
};

/// A receiver of the objects that a reflector reads, in the order of the API server's history. Objects are
/// JSON texts. If the sink cannot decode one, it reports that and keeps the object's previous state. Called
/// by one thread.
///
/// A call throws std::bad_alloc if memory is short, or SinkLost. The next call is then begin_list().
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  /// Starts a list. A list that was started and not ended is dropped.
  virtual void begin_list() = 0;
  /// An object of the list. Readers need not see it before end_list(). A first list may be shown earlier, as
  /// readers wait for its end.
  virtual void list(std::string_view object) = 0;
  /// Ends a complete list. It replaces all objects of the resource: an object that is not in the list is
  /// gone.
  virtual void end_list(std::string_view resource_version) = 0;

  /// An ADDED or MODIFIED event.
  virtual void set(std::string_view object) = 0;
  /// A DELETED event, with the object's last state.
  virtual void remove(std::string_view object) = 0;
  /// Ends a batch of events. Readers must see its changes from now on.
  virtual void flush() = 0;
};

}  // namespace winnow::live
