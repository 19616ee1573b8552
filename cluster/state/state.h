// The state of the cluster, the kinds that it keeps unchanged, the writer of each kind, and the journal.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/generation.h"
#include "cluster/api/kinds.h"
#include "cluster/api/meta.h"
#include "cluster/api/node.h"
#include "cluster/api/node_metrics.h"
#include "cluster/api/storage.h"
#include "cluster/api/workload.h"
#include "cluster/devices/inventory.h"
#include "cluster/state/dictionaries.h"
#include "cluster/state/footprint.h"
#include "cluster/state/id_index.h"
#include "cluster/state/node_table.h"
#include "cluster/state/nominated_pods.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_record.h"
#include "cluster/state/pod_templates.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/volumes.h"
#include "cluster/state/workloads.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// One store for each of the kinds. Not synchronised: see State.
template <class... Kinds>
class Stores {
 public:
  template <class Object>
  static constexpr bool has = (std::same_as<Object, Kinds> || ...);

  template <class Object>
  const Store<Object>& of() const {
    static_assert(has<Object>, "the kind has no store in Objects, and no ObjectWriter of its own");
    return std::get<Store<Object>>(stores_);
  }
  template <class Object>
  Store<Object>& of() {
    static_assert(has<Object>, "the kind has no store in Objects, and no ObjectWriter of its own");
    return std::get<Store<Object>>(stores_);
  }

 private:
  std::tuple<Store<Kinds>...> stores_;
};

/// The kinds that are kept unchanged. No rule reads the last four: they are for pods that are made. The table
/// of nodes has what NodeMetrics say of nodes that there are.
struct Objects : Stores<Namespace, CsiDriver, PodDisruptionBudget, DeviceClass, NodeMetrics, PriorityClass,
                        LimitRange, RuntimeClass, ResourceClaimTemplate> {};

// The state of the cluster, indexed for the questions that rules ask.
//
// Rules never walk the cluster's pods. The state keeps every count that a rule may ask for, and an event
// changes only the counts that it concerns. A pod that is placed on a node adds its footprint to the node's
// columns. It adds one to its group's count on that node, and one to each of its (anti-)affinity terms. A pod
// that leaves subtracts the same. So the cost of an event depends on its object, and not on the size of the
// cluster.
//
// The parts of cluster/state are:
// - Dictionaries: interned names and values.
// - NodeTable: the nodes, as columns.
// - PodGroups: pods by namespace and labels, counted by selector.
// - PodTerms: the (anti-)affinity terms of pods.
// - Workloads: Services and controllers, by what they select.
// - Volumes: claims, volumes, and the volumes that claims attach.
// - DeviceInventory (cluster/devices): devices, and the claims that hold them.
// - State: joins these and applies events.
// - Overlay: changes that one request assumes.
// - View: the snapshot that rules read, a state with or without an overlay.
// - AssumedPods: pods counted before the API shows them on a node.
// - ClusterCache: a state shared by one writer and many readers.

/// A resource version as a number. Versions of one kind of object are numbers that grow (guaranteed since
/// Kubernetes 1.35; etcd's always were). @return 0 for a text that is not a number.
std::uint64_t to_number(std::string_view resource_version);

/// The cluster's objects and the counts derived from them. Each event changes the counts by increments. The
/// result equals a state built from the remaining objects in the order of their arrival. Not synchronised:
/// one writer or several readers at a time (see ClusterCache).
class State {
 public:
  using Options = StateOptions;

  explicit State(Options options);
  State() : State(Options{}) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  // Events. set_* adds or replaces by namespace and name. remove_* returns whether the object was there.
  void set_node(const Node& node);
  bool remove_node(std::string_view name);
  /// A pod that has Succeeded or Failed is removed. A pod may arrive before its node.
  void set_pod(const Pod& pod);
  bool remove_pod(std::string_view ns, std::string_view name);
  /// A measurement may arrive before its node. One that is older than the node's last one is ignored.
  void set_node_metrics(NodeMetrics measured);
  void remove_node_metrics(std::string_view name);

  // Reading. Objects of other kinds are written to, and read from, `workloads`, `volumes`, `devices` and
  // `objects` below.
  const Options& options() const { return options_; }
  /// A number that no other state of this process has.
  std::uint64_t serial() const { return serial_; }
  /// How often an object of the kind has been set or removed by its ObjectWriter. Nodes and pods are not
  /// counted: see NodeTable::changes().
  std::uint64_t version(ResourceKind kind) const { return versions_[static_cast<std::size_t>(kind)]; }
  void count_change(ResourceKind kind) { ++versions_[static_cast<std::size_t>(kind)]; }
  /// Notes whether the API servers let nobody read the kind: whether there are such objects is not known
  /// then.
  void set_unread(ResourceKind kind, bool unread) { unread_[static_cast<std::size_t>(kind)] = unread; }
  bool is_unread(ResourceKind kind) const { return unread_[static_cast<std::size_t>(kind)]; }
  const Dictionaries& names() const { return names_; }
  const NodeTable& nodes() const { return nodes_; }
  NodeId find_node(std::string_view name) const { return index_.find(name); }
  std::size_t node_count() const { return index_.size(); }
  /// Of the nodes' names; see NodeIndex::version().
  std::uint64_t names_version() const { return index_.version(); }
  std::size_t pod_count() const { return index_of_pods_.size(); }
  std::size_t pending_count() const { return pod_count() - assigned_; }
  /// The pending pods with a status.nominatedNodeName.
  const NominatedPods& nominated() const { return nominated_; }

  /// The pod's id, or kNone. An id holds until the pod's next event.
  PodId find_pod(std::string_view ns, std::string_view name) const;
  const PodRecord& pod(PodId id) const { return pods_[id]; }
  /// Whether the pod is on its way: see NodeLoad. False for all where loads are not kept.
  bool is_coming(PodId id) const { return !coming_.empty() && coming_.contains(id); }
  /// Whether it would be on its way to a node with this measurement.
  bool is_coming(PodId id, const NodeLoad& measured) const {
    const auto coming = coming_.find(id);
    return coming != coming_.end() && !measured.includes(coming->second);
  }
  /// What is measured of a node of that name; null: nothing is.
  const NodeMetrics* metrics_of(std::string_view node_name) const;
  PodId pod_capacity() const { return static_cast<PodId>(pods_.size()); }
  /// The pods on a node, in no particular order.
  std::span<const PodId> pods_on(NodeId node) const { return pods_on_[node]; }
  /// The group's pods that have a node, known or not, in no particular order.
  std::span<const PodId> members(GroupId group) const { return members_.of(group); }
  /// The one of them with the lowest name; kNone: there is none.
  PodId first_member(GroupId group) const { return members_.first(group); }
  /// Whether a pod on the node has a lower priority; a pod without a priority has 0. Fast if no pod in the
  /// cluster has.
  bool has_lower_priority(NodeId node, std::int32_t priority) const;
  /// The pods whose node the state does not know, in no particular order.
  std::span<const PodId> pods_on_unknown(std::string_view node_name) const;
  /// All such pods, by the node's name.
  const PodsWithoutNode<PodId>::ByNode& pods_on_unknown() const { return unknown_.by_node(); }
  /// The name of the pod's node, known or not; "" for a pending pod.
  std::string node_name_of(PodId id) const;
  std::string_view pod_namespace(const PodRecord& record) const {
    return names_.symbols[groups[record.group].ns];
  }
  const Footprint& footprint(const PodRecord& record) const { return footprints_[record.footprint]; }
  const PodSpec& spec(const PodRecord& record) const { return specs_[record.spec]; }
  /// The namespace, name, uid, resource version, labels and controller, and whether the pod is being deleted.
  /// The state keeps no other metadata.
  ObjectMeta metadata_of(PodId id) const;
  /// The pod as far as rules read a pod to be placed. It has metadata_of(), the spec with nodeName, and the
  /// names of its ResourceClaims in its status. A pending pod also has its creation time, its nomination and
  /// its status of an in-place resize. For a pending pod set_pod(to_pod(id)) changes no count. A pod with a
  /// node has lost the rest of its status, and with it a part of its requests. To put back such a pod, keep
  /// the whole object, as AssumedPods::Entry::pod does.
  Pod to_pod(PodId id) const;
  /// All pods without a node, sorted by namespace and name.
  std::vector<PodId> pending_pods() const;

 private:
  /// The ResourceClaims in a pod's status. The pods of one controller have each their own.
  struct ClaimNames {
    std::vector<PodResourceClaimStatus> statuses;
    std::string extended;  ///< PodStatus::extended_resource_claim_name
  };

  /// A pod's name, and the hash by which index_of_pods_ has the pod.
  struct PodKey {
    PodKey(std::string_view of_ns, std::string_view of_name)
        : ns(of_ns), name(of_name), hash(hash_mix(TextHash{}(ns), TextHash{}(name))) {}
    std::string_view ns, name;
    std::size_t hash;
  };
  PodId find_pod(const PodKey& key) const;
  void remove_pod(const PodKey& key, PodId id);

  std::int32_t priority_of(PodId id) const;
  PodId new_pod();
  void free_pod(PodId id);
  // What is interned of a pod. Each id that is acquired holds a reference.
  /// By the template, if it is known.
  PodParts acquire_parts(const Pod& pod);
  PodParts intern_parts(const Pod& pod);
  void release(const PodParts& parts);
  /// @param spec  that of the pod.
  std::uint32_t acquire_footprint_of(const Pod& pod, std::uint32_t spec);
  void release_footprint_of(std::uint32_t footprint);
  /// Changes what is no part, if a pod with a node stays there with the same parts. @return whether it does.
  bool update(PodId id, const Pod& pod, const PodParts& parts, std::uint32_t footprint);
  /// Writes what each pod has for itself.
  void put_own(PodId id, const Pod& pod);
  void add(const PodKey& key, const Pod& pod, const PodParts& parts, std::uint32_t footprint);
  /// Counts a pod that has a node. attach() and detach() do what holds for any node. place() and unplace()
  /// move the counts of a node that the state knows.
  void attach(PodId id, const std::string& node_name);
  void detach(PodId id);
  void place(PodId id, NodeId node);
  void unplace(PodId id);
  // What is on its way to nodes.
  void note_start(PodId id, const Pod& pod);
  void drop_arrived(NodeId node);

  // A member uses members above it: the order matters.
  const Options options_;
  const std::uint64_t serial_;
  std::array<std::uint64_t, kResourceKinds> versions_{};
  std::array<bool, kResourceKinds> unread_{};
  Dictionaries names_;
  NodeTable nodes_;
  NodeIndex index_;

 public:
  Workloads workloads;
  Volumes volumes;  ///< Counts the attached volumes in nodes_.
  DeviceInventory devices;
  Objects objects;
  PodGroups groups;
  PodTerms terms;

 private:
  std::uint64_t next_arrival_ = 0;  ///< See NodeColumns::arrival.
  Pool<PodSpec, SharedSpecHash, SharedSpecEqual> specs_;
  Pool<Footprint, FootprintHash> footprints_;
  /// By spec, the footprint of its pods where the status adds nothing, with a reference; or kNone. A
  /// footprint with claims is not here: these are named by the pod.
  std::vector<std::uint32_t> usual_footprints_;
  Pool<OwnerReference, OwnerHash> owners_;
  PodTemplates templates_;
  std::string buffer_;  ///< Of write_template().
  std::vector<PodRecord> pods_;
  std::vector<PodId> free_pods_;
  GroupMembers members_;
  std::size_t assigned_ = 0;
  std::map<std::int32_t, std::size_t> priorities_;  ///< The number of pods with a node, by priority.
  IdIndex index_of_pods_;
  std::unordered_map<PodId, std::int64_t> created_;  ///< The creation times of pending pods.
  std::unordered_map<PodId, PodStatus> resizes_;     ///< Of pending pods with a resize in their status: few.
  std::unordered_map<PodId, ClaimNames> claims_;     ///< Of pods with ResourceClaims in their status.
  std::unordered_map<PodId, std::string> fields_;    ///< Pod::fields, where the options want some.
  /// The pods that no measurement includes, with what NodeLoad::includes() is asked. Where loads are kept.
  std::unordered_map<PodId, std::int64_t> coming_;
  NominatedPods nominated_;
  std::vector<std::vector<PodId>> pods_on_;  ///< By NodeId.
  PodsWithoutNode<PodId> unknown_;           ///< The pods with a node that the state does not know.
};

// The writer of each kind: where an event puts an object into the state, and takes it out.

/// The writer of a kind. The general one keeps objects unchanged in Objects. A kind with an index has a
/// specialisation below. A kind with neither does not compile.
///
/// set() adds an object, or replaces the one of the same namespace and name. remove() takes out the object of
/// that name; an unknown name is ignored. Pods of a live cluster go through AssumedPods instead. Not
/// synchronised: see State.
template <class Object>
struct ObjectWriter {
  static void set(State& state, Object object) {
    state.count_change(kind_of<Object>);
    std::string key = key_of(object.metadata);
    state.objects.of<Object>().insert_or_assign(std::move(key), std::move(object));
  }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.count_change(kind_of<Object>);
    state.objects.of<Object>().erase(key_of(ns, name));
  }
};

template <>
struct ObjectWriter<Pod> {
  static void set(State& state, const Pod& pod) { state.set_pod(pod); }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.remove_pod(ns, name);
  }
};

template <>
struct ObjectWriter<Node> {
  static void set(State& state, const Node& node) { state.set_node(node); }
  static void remove(State& state, const std::string&, const std::string& name) { state.remove_node(name); }
};

template <>
struct ObjectWriter<NodeMetrics> {
  static void set(State& state, NodeMetrics measured) {
    state.count_change(kind_of<NodeMetrics>);
    state.set_node_metrics(std::move(measured));
  }
  static void remove(State& state, const std::string&, const std::string& name) {
    state.count_change(kind_of<NodeMetrics>);
    state.remove_node_metrics(name);
  }
};

template <>
struct ObjectWriter<Service> {
  static void set(State& state, const Service& service) {
    state.count_change(kind_of<Service>);
    state.workloads.set_service(service.metadata, service.selector);
  }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.count_change(kind_of<Service>);
    state.workloads.remove(WorkloadKind::kService, ns, name);
  }
};

/// The writer of a controller, which owns pods.
template <WorkloadKind kKind, class Object>
struct ControllerWriter {
  static void set(State& state, const Object& object) {
    state.count_change(kind_of<Object>);
    state.workloads.set(kKind, object.metadata, object.selector);
  }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.count_change(kind_of<Object>);
    state.workloads.remove(kKind, ns, name);
  }
};
template <>
struct ObjectWriter<ReplicationController>
    : ControllerWriter<WorkloadKind::kReplicationController, ReplicationController> {};
template <>
struct ObjectWriter<ReplicaSet> : ControllerWriter<WorkloadKind::kReplicaSet, ReplicaSet> {};
template <>
struct ObjectWriter<StatefulSet> : ControllerWriter<WorkloadKind::kStatefulSet, StatefulSet> {};

/// The writer of a storage object.
/// @tparam kRemove  the member of Volumes that removes it.
template <class Object, auto kRemove>
struct VolumesWriter {
  static void set(State& state, Object object) {
    state.count_change(kind_of<Object>);
    state.volumes.set(std::move(object));
  }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.count_change(kind_of<Object>);
    if constexpr (requires { (state.volumes.*kRemove)(ns, name); })
      (state.volumes.*kRemove)(ns, name);
    else
      (state.volumes.*kRemove)(name);
  }
};
template <>
struct ObjectWriter<PersistentVolume> : VolumesWriter<PersistentVolume, &Volumes::remove_volume> {};
template <>
struct ObjectWriter<PersistentVolumeClaim> : VolumesWriter<PersistentVolumeClaim, &Volumes::remove_claim> {};
template <>
struct ObjectWriter<StorageClass> : VolumesWriter<StorageClass, &Volumes::remove_class> {};
template <>
struct ObjectWriter<CsiNode> : VolumesWriter<CsiNode, &Volumes::remove_csi_node> {};
template <>
struct ObjectWriter<CsiStorageCapacity> : VolumesWriter<CsiStorageCapacity, &Volumes::remove_capacity> {};
template <>
struct ObjectWriter<VolumeAttachment> : VolumesWriter<VolumeAttachment, &Volumes::remove_attachment> {};

/// The writer of an object of dynamic resource allocation.
/// @tparam kRemove  the member of DeviceInventory that removes it.
template <class Object, auto kRemove>
struct DevicesWriter {
  static void set(State& state, const Object& object) {
    state.count_change(kind_of<Object>);
    state.devices.set(object);
  }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.count_change(kind_of<Object>);
    if constexpr (requires { (state.devices.*kRemove)(ns, name); })
      (state.devices.*kRemove)(ns, name);
    else
      (state.devices.*kRemove)(name);
  }
};
template <>
struct ObjectWriter<ResourceSlice> : DevicesWriter<ResourceSlice, &DeviceInventory::remove_slice> {};
template <>
struct ObjectWriter<DeviceTaintRule> : DevicesWriter<DeviceTaintRule, &DeviceInventory::remove_taint_rule> {};
template <>
struct ObjectWriter<ResourceClaim> : DevicesWriter<ResourceClaim, &DeviceInventory::remove_claim> {};

// A journal of what changes in a cache, for a recording.

enum class ResourceKind : std::uint8_t;  // cluster/api/kinds.h

/// Is told each change of one cache, in the order of the changes, with the cache locked. What came from
/// time or from evidence is told as the change that it made, so whoever repeats the changes has the same
/// cache. A function without noexcept is called without a lock.
class Journal {
 public:
  /// An assumption that begins, or that is another than before. See AssumedPods::Entry.
  struct Assumption {
    std::string_view ns, name, uid, node;
    bool nomination = false;
    bool bound = false;
    std::span<const ClaimedDevices> devices = {};
  };

  virtual ~Journal() = default;

  /// Waits for a moment if the journal has fallen behind. To be called before a write.
  virtual void make_room() = 0;
  /// Whether set() needs the text: without it a copy can be spared. May be called with the cache locked.
  virtual bool wants_text() const noexcept = 0;

  /// The object is as the text says, which is its JSON. A pod that is assumed stays on its node.
  virtual void set(ResourceKind kind, std::string_view ns, std::string_view name,
                   std::string_view text) noexcept = 0;
  /// The object is gone, and for a pod its assumption too.
  virtual void remove(ResourceKind kind, std::string_view ns, std::string_view name) noexcept = 0;
  /// The pod of that name counts on the node from now on.
  virtual void assumed(const Assumption& assumption) noexcept = 0;
  /// Whether the API gives the objects of that kind; see State::set_unread().
  virtual void unread(ResourceKind kind, bool unread) noexcept = 0;
  /// The pod is where its own text says again.
  /// @param keeps_devices  its devices stay taken until the API shows them as its claims'.
  virtual void released(std::string_view ns, std::string_view name, bool keeps_devices) noexcept = 0;
  /// Everything is gone. What is assumed is told again.
  virtual void lost() noexcept = 0;
};

}  // namespace winnow
