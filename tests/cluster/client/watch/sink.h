// The sink of a reflector's objects in tests.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/watch/resource.h"
#include "tests/cluster/client/watch/fake_etcd.h"

namespace winnow::live {

/// Keeps the objects, and checks at every step that resource versions never go back, except after
/// on_rewind(). Other calls are counted.
class CheckedSink final : public ObjectSink, public ReflectorObserver {
 public:
  void begin_list() override;
  bool list(std::string_view object) override;
  void end_list(std::string_view resource_version) override;
  void leave_unread() override { ++left_unread; }
  bool set(std::string_view object) override;
  bool remove(std::string_view object) override;
  void flush() override { dirty_ = false; }

  void on_list(const Resource&, std::string_view, std::size_t objects) override;
  void on_watch(const Resource&, std::string_view server) override;
  void on_events(const Resource&, std::string_view, std::size_t count) override { events += count; }
  void on_bookmark(const Resource&, std::string_view) override { ++bookmarks; }
  void on_error(const Resource&, std::string_view server, WatchError, std::string_view message) override;
  void on_slow_list(const Resource&, std::string_view server, std::size_t bytes) override;
  void on_rewind(const Resource&, std::string_view from, std::string_view to) override;

  std::size_t count(WatchError watch_error) const { return troubles[static_cast<std::size_t>(watch_error)]; }
  /// The first difference to the expected objects; "" if there is none.
  std::string compare(const FakeEtcd::Objects& truth) const;

  FakeEtcd::Objects objects;
  std::vector<std::string> violations;
  std::vector<std::string> slow;  ///< "https://a: 17": the server and the bytes of each slow list.
  bool misses_events = false;     ///< A server may leave an object's ADDED out.
  std::function<void()> rewound = [] {};
  std::size_t lists = 0, watches = 0, events = 0, bookmarks = 0, rewinds = 0, left_unread = 0;
  std::size_t troubles[kWatchErrors] = {};
  std::function<void(std::string)> tell = [](const std::string&) {};  ///< Gets a line for each call.

 private:
  void wrong(std::string what);
  void newer(FakeEtcd::Version version, std::string_view what);

  FakeEtcd::Objects listed_;
  FakeEtcd::Version version_ = 0;
  bool listing_ = false, dirty_ = false, rewinding_ = false;
};

}  // namespace winnow::live
