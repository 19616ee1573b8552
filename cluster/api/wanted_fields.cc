#include "cluster/api/wanted_fields.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/mutex.h"
#include "cluster/text/json.h"
#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

/// Keys, and what is wanted of the value of each. A leaf wants all of it.
struct Wanted {
  std::map<std::string, Wanted, std::less<>> keys;

  void add(std::span<const std::string> path) {
    if (path.empty()) return;
    const auto [place, is_new] = keys.try_emplace(path.front());
    if (!is_new && place->second.keys.empty()) return;  // All of it is wanted already.
    if (path.size() == 1) place->second.keys.clear();
    place->second.add(path.subspan(1));
  }

  /// Appends the wanted members of an object. An object without any is kept empty: that it is there counts.
  void append_to(std::string& out, const rapidjson::Value& object) const {
    const std::size_t begin = out.size();
    out += '{';
    for (const auto& [key, wanted] : keys) {
      const auto member = object.FindMember(rapidjson::StringRef(key.data(), key.size()));
      if (member == object.MemberEnd() || member->value.IsNull()) continue;
      if (!wanted.keys.empty() && !member->value.IsObject()) continue;
      if (out.size() > begin + 1) out += ',';
      append_quoted(out, key);
      out += ':';
      if (wanted.keys.empty())
        append_value(out, member->value);
      else
        wanted.append_to(out, member->value);
    }
    out += '}';
  }
};

/// The list in force. It is replaced as a whole, so that decoders hold the lock for a moment alone.
class List {
 public:
  /// Null: nothing is wanted.
  std::shared_ptr<const Wanted> wanted() {
    if (!any_.load(std::memory_order_acquire)) return nullptr;
    const MutexLock lock(mutex_);
    return wanted_;
  }
  void add(std::span<const std::string> pointers) {
    const MutexLock lock(mutex_);
    auto more = wanted_ ? std::make_shared<Wanted>(*wanted_) : std::make_shared<Wanted>();
    for (const std::string& pointer : pointers) more->add(path_of(pointer));
    wanted_ = std::move(more);
    any_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> any_ = false;
  Mutex mutex_;
  std::shared_ptr<const Wanted> wanted_ WINNOW_GUARDED_BY(mutex_);
};

List& list_of(FieldsOf of) {
  static List kLists[2];
  return kLists[static_cast<std::size_t>(of)];
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::string pointer_of(const FieldPath& path) {
  std::string pointer;
  for (std::string key : path) {
    replace_all(key, "~", "~0");
    replace_all(key, "/", "~1");
    pointer += '/' + key;
  }
  return pointer;
}

FieldPath path_of(std::string_view pointer) {
  FieldPath path;
  while (pointer.starts_with('/')) {
    pointer.remove_prefix(1);
    std::string key(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(key.size());
    replace_all(key, "~1", "/");
    replace_all(key, "~0", "~");
    path.push_back(std::move(key));
  }
  return path;
}

std::vector<std::string> least_fields(std::vector<std::string> pointers) {
  std::ranges::sort(pointers);
  std::vector<std::string> least;
  for (std::string& one : pointers)
    if (std::ranges::none_of(
            least, [&](const std::string& outer) { return one == outer || one.starts_with(outer + '/'); }))
      least.push_back(std::move(one));
  return least;
}

void want_fields(FieldsOf of, std::span<const std::string> pointers) {
  if (pointers.empty()) return;
  list_of(of).add(pointers);
}

namespace {

std::atomic<bool> wants_starts = false;

}  // namespace

void want_running_since() { wants_starts.store(true, std::memory_order_relaxed); }
bool wants_running_since() { return wants_starts.load(std::memory_order_relaxed); }

std::string kept_fields(FieldsOf of, const Reader& object) {
  std::string kept;
  if (const auto wanted = list_of(of).wanted(); wanted && object.value().IsObject())
    wanted->append_to(kept, object.value());
  return kept == "{}" ? std::string() : kept;
}

namespace {

using Json = rapidjson::Value;
using Memory = rapidjson::Document::AllocatorType;

Json text_in(const std::string& text, Memory& memory) {
  return Json(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory);
}

void put(Json& object, const std::string& key, Json value, Memory& memory) {
  Json name = text_in(key, memory);
  if (const auto known = object.FindMember(name); known != object.MemberEnd())
    known->value = std::move(value);
  else
    object.AddMember(std::move(name), std::move(value), memory);
}
void put(Json& object, const std::string& key, const std::string& text, Memory& memory) {
  if (!text.empty()) put(object, key, text_in(text, memory), memory);
}

/// The member of that name, as an object.
Json& object_in(Json& object, const char* key, Memory& memory) {
  if (!object.HasMember(key) || !object[key].IsObject())
    put(object, key, Json(rapidjson::kObjectType), memory);
  return object[key];
}

void put_metadata(Json& pod, const ObjectMeta& made, Memory& memory) {
  Json& metadata = object_in(pod, "metadata", memory);
  put(metadata, "name", made.name, memory);
  put(metadata, "namespace", made.namespace_, memory);
  put(metadata, "uid", made.uid, memory);
  for (const auto& [of, map] : {std::pair("labels", &made.labels), {"annotations", &made.annotations}})
    for (const auto& [key, value] : *map)
      put(object_in(metadata, of, memory), key, text_in(value, memory), memory);
  Json owners(rapidjson::kArrayType);
  for (const OwnerReference& one : made.owner_references) {
    Json owner(rapidjson::kObjectType);
    put(owner, "apiVersion", one.api_version, memory);
    put(owner, "kind", one.kind, memory);
    put(owner, "name", one.name, memory);
    put(owner, "uid", one.uid, memory);
    put(owner, "controller", Json(one.controller), memory);
    owners.PushBack(owner, memory);
  }
  if (!owners.Empty()) put(metadata, "ownerReferences", std::move(owners), memory);
}

}  // namespace

std::string fields_of_made(const Pod& pod) {
  if (!list_of(FieldsOf::kPods).wanted()) return {};
  rapidjson::Document made;
  made.Parse(pod.fields.data(), pod.fields.size());
  if (made.HasParseError() || !made.IsObject()) made.SetObject();
  Memory& memory = made.GetAllocator();
  put_metadata(made, pod.metadata, memory);
  Json& spec = object_in(made, "spec", memory);
  put(spec, "schedulerName", pod.spec.scheduler_name, memory);
  put(spec, "preemptionPolicy", pod.spec.preemption_policy, memory);
  if (pod.spec.priority) put(spec, "priority", Json(*pod.spec.priority), memory);
  std::string error;
  return kept_fields(FieldsOf::kPods, Reader(made, nullptr, error));
}

}  // namespace winnow
