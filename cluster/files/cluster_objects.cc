#include "cluster/files/cluster_objects.h"

#include <algorithm>
#include <format>
#include <functional>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "cluster/admission/defaults.h"
#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/api/decoders.h"
#include "cluster/api/device.h"
#include "cluster/api/meta.h"
#include "cluster/api/node.h"
#include "cluster/api/node_metrics.h"
#include "cluster/api/storage.h"
#include "cluster/files/object_reader.h"
#include "cluster/text/json_reader.h"

namespace winnow {

void ClusterObjects::note_repeated(std::string_view kind, std::string_view name) {
  if (++repeated == 1) first_repeated = std::format("{} {}", kind, name);
}

namespace {

void complete(Pod& pod, const Reader& written, ClusterObjects& objects) {
  const bool is_new = pod.metadata.uid.empty();
  std::vector<FieldError> errors = admit(pod);
  if (is_new) std::ranges::move(written_errors(written), std::back_inserter(errors));
  note_refused(objects.refused, pod, errors);
  if (pod.metadata.uid.empty()) pod.metadata.uid = pod.metadata.namespace_ + "/" + pod.metadata.name;
}
void complete(ResourceClaim& claim, const Reader&, ClusterObjects&) {
  set_defaults(claim);
  if (claim.metadata.uid.empty()) claim.metadata.uid = key_of(claim.metadata);
}
template <class Object>
void complete(Object& object, const Reader&, ClusterObjects&) {
  set_defaults(object);
}

}  // namespace

void note_refused(ClusterObjects::Refused& refused, std::string_view object,
                  const std::vector<FieldError>& errors) {
  if (errors.empty()) return;
  ++refused.pods;
  refused.fields += errors.size();
  for (const FieldError& error : errors) {
    if (refused.lines.size() == ClusterObjects::Refused::kMostLines) return;
    refused.lines.push_back(std::format("{}: {}", object, error.text));
  }
}

void note_refused(ClusterObjects::Refused& refused, const Pod& pod, const std::vector<FieldError>& errors) {
  if (!has_ended(pod)) note_refused(refused, key_of(pod.metadata), errors);
}

template <class Object>
bool Gatherer::keep(const Reader& value, KindScope scope) {
  Object object;
  if (!read_value(value, object)) return false;
  ObjectMeta& metadata = object.metadata;
  if (metadata.name.empty()) return value.complain("has no metadata.name");
  if (scope == kNamespaced && metadata.namespace_.empty()) metadata.namespace_ = "default";
  complete(object, value, objects_);
  std::vector<Object>& list = objects_.of<Object>();
  auto& places = places_[static_cast<std::size_t>(kind_of<Object>)];
  const auto [place, is_new] = places.try_emplace(metadata.namespace_ + "/" + metadata.name, list.size());
  if (is_new) {
    list.push_back(std::move(object));
    return true;
  }
  objects_.note_repeated(info_of(kind_of<Object>).kind, place->first);
  list[place->second] = std::move(object);
  return true;
}

bool Gatherer::add(const Reader& value, const TypeMeta& type) {
  bool known = false;
  bool good = true;
  for_each_kind([&]<class Object>(const Kind<Object>& kind) {
    if (!type.is(kind)) return;
    known = true;
    good = type.is_known_version(kind) ? keep<Object>(value, kind.scope)
                                       : value.complain(wrong_version(type, kind));
  });
  if (!known) ++objects_.skipped[type.text()];
  return good;
}

bool Gatherer::reads(const TypeMeta& type) {
  bool known = false;
  for_each_kind([&](const auto& kind) { known |= type.is(kind); });
  return known;
}

/// kube-scheduler and Winnow know a pod by its UID.
void Gatherer::note_shared_uids() {
  std::unordered_set<std::string_view, TextHash, std::equal_to<>> uids;
  for (const Pod& pod : objects_.of<Pod>())
    if (!uids.insert(pod.metadata.uid).second && ++objects_.shared_uids == 1)
      objects_.first_shared_uid = pod.metadata.uid;
}

ClusterObjects Gatherer::finish() {
  note_shared_uids();
  objects_.finished_pods = std::erase_if(objects_.of<Pod>(), [](const Pod& pod) { return has_ended(pod); });
  return std::move(objects_);
}

}  // namespace winnow
