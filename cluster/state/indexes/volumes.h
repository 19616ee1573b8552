// Claims, volumes, classes and CSINodes, and what the claims of running pods have attached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/api/selector.h"
#include "cluster/state/attach/attachable.h"
#include "cluster/state/nodes/node_index.h"

namespace winnow {

/// What of a free volume decides whether it suits a claim, apart from size, labels and place.
struct VolumeKind {
  std::string storage_class;  ///< By class_of().
  std::string volume_mode;    ///< As written.
  std::vector<std::string> access_modes;
  std::string attributes_class;  ///< Today's.
  bool operator==(const VolumeKind&) const = default;
};
struct VolumeKindHash {
  std::size_t operator()(const VolumeKind& kind) const;
};
using VolumeKinds = Pool<VolumeKind, VolumeKindHash>;

struct FreeVolume {
  Quantity size;
  const PersistentVolume* volume = nullptr;
  std::uint32_t kind = kNone;  ///< Of Volumes::kinds().
};
/// By size, then by name.
struct BySize {
  using is_transparent = void;
  bool operator()(const FreeVolume& a, const FreeVolume& b) const {
    return a.size != b.size ? a.size < b.size : a.volume->metadata.name < b.volume->metadata.name;
  }
  bool operator()(const FreeVolume& a, const Quantity& size) const { return a.size < size; }
};
using VolumesBySize = std::set<FreeVolume, BySize>;

/// The free volumes of a class. A local volume asks for one value of one label, as a rule the host's name:
/// those are found by it, so that no request goes through the volumes of all hosts.
struct FreeVolumes {
  std::map<Symbol, std::unordered_map<Symbol, VolumesBySize>> by_label;  ///< By label, by value.
  VolumesBySize others;
};

/// The capacities that a class's driver reports, sorted out as FreeVolumes are. In order of namespace and
/// name.
struct ClassCapacities {
  using List = std::map<std::string, const CsiStorageCapacity*>;
  std::map<Symbol, std::unordered_map<Symbol, List>> by_label;
  List others;
};

/// The storage objects as they came, indexed for the questions that rules ask. What a pod's claim comes to
/// changes with the claim, its volume and its class: each such event moves the counts of the nodes whose
/// pods use that claim, and of no others. One writer at a time; const functions may be concurrent.
class Volumes {
 public:
  /// All of them outlive this. The attached volumes are counted in `nodes`.
  /// @param generation  whose reading of what a claim comes to.
  Volumes(Dictionaries& names, NodeTable& nodes, const NodeIndex& index, Generation generation)
      : names_(names), nodes_(nodes), index_(index), generation_(generation) {}

  // Events. set() adds or replaces; remove_* says whether it was there.
  void set(PersistentVolumeClaim claim);
  void set(PersistentVolume volume);
  void set(StorageClass storage_class);
  void set(CsiNode csi_node);
  void set(CsiStorageCapacity capacity);
  void set(VolumeAttachment attachment);
  bool remove_claim(std::string_view ns, std::string_view name);
  bool remove_volume(std::string_view name);
  bool remove_class(std::string_view name);
  bool remove_csi_node(std::string_view name);
  bool remove_capacity(std::string_view ns, std::string_view name);
  bool remove_attachment(std::string_view name);

  /// The node has a row now: puts there what is known of it by name, pods apart.
  void describe(NodeTable& nodes, NodeId node, std::string_view name) const;

  /// A pod that names these claims (Footprint::claims) is now on the node, or no longer (by = -1).
  void use(std::span<const Symbol> claims, NodeId node, std::int32_t by);

  // Reading; null where there is none.
  const PersistentVolumeClaim* claim(std::string_view ns, std::string_view name) const;
  const PersistentVolume* volume(std::string_view name) const;
  const StorageClass* storage_class(std::string_view name) const;
  const CsiNode* csi_node(std::string_view name) const;
  /// How often pods on each node mount a claim, by its own name; ephemeral volumes do not count. Sorted.
  std::span<const std::pair<NodeId, std::int32_t>> users(Symbol claim) const;
  /// What a claim comes to now.
  /// @param claim  by claim_key().
  std::vector<AttachableName> attachables(const std::string& claim) const {
    return attachables_of(storage(), claim, generation_).attachables;
  }

  /// Volumes that any claim of the class may take, or null: Available, without a claimRef, not being deleted.
  /// @param storage_class  classic: as their spec names it; today: by class_of().
  const FreeVolumes* free_volumes(std::string_view storage_class) const;
  const VolumeKinds& kinds() const { return kinds_; }
  /// Volumes whose claimRef names this claim, by name; the uid is not looked at.
  std::vector<const PersistentVolume*> volumes_for(std::string_view ns, std::string_view name) const;
  /// Capacities of the class, or null: there are none.
  const ClassCapacities* capacities(std::string_view storage_class) const;

 private:
  /// A claim that pods on nodes use.
  struct Used {
    std::vector<std::uint32_t> attachables;                     ///< Each holds a reference.
    std::vector<std::string> depends_on;                        ///< Keys of users_.
    std::vector<std::pair<NodeId, std::int32_t>> pods_by_node;  ///< Sorted.
  };

  struct Attached {
    VolumeAttachment object;
    std::uint32_t volume = kNone;  ///< Holds a reference; kNone: it counts for nothing.
  };

  ClaimedStorage storage() const { return {volumes_, claims_, classes_}; }
  void resolve(Symbol claim, Used& used);
  void forget(Symbol claim, Used& used);
  void resolve_again(Symbol claim);
  void resolve_users(const std::string& object);
  void file(const PersistentVolume& volume, bool add);
  void file_free(const PersistentVolume& volume, bool add);
  void shelve(VolumesBySize& shelf, const PersistentVolume& volume, bool add);
  void file(const CsiStorageCapacity& capacity, bool add);
  void resolve(Attached& attached);
  void forget(Attached& attached);
  void resolve_attachments(std::string_view volume);
  /// A label that free volumes or capacities stand under. The symbols are held while something does.
  struct Place {
    Symbol key;
    Symbol value;
  };
  Place place(const Requirement& test, bool add);
  void leave(const Place& place);

  Dictionaries& names_;
  NodeTable& nodes_;
  const NodeIndex& index_;
  const Generation generation_;
  Store<PersistentVolume> volumes_;
  Store<PersistentVolumeClaim> claims_;
  Store<StorageClass> classes_;
  Store<CsiNode> csi_nodes_;
  Store<CsiStorageCapacity> capacities_;
  Store<Attached> attachments_;
  Store<std::set<std::string>> attachments_of_;  ///< By volume: names.
  Store<std::set<std::string>> attachments_on_;  ///< By node: names.
  Store<ClassCapacities> by_class_;
  Store<FreeVolumes> free_;                                        ///< By class.
  Store<std::map<std::string, const PersistentVolume*>> claimed_;  ///< By the claimRef's claim, by name.
  VolumeKinds kinds_;
  std::unordered_map<Symbol, Used> used_;  ///< By Dictionaries::claims.
  /// "volume/NAME", "class/NAME" to used claims; a claim's own key to those of ephemeral volumes.
  std::unordered_map<std::string, std::set<Symbol>> users_;
};

}  // namespace winnow
