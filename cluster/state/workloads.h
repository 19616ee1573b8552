// Services and controllers, found by the pods that they select.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/selector.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

enum class WorkloadKind : std::uint8_t { kService, kReplicationController, kReplicaSet, kStatefulSet };

/// The selectors of Services, ReplicationControllers, ReplicaSets and StatefulSets. They are found by a pod's
/// labels, without a walk over the namespace. One writer at a time; const functions may run concurrently.
class Workloads {
 public:
  /// set*() adds or replaces by kind, namespace and name. remove() ignores an unknown name.
  void set_service(const ObjectMeta& meta, const std::optional<StringMap>& selector);
  void set(WorkloadKind kind, const ObjectMeta& meta, const StringMap& selector);
  void set(WorkloadKind kind, const ObjectMeta& meta, const std::optional<LabelSelector>& selector);
  void remove(WorkloadKind kind, const std::string& ns, const std::string& name);

  /// The selectors that match a pod with these labels, by kind, then by name. A nil or empty selector matches
  /// no pod, except that a Service's empty one matches every pod. A controller matches no pod without labels.
  /// If one ReplicaSet (StatefulSet) of the namespace has an invalid selector, none of that kind counts. A
  /// Service or ReplicationController with an invalid value in its selector still finds its pods by it. But
  /// the selector returned for it then matches everything (SelectorFromSet).
  /// Upstream: client-go v0.16.15 listers, GetPodServices, GetPodControllers, GetPodReplicaSets and
  /// GetPodStatefulSets, as called by priorities/metadata.go getSelectors v1.16.15.
  std::vector<const Selector*> matching(const std::string& ns, const StringMap& labels) const;

  /// The selector of the first Service, by name, that matches a pod with these labels; null: none. See
  /// matching().
  const Selector* first_service(const std::string& ns, const StringMap& labels) const;

  /// The selectors by which Services find a pod with these labels, in order of the Services' names. None of
  /// them is "nothing".
  /// Upstream: pkg/scheduler/framework/plugins/helper/spread.go GetPodServices v1.37.0.
  std::vector<const Selector*> services(const std::string& ns, const StringMap& labels) const;

  /// The selector by which a workload finds its pods. Null if there is none of that name, or its selector is
  /// invalid. An absent or empty selector finds none.
  const Selector* find(WorkloadKind kind, const std::string& ns, const std::string& name) const;

  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::string name;
    std::optional<Selector> finds;  ///< The selector that finds its pods; nothing: invalid.
    Selector selector;              ///< The selector then applied to other pods.
  };
  /// The entries of one kind in one namespace. An entry whose selector requires key=value is filed under it.
  struct NamespaceEntries {
    std::map<std::string, Entry, std::less<>> entries;
    TextMap<std::set<const Entry*>> by_pair;
    std::set<const Entry*> others;
    std::size_t invalid = 0;
  };
  using Shelves = std::map<std::pair<WorkloadKind, std::string>, NamespaceEntries>;

  void put(WorkloadKind kind, const ObjectMeta& meta, std::optional<Selector> finds, Selector selector);
  static void file(NamespaceEntries& shelf, const Entry& entry, bool add);
  static std::vector<const Entry*> entries_for(const NamespaceEntries& shelf, const StringMap& labels);
  static void collect(const NamespaceEntries& shelf, const StringMap& labels,
                      std::vector<const Selector*>& found);

  Shelves shelves_;
  std::size_t size_ = 0;
};

}  // namespace winnow
