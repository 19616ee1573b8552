#include "cluster/decode/reader.h"
#include "cluster/text/rfc3339.h"

namespace winnow {
namespace {

/// An element of metadata.managedFields.
struct ManagedFields {
  std::string manager;
  std::string time;  ///< RFC 3339 in UTC: the order of the texts is that of the times.
  bool nominates = false;
};

/// fieldsV1 has a member "f:NAME" for each field that the manager owns, and inside it those of the field.
bool read_fields(const Reader& r, ManagedFields& entry) {
  return r.read("manager", entry.manager) && r.read("time", entry.time) &&
         r.within("fieldsV1", [&](const Reader& fields) {
           return fields.within("f:status", [&](const Reader& status) {
             entry.nominates = status.has("f:nominatedNodeName");
             return true;
           });
         });
}

}  // namespace

// A field that was written by an update has one manager. Only server-side apply of the same value makes it
// two; then the later one is told. Upstream: structured-merge-diff merge/update.go, by apimachinery
// pkg/util/managedfields v0.37.0.
bool read_nominated_by(const Reader& pod, PodStatus& status) {
  std::string newest;
  return pod.within("metadata", [&](const Reader& metadata) {
    return metadata.for_each_in("managedFields", [&](const Reader& element) {
      ManagedFields entry;
      if (element.is_null()) return true;
      if (!read_value(element, entry)) return false;
      if (entry.nominates && entry.time >= newest) {
        newest = std::move(entry.time);
        status.nominated_by = std::move(entry.manager);
        status.nominated_at = parse_rfc3339(newest);
      }
      return true;
    });
  });
}

}  // namespace winnow
