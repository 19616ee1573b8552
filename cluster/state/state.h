// The cluster as Winnow knows it, indexed for the questions that rules ask.
//
// Rules never walk the pods of the cluster. The state keeps every number that a rule may ask for, and an
// event changes the numbers that it concerns. A pod that comes to a node adds its footprint to the node's
// columns. It adds one to its group's count on that node, and one for each of its (anti-)affinity terms. A
// pod that goes subtracts the same. So an event costs as much as its object, whatever the size of the
// cluster.
//
// cluster/state holds: dictionaries (interned names), NodeTable (nodes as columns), PodGroups (pods by what
// selectors see of them), PodTerms (what they say of others), Workloads (what selects pods), Volumes (claims
// and what they come to), the State that joins them and applies events, the Overlay of changes that one
// request imagines, the View through which rules read, AssumedPods (pods on their way), and the Picture that
// shares a state between one writer and many readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/api/storage.h"
#include "cluster/state/group_members.h"
#include "cluster/state/indexes/pod_groups.h"
#include "cluster/state/indexes/pod_terms.h"
#include "cluster/state/indexes/volumes.h"
#include "cluster/state/indexes/workloads.h"
#include "cluster/state/nodes/node_index.h"
#include "cluster/state/nominated_pods.h"
#include "cluster/state/objects.h"

namespace winnow {

/// Resource versions of one kind of object are numbers that grow (Kubernetes 1.35; etcd's always were).
/// @return 0 where the text is none.
std::uint64_t to_number(std::string_view resource_version);

struct PodSpecHash {
  std::size_t operator()(const PodSpec& spec) const;
};
struct FootprintHash {
  std::size_t operator()(const Footprint& footprint) const;
};
struct OwnerHash {
  std::size_t operator()(const OwnerReference& owner) const { return StringHash{}(owner.uid); }
};

/// The cluster. Every derived number is kept by increments: an event costs what it changes, and the result is
/// the same as building the state from the objects that are left, in the order in which they came.
/// Not synchronised: one writer, or readers (see Picture).
class State {
 public:
  struct Options {
    Accounting accounting = Accounting::kToday;
    bool exact_zones = false;  ///< See NodeTable.
    /// Whose reading of host ports, of attached volumes and of (anti-)affinity terms is indexed.
    Generation generation = Generation::kClassic;

    bool operator==(const Options&) const = default;
  };

  explicit State(Options options);
  State() : State(Options{}) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  // Events. set_* adds or replaces by namespace and name; remove_* says whether it was there.
  void set_node(const Node& node);
  bool remove_node(std::string_view name);
  /// A pod that has Succeeded or Failed is removed. A pod may come before its node.
  void set_pod(const Pod& pod);
  bool remove_pod(std::string_view ns, std::string_view name);

  // Reading. Events of other kinds go to, and are read from, `workloads`, `volumes` and `objects`, below.
  const Options& options() const { return options_; }
  const Dictionaries& names() const { return names_; }
  const NodeTable& nodes() const { return nodes_; }
  NodeId find_node(std::string_view name) const { return index_.find(name); }
  std::size_t node_count() const { return index_.size(); }
  std::size_t pod_count() const { return pod_ids_.size(); }
  std::size_t pending_count() const { return pod_ids_.size() - assigned_; }
  /// Pending pods that status.nominatedNodeName promises a node to.
  const NominatedPods& nominated() const { return nominated_; }

  PodId find_pod(std::string_view ns, std::string_view name) const;
  const PodRecord& pod(PodId id) const { return pods_[id]; }
  PodId pod_capacity() const { return static_cast<PodId>(pods_.size()); }
  std::span<const PodId> pods_on(NodeId node) const { return pods_on_[node]; }
  /// The pods of a group that have a node, known or not, in order of their names.
  std::span<const PodId> members(GroupId group) const { return members_.of(group); }
  /// Whether a pod on the node has a lower priority; one without a priority has 0. Quick where nobody has.
  bool has_lower_priority(NodeId node, std::int32_t priority) const;
  /// Pods that name a node which the state does not know.
  std::span<const PodId> pods_on_unknown(std::string_view node_name) const;
  /// All of them, by the node's name.
  const std::map<std::string, std::vector<PodId>, std::less<>>& pods_on_unknown() const { return unknown_; }
  /// The name of the pod's node, known or not; "" for a pending pod.
  std::string node_name_of(PodId id) const;
  std::string_view pod_namespace(const PodRecord& record) const {
    return names_.symbols[groups[record.group].ns];
  }
  const Footprint& footprint(const PodRecord& record) const { return footprints_[record.footprint]; }
  const PodSpec& spec(const PodRecord& record) const { return specs_[record.spec]; }
  /// Namespace, name, uid, resource version, labels and controller, and whether the pod is being deleted. The
  /// state keeps nothing else of metadata.
  ObjectMeta metadata_of(PodId id) const;
  /// What rules read of a pod that is to be placed: metadata_of(), the spec with nodeName, and of a pending
  /// pod's status its nomination and what it says of a resize in place. set_pod() of a pending pod's changes
  /// nothing. Of a pod with a node the status is lost, and with it a part of what it counts there: what puts
  /// such a pod back has kept the whole of it; see AssumedPods::Entry::pod.
  Pod to_pod(PodId id) const;
  /// Every pod without a node, sorted by "namespace/name".
  std::vector<PodId> pending_pods() const;

 private:
  struct PodKey {
    std::string_view ns, name;
  };
  struct PodHash {
    using is_transparent = void;
    const State* state;
    std::size_t operator()(const PodKey& key) const;
    std::size_t operator()(PodId id) const;
  };
  struct PodEqual {
    using is_transparent = void;
    const State* state;
    bool operator()(PodId a, PodId b) const { return a == b; }
    bool operator()(PodId id, const PodKey& key) const;
    bool operator()(const PodKey& key, PodId id) const { return (*this)(id, key); }
  };

  std::int32_t priority_of(PodId id) const;
  PodId new_pod();
  void free_pod(PodId id);
  void attach(PodId id, const std::string& node_name);
  void detach(PodId id);
  void place(PodId id, NodeId node);
  void unplace(PodId id);

  // What is declared here stands on what is declared above it: the order matters.
  const Options options_;
  Dictionaries names_;
  NodeTable nodes_;
  NodeIndex index_;

 public:
  Workloads workloads;
  Volumes volumes;  ///< Counts the attached volumes in the table of nodes.
  Objects objects;
  PodGroups groups;
  PodTerms terms;

 private:
  std::uint64_t next_arrival_ = 0;  ///< See NodeColumns::arrival.
  Pool<PodSpec, PodSpecHash> specs_;
  Pool<Footprint, FootprintHash> footprints_;
  Pool<OwnerReference, OwnerHash> owners_;
  std::vector<PodRecord> pods_;
  std::vector<PodId> free_pods_;
  GroupMembers members_;
  std::size_t assigned_ = 0;
  std::map<std::int32_t, std::size_t> priorities_;  ///< Of the pods that have a node: how many have it.
  std::unordered_set<PodId, PodHash, PodEqual> pod_ids_;
  std::unordered_map<PodId, PodStatus> resizes_;  ///< Of pending pods whose status speaks of one: hardly any.
  NominatedPods nominated_;
  std::vector<std::vector<PodId>> pods_on_;                         ///< By NodeId.
  std::map<std::string, std::vector<PodId>, std::less<>> unknown_;  ///< By the name of the unknown node.
};

}  // namespace winnow
