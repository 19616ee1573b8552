// Internal: a collector of the objects of files that have a row in kKinds. Only .cc files include this.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "cluster/files/cluster_objects.h"
#include "cluster/files/type_meta.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/keyed_hash.h"
#include "cluster/validation/field_errors.h"

namespace winnow {

/// Notes what an API server would refuse of the pod: the first fields of all pods, and their number. Nothing
/// of a pod that has ended.
void note_refused(ClusterObjects::Refused& refused, const Pod& pod, const std::vector<FieldError>& errors);

/// Collects objects, with their defaults, as read_cluster() says.
class Gatherer {
 public:
  /// Takes an object in. One of an unknown kind is counted as skipped.
  /// @return false at an error of the object; the reader has been told then.
  bool add(const Reader& value, const TypeMeta& type);
  ClusterObjects finish();

  /// Whether kKinds has a row for objects of the type.
  static bool reads(const TypeMeta& type);

 private:
  template <class Object>
  bool keep(const Reader& value, KindScope scope);
  void note_shared_uids();

  ClusterObjects objects_;
  /// By kind, then by NAMESPACE/NAME: the index in the kind's list.
  std::array<TextMap<std::size_t>, kResourceKinds> places_;
};

}  // namespace winnow
