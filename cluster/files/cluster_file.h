// The cluster from files, as kubectl writes them.
//
// cluster/text/source.h reads bytes, document.h there makes values of JSON or YAML, and this makes objects of
// them: v1 List, any List of a known kind (PodList, …), a single object, several documents. load.h puts the
// objects into a state.
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

/// Everything that was read.
class ClusterObjects {
 public:
  /// The objects of one kind, in the order of the files. Of objects with the same namespace and name only the
  /// last one is there, at the place of the first. There is no pod that has Succeeded or Failed.
  template <class Object>
  const std::vector<Object>& of() const {
    return std::get<List<Object>>(lists_);
  }
  template <class Object>
  std::vector<Object>& of() {
    return std::get<List<Object>>(lists_);
  }

  std::size_t finished_pods = 0;  ///< Left out because they have Succeeded or Failed.
  /// How many of each unknown kind there were ("Ingress.networking.k8s.io").
  std::map<std::string, std::size_t> skipped;

 private:
  template <class Object>
  using List = std::vector<Object>;
  TupleOfKinds<List> lists_;
};

/// `cluster.json: items[3].spec.nodeName: 5 is not a string`, `x.yaml: line 2, column 3: …`; from the second
/// document of a file on its number stands before the path.
struct FeedError {
  std::string message;
};

/// Reads the files, one after another; "-" is standard input. Plain or gzip, JSON or YAML; at most 4 GiB
/// each. Items of a typed list need no kind of their own. An object without a name is an error, as is a text
/// without documents; without a namespace it is in "default"; a pod without a uid has "NAMESPACE/NAME" for
/// one.
std::expected<ClusterObjects, FeedError> read_cluster(std::span<const std::string> files);

/// The same for one text; `name` is what errors call it.
std::expected<ClusterObjects, FeedError> read_cluster_text(std::string_view name, std::string text);

}  // namespace winnow
