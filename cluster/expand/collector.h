// Internal: the objects of files, told apart: those that make pods, and others. Only .cc files include this.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/expand/workload.h"
#include "cluster/files/cluster_objects.h"
#include "cluster/files/gatherer.h"
#include "cluster/files/type_meta.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// What files hold.
struct Found {
  std::vector<Workload> workloads;
  ClusterObjects others;
  TextMap<std::string> claim_files;  ///< The file of a claim, by NAMESPACE/NAME.
};

/// Takes the objects of files in.
class Collector {
 public:
  /// An ObjectVisitor. @return false at an error of the object; the reader has been told then.
  bool take(std::string_view file, const Reader& object, const TypeMeta& type);
  Found finish();

 private:
  bool take_workload(std::string_view file, const Reader& object, const TypeMeta& type, Maker maker);
  bool note_claim(std::string_view file, const Reader& object);

  Gatherer gatherer_;
  Found found_;
  TextMap<std::size_t> places_;  ///< By source_of(): the index in found_.workloads.
  std::vector<std::string> repeated_;
};

}  // namespace winnow
