// The objects of files, by kind, and the collector that decodes them.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/api/kinds.h"
#include "cluster/files/object_reader.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

class Reader;
struct Pod;

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
  /// What an API server would refuse of pods that have not ended, and of what makes pods. It is judged as it
  /// is.
  struct Refused {
    static constexpr std::size_t kMostLines = 10;

    std::size_t pods = 0;  ///< Pods, and objects that make pods.
    std::size_t fields = 0;
    /// The first fields: "shop/web: spec.containers[0].image: Required value".
    std::vector<std::string> lines;
  };
  Refused refused;
  FileWarnings warnings;
  /// The number of objects of each unknown kind ("Ingress.networking.k8s.io").
  std::map<std::string, std::size_t> skipped;

  /// Counts an object that is given again. @param name  "default/web-0"
  void note_repeated(std::string_view kind, std::string_view name);

 private:
  template <class Object>
  using List = std::vector<Object>;
  TupleOfKinds<List> lists_;
};

// Internal: a collector of the objects of files that have a row in kKinds. Only .cc files include this.

/// Notes what an API server would refuse of an object: the first fields of all, and their number.
/// @param object  "shop/web-0", "Deployment shop/web".
void note_refused(ClusterObjects::Refused& refused, std::string_view object,
                  const std::vector<FieldError>& errors);
/// The same of a pod, but nothing of one that has ended.
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
