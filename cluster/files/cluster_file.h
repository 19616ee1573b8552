// The objects of a cluster, read from files as kubectl writes them.
//
// cluster/text/source.h reads bytes, document.h there makes values of JSON or YAML, and this makes objects of
// them. A text may be a v1 List, a List of a known kind (PodList, …), a single object, or several documents.
// load.h puts the objects into a state.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cluster/api/kinds.h"

namespace winnow {

/// The objects that were read.
class ClusterObjects {
 public:
  /// The objects of one kind, in the order of the files. Of objects with the same namespace and name, the
  /// last one counts, at the place of the first. Pods that have Succeeded or Failed are left out.
  template <class Object>
  const std::vector<Object>& of() const {
    return std::get<List<Object>>(lists_);
  }
  template <class Object>
  std::vector<Object>& of() {
    return std::get<List<Object>>(lists_);
  }

  std::size_t finished_pods = 0;  ///< Pods left out, because they have Succeeded or Failed.
  std::size_t repeated = 0;       ///< Objects given again; the last one counts.
  std::string first_repeated;     ///< "Pod default/web-0"
  std::size_t shared_uids = 0;    ///< Pods with the UID of another pod.
  std::string first_shared_uid;
  /// What an API server would refuse of pods that have not ended. It is judged as it is.
  struct Refused {
    static constexpr std::size_t kMostLines = 10;

    std::size_t pods = 0;
    std::size_t fields = 0;
    /// The first fields: "shop/web: spec.containers[0].image: Required value".
    std::vector<std::string> lines;
  };
  Refused refused;
  /// The number of objects of each unknown kind ("Ingress.networking.k8s.io").
  std::map<std::string, std::size_t> skipped;

 private:
  template <class Object>
  using List = std::vector<Object>;
  TupleOfKinds<List> lists_;
};

/// An error: `cluster.json: items[3].spec.nodeName: 5 is not a string`, `x.yaml: line 2, column 3: …`. From a
/// file's second document on, the document's number precedes the path.
struct FileError {
  std::string message;
};

/// Reads the files in order; "-" is standard input. They are plain or gzip, JSON or YAML, and each has at
/// most 4 GiB, and at most a quarter of the memory limit. A JSON list is read item by item. Items of a typed
/// list need no kind of their own. An object without a name is an error, and so is a text without documents.
/// An object without a namespace is in "default". A pod without a UID gets "NAMESPACE/NAME". Objects get the
/// API server's defaults (cluster/defaults/defaults.h, cluster/validation/admit.h).
std::expected<ClusterObjects, FileError> read_cluster(std::span<const std::string> files);

/// The same for one text; `name` names it in errors.
std::expected<ClusterObjects, FileError> read_cluster_text(std::string_view name, std::string text);

}  // namespace winnow
