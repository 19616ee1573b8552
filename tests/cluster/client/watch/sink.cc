#include "tests/cluster/client/watch/sink.h"

#include <cstdlib>

#include "tests/failing_memory.h"

namespace winnow::live {

void CheckedSink::wrong(std::string what) {
  tell("WRONG: " + what);
  violations.push_back(std::move(what));
}

void CheckedSink::newer(FakeEtcd::Version version, std::string_view what) {
  if (version < version_)
    wrong(std::string(what) + " at " + std::to_string(version) + " after " + std::to_string(version_));
  version_ = version;
}

void CheckedSink::begin_list() {
  const test::TestCode own;
  listed_.clear();
  listing_ = true;
  dirty_ = false;  // Events that were not flushed are dropped.
}

bool CheckedSink::list(std::string_view object) {
  const test::TestCode own;
  if (!listing_) wrong("an object of a list that has not begun");
  if (!listed_.emplace(name_of(object), without_kind(object)).second)
    wrong(name_of(object) + " is twice in a list");
  return true;
}

void CheckedSink::end_list(std::string_view resource_version) {
  const test::TestCode own;
  if (!listing_) wrong("a list that has not begun ends");
  const FakeEtcd::Version version = std::strtoull(std::string(resource_version).c_str(), nullptr, 10);
  if (rewinding_) version_ = version;
  rewinding_ = listing_ = false;
  newer(version, "a list");
  objects = std::move(listed_);
  listed_.clear();
}

bool CheckedSink::set(std::string_view object) {
  const test::TestCode own;
  newer(version_of(object), "set " + name_of(object));
  tell("set " + name_of(object) + " at " + std::to_string(version_));
  objects[name_of(object)] = without_kind(object);
  dirty_ = true;
  return true;
}

bool CheckedSink::remove(std::string_view object) {
  const test::TestCode own;
  const bool again = version_of(object) == version_;  // A watch may repeat an object of the list.
  newer(version_of(object), "remove " + name_of(object));
  tell("remove " + name_of(object) + " at " + std::to_string(version_));
  if (objects.erase(name_of(object)) == 0 && !again && !misses_events)
    wrong("removed, but not known: " + name_of(object));
  dirty_ = true;
  return true;
}

void CheckedSink::on_list(const Resource&, std::string_view, std::size_t count) {
  const test::TestCode own;
  ++lists;
  tell("a list of " + std::to_string(count) + " at " + std::to_string(version_));
  if (count != objects.size()) wrong("a list's objects are counted wrong");
}

void CheckedSink::on_watch(const Resource&, std::string_view server) {
  const test::TestCode own;
  ++watches;
  tell("watch open at " + std::string(server));
}

void CheckedSink::on_error(const Resource&, std::string_view server, WatchError watch_error,
                           std::string_view message) {
  const test::TestCode own;
  ++troubles[static_cast<std::size_t>(watch_error)];
  tell(std::string(to_string(watch_error)) + " " + std::string(server) + ": " + std::string(message));
}

void CheckedSink::on_slow_list(const Resource&, std::string_view server, std::size_t bytes) {
  const test::TestCode own;
  slow.push_back(std::string(server) + ": " + std::to_string(bytes));
}

void CheckedSink::on_rewind(const Resource&, std::string_view, std::string_view) {
  const test::TestCode own;
  if (!rewinding_) {  // It is told again when the list before was dropped.
    ++rewinds;
    rewound();
  }
  tell("older data is taken");
  rewinding_ = true;
}

std::string CheckedSink::compare(const FakeEtcd::Objects& truth) const {
  if (dirty_) return "what was set has not been flushed";
  for (const auto& [name, object] : truth)
    if (const auto found = objects.find(name); found == objects.end())
      return name + " is missing";
    else if (found->second != object)
      return name + " is " + found->second + ", should be " + object;
  for (const auto& [name, object] : objects)
    if (!truth.contains(name)) return name + " should be gone";
  return {};
}

}  // namespace winnow::live
