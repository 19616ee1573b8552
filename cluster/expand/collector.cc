#include "cluster/expand/collector.h"

#include <format>
#include <utility>

#include "cluster/decode/reader.h"
#include "cluster/expand/workload_reader.h"

namespace winnow {
namespace {

/// Rules look at these controllers, so they are put into the state, too.
bool is_kept(Maker maker) {
  return maker == Maker::kReplicaSet || maker == Maker::kReplicationController ||
         maker == Maker::kStatefulSet;
}

}  // namespace

bool Collector::take(std::string_view file, const Reader& object, const TypeMeta& type) {
  if (const auto maker = maker_of(type))
    return take_workload(file, object, type, *maker) && (!is_kept(*maker) || gatherer_.add(object, type));
  if (type.is(info_of(kind_of<PersistentVolumeClaim>)))
    return gatherer_.add(object, type) && note_claim(file, object);
  bool known = false;
  for_each_kind([&](const auto& kind) { known |= type.is(kind); });
  const std::string field = known ? "" : unknown_template(object);
  if (field.empty()) return gatherer_.add(object, type);
  ObjectMeta metadata;
  if (!object.read("metadata", metadata)) return false;
  const std::string ns = metadata.namespace_.empty() ? "default" : metadata.namespace_;
  return object.complain(
      error_of(std::format("{} {}/{}", type.text(), ns, metadata.name),
               field + ": no pods can be made of this kind; expected a Pod, Deployment, ReplicaSet, "
                       "ReplicationController, StatefulSet, DaemonSet, Job or CronJob"));
}

bool Collector::note_claim(std::string_view file, const Reader& object) {
  ObjectMeta metadata;
  if (!object.read("metadata", metadata)) return false;
  const std::string ns = metadata.namespace_.empty() ? "default" : metadata.namespace_;
  found_.claim_files[ns + "/" + metadata.name] = file;
  return true;
}

bool Collector::take_workload(std::string_view file, const Reader& object, const TypeMeta& type,
                              Maker maker) {
  auto workload = read_workload(object, type, maker);
  if (!workload) return false;
  workload->file = file;
  const std::string source = source_of(*workload);
  const bool has_name = !workload->metadata.name.empty();
  const auto [place, is_new] =
      has_name ? places_.try_emplace(source, found_.workloads.size()) : std::pair(places_.end(), true);
  if (is_new) {
    found_.workloads.push_back(std::move(*workload));
    return true;
  }
  // The gatherer counts those that it has, too.
  if (!is_kept(maker)) repeated_.push_back(source);
  found_.workloads[place->second] = std::move(*workload);
  return true;
}

Found Collector::finish() {
  found_.others = gatherer_.finish();
  for (const std::string& source : repeated_) {
    const std::size_t blank = source.find(' ');
    found_.others.note_repeated(source.substr(0, blank), source.substr(blank + 1));
  }
  return std::move(found_);
}

}  // namespace winnow
