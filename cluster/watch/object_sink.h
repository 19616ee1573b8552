// Where the objects of one resource go.
#pragma once

#include <string_view>

namespace winnow::live {

/// Takes in what a reflector learns of its resource, in the order of the API server's history. Objects are
/// JSON texts; one that cannot be decoded is the sink's to report, and to leave as it was. Called by one
/// thread.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;

  /// A list begins. One that was begun and not ended is forgotten.
  virtual void begin_list() = 0;
  /// An object of the list. It is kept aside until end_list().
  virtual void list(std::string_view object) = 0;
  /// The list is whole. It replaces in one step all that was known of the resource: what it does not have is
  /// gone.
  virtual void end_list(std::string_view resource_version) = 0;

  /// ADDED or MODIFIED.
  virtual void set(std::string_view object) = 0;
  /// DELETED, with the object's last state.
  virtual void remove(std::string_view object) = 0;
  /// No more events are at hand. Readers must now see what was set and removed.
  virtual void flush() = 0;
};

}  // namespace winnow::live
