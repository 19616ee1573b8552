// Services and controllers, by what they select.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/api/selector.h"
#include "cluster/api/workload.h"
#include "cluster/state/intern/dictionaries.h"

namespace winnow {

enum class WorkloadKind : std::uint8_t { kService, kReplicationController, kReplicaSet, kStatefulSet };

/// The selectors of Services, ReplicationControllers, ReplicaSets and StatefulSets, found by the labels of a
/// pod without going through all of a namespace. One writer at a time; const functions may be concurrent.
class Workloads {
 public:
  void set_service(const ObjectMeta& meta, const std::optional<StringMap>& selector);
  void set(WorkloadKind kind, const ObjectMeta& meta, const StringMap& selector);
  void set(WorkloadKind kind, const ObjectMeta& meta, const std::optional<LabelSelector>& selector);
  void remove(WorkloadKind kind, const std::string& ns, const std::string& name);

  /// The selectors that match a pod with these labels, by kind, then by name. A nil or empty selector matches
  /// no pod, but a Service's empty one matches every pod; a controller matches no pod without labels. Where a
  /// ReplicaSet (StatefulSet) of the namespace has an invalid selector, none of them counts; a Service or
  /// ReplicationController whose selector has an invalid value finds its pods by it, but then asks for
  /// everything (SelectorFromSet). Upstream: client-go v0.16.15 listers, GetPodServices, GetPodControllers,
  /// GetPodReplicaSets and GetPodStatefulSets, as called by priorities/metadata.go getSelectors v1.16.15.
  std::vector<const Selector*> matching(const std::string& ns, const StringMap& labels) const;

  /// The selector of the first Service, by name, that matches a pod with these labels, or null; see
  /// matching().
  const Selector* first_service(const std::string& ns, const StringMap& labels) const;

  /// What the Services that match a pod with these labels find their pods by, by name; never nothing.
  /// Upstream: pkg/scheduler/framework/plugins/helper/spread.go GetPodServices v1.37.0.
  std::vector<const Selector*> services(const std::string& ns, const StringMap& labels) const;

  /// What a workload finds its pods by; null where there is none of that name, or its selector is invalid. An
  /// absent or empty selector finds none.
  const Selector* find(WorkloadKind kind, const std::string& ns, const std::string& name) const;

  std::size_t size() const { return size_; }

 private:
  struct Entry {
    std::string name;
    std::optional<Selector> finds;  ///< Which pods are its own; nothing: invalid.
    Selector selector;              ///< What is then asked about other pods.
  };
  /// Entries of one kind in one namespace. Those whose selector demands key=value are found under it.
  struct Shelf {
    std::map<std::string, Entry, std::less<>> entries;
    std::unordered_map<std::string, std::set<const Entry*>> by_pair;
    std::set<const Entry*> others;
    std::size_t invalid = 0;
  };
  using Shelves = std::map<std::pair<WorkloadKind, std::string>, Shelf>;

  void put(WorkloadKind kind, const ObjectMeta& meta, std::optional<Selector> finds, Selector selector);
  static void file(Shelf& shelf, const Entry& entry, bool add);
  static std::vector<const Entry*> entries_for(const Shelf& shelf, const StringMap& labels);
  static void collect(const Shelf& shelf, const StringMap& labels, std::vector<const Selector*>& found);

  Shelves shelves_;
  std::size_t size_ = 0;
};

}  // namespace winnow
