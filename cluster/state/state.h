// The cluster as Winnow knows it, indexed for the questions that rules ask.
//
// cluster/state holds: dictionaries (interned names), NodeTable (nodes as columns), PodGroups (pods by what
// selectors see of them), PodTerms (what they say of others), Workloads (what selects pods), Volumes (claims
// and what they come to), the State that joins them and applies events, the Overlay of changes that one
// request imagines, the View through which rules read, AssumedPods (pods on their way), and the Picture that
// shares a state between one writer and many readers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cluster/generation.h"
#include "cluster/model/storage.h"
#include "cluster/state/group_members.h"
#include "cluster/state/node_index.h"
#include "cluster/state/nominated_pods.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/volumes.h"
#include "cluster/state/workloads.h"

namespace winnow {

/// A pod as the state keeps it: what many pods share is interned.
struct PodRecord {
  std::string name;  ///< "" for a free record.
  std::string uid;
  std::uint64_t resource_version = 0;  ///< As a number; 0: none, or not one.
  GroupId group = kNone;               ///< Namespace, labels, deleting.
  std::uint32_t spec = kNone;          ///< Of State::spec(); without the node's name.
  std::uint32_t footprint = kNone;     ///< Of State::footprint().
  TermListId terms = kNone;            ///< In State::terms.
  std::uint32_t owner = kNone;         ///< Of State::owner(); the controller, if any.
  NodeId node = kNone;                 ///< kNone: pending, or on a node that the state does not know.
  std::uint32_t slot = 0;              ///< Its place in the list of its node's pods.
  bool assigned = false;               ///< spec.nodeName is set.
};

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

/// Every kind that rules read and that has no index of its own yet, as it came.
struct Objects {
  Store<Namespace> namespaces;
  Store<CsiDriver> csi_drivers;
  Store<PodDisruptionBudget> budgets;
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

 private:
  const Options options_;
  Dictionaries names_;

 public:
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

  Workloads workloads;
  Volumes volumes;
  Objects objects;
  PodGroups groups;
  PodTerms terms;
  /// Pending pods that status.nominatedNodeName promises a node to.
  const NominatedPods& nominated() const { return nominated_; }

  // Reading.
  const Options& options() const { return options_; }
  const Dictionaries& names() const { return names_; }
  const NodeTable& nodes() const { return nodes_; }
  NodeId find_node(std::string_view name) const { return index_.find(name); }
  std::size_t node_count() const { return index_.size(); }
  std::size_t pod_count() const { return pod_ids_.size(); }
  std::size_t pending_count() const { return pod_ids_.size() - assigned_; }

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
  /// The pod as an object again: metadata without annotations, spec with nodeName, and no status but what a
  /// pending pod's says of a resize in place and of a node that it is nominated for.
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

  NodeTable nodes_;
  NodeIndex index_;
  std::uint64_t next_age_ = 0;
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
