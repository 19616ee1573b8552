#include "tests/cluster/client/watch/fake_etcd.h"

#include <algorithm>
#include <cstdlib>

namespace winnow::live {
namespace {

std::string_view between(std::string_view text, std::string_view before, std::string_view behind) {
  const std::size_t start = text.find(before);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + before.size());
  return text.substr(0, text.find(behind));
}

}  // namespace

std::string without_kind(std::string_view object) {
  constexpr std::string_view kBehind = R"("apiVersion":"v1",)";
  const std::size_t end = object.find(kBehind);
  return end == std::string_view::npos ? std::string(object)
                                       : "{" + std::string(object.substr(end + kBehind.size()));
}

std::string name_of(std::string_view object) { return std::string(between(object, R"("name":")", "\"")); }

FakeEtcd::Version version_of(std::string_view object) {
  return std::strtoull(std::string(between(object, R"("resourceVersion":")", "\"")).c_str(), nullptr, 10);
}

void FakeEtcd::write(Clock::Time at, const Resource& resource, std::string_view type, std::string_view name,
                     std::string_view content, Version skip) {
  Era& era = eras_.back();
  const Version version = era.last() + 1 + skip;
  std::string object = R"({"kind":")" + resource.kind + R"(","apiVersion":"v1","metadata":{"name":")";
  object.append(name).append(R"(","resourceVersion":")").append(std::to_string(version));
  object.append(R"("},"spec":{"content":")").append(content).append("\"}}");
  era.changes.push_back(
      {at, version, resource.name, std::string(type), std::string(name), std::move(object)});
}

void FakeEtcd::set(Clock::Time at, const Resource& resource, std::string_view name, std::string_view content,
                   Version skip) {
  const bool is_new = there_.emplace(resource.name, name).second;
  write(at, resource, is_new ? "ADDED" : "MODIFIED", name, content, skip);
}

void FakeEtcd::remove(Clock::Time at, const Resource& resource, std::string_view name, Version skip) {
  there_.erase({resource.name, std::string(name)});
  write(at, resource, "DELETED", name, "gone", skip);
}

void FakeEtcd::restore(Clock::Time at, Version version) {
  Era era{at, eras_.back().changes};
  std::erase_if(era.changes, [&](const Change& change) { return change.version > version; });
  there_.clear();
  for (const Change& change : era.changes)
    if (change.type == "DELETED")
      there_.erase({change.resource, change.name});
    else
      there_.emplace(change.resource, change.name);
  eras_.push_back(std::move(era));
}

const FakeEtcd::Era& FakeEtcd::era(Clock::Time at) const {
  const auto* found = &eras_.front();
  for (const Era& era : eras_)
    if (era.from <= at) found = &era;
  return *found;
}

FakeEtcd::Version FakeEtcd::version(Clock::Time at) const {
  const auto& changes = era(at).changes;
  const auto after =
      std::ranges::partition_point(changes, [&](const Change& change) { return change.at <= at; });
  return after == changes.begin() ? 1 : std::prev(after)->version;
}

FakeEtcd::Objects FakeEtcd::objects(Clock::Time at, std::string_view resource) const {
  return objects(era(at), version(at), resource);
}

FakeEtcd::Objects FakeEtcd::objects(const Era& era, Version version, std::string_view resource) {
  Objects objects;
  for (const Change& change : era.changes) {
    if (change.version > version) break;
    if (change.resource != resource) continue;
    if (change.type == "DELETED")
      objects.erase(change.name);
    else
      objects[change.name] = without_kind(change.object);
  }
  return objects;
}

}  // namespace winnow::live
