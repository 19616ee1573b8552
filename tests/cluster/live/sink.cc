#include "tests/cluster/live/sink.h"

#include <cstdlib>

namespace winnow::live {

void CheckedSink::newer(FakeEtcd::Version version, std::string_view what) {
  if (version < version_)
    violations.push_back(std::string(what) + " at " + std::to_string(version) + " after " +
                         std::to_string(version_));
  version_ = version;
}

void CheckedSink::begin_list() {
  listed_.clear();
  listing_ = true;
}

void CheckedSink::list(std::string_view object) {
  if (!listing_) violations.push_back("an object of a list that has not begun");
  if (!listed_.emplace(name_of(object), object).second)
    violations.push_back(name_of(object) + " is twice in a list");
}

void CheckedSink::end_list(std::string_view resource_version) {
  if (!listing_) violations.push_back("a list that has not begun ends");
  const FakeEtcd::Version version = std::strtoull(std::string(resource_version).c_str(), nullptr, 10);
  if (rewinding_) version_ = version;
  rewinding_ = listing_ = false;
  newer(version, "a list");
  objects = std::move(listed_);
  listed_.clear();
}

void CheckedSink::set(std::string_view object) {
  newer(version_of(object), "set " + name_of(object));
  objects[name_of(object)] = without_kind(object);
  dirty_ = true;
}

void CheckedSink::remove(std::string_view object) {
  newer(version_of(object), "remove " + name_of(object));
  if (objects.erase(name_of(object)) == 0) violations.push_back("removed, but not known: " + name_of(object));
  dirty_ = true;
}

void CheckedSink::on_list(const Resource&, std::string_view, std::size_t count) {
  ++lists;
  if (count != objects.size()) violations.push_back("a list's objects are counted wrong");
}

void CheckedSink::on_watch(const Resource&, std::string_view) { ++watches; }

void CheckedSink::on_trouble(const Resource&, std::string_view server, Trouble trouble,
                             std::string_view message) {
  ++troubles[static_cast<std::size_t>(trouble)];
  log.push_back(std::string(to_string(trouble)) + " " + std::string(server) + ": " + std::string(message));
}

void CheckedSink::on_rewind(const Resource&, std::string_view, std::string_view) {
  ++rewinds;
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
