// The storage objects: claims, volumes, classes, CSINodes, capacities and attachments.
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

#include "cluster/api/generation.h"
#include "cluster/state/attachable.h"
#include "cluster/state/pool.h"
#include "cluster/state/row_values.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

class NodeIndex;
class NodeTable;
struct Dictionaries;
struct Requirement;

/// The properties of a free volume that decide whether it suits a claim, without size, labels and node
/// affinity.
struct VolumeKind {
  std::string storage_class;  ///< By class_of().
  std::string volume_mode;    ///< As written.
  std::vector<std::string> access_modes;
  std::string attributes_class;  ///< Today's generation only.
  bool operator==(const VolumeKind&) const = default;
};
struct VolumeKindHash {
  std::size_t operator()(const VolumeKind& kind) const;
};
using VolumeKinds = Pool<VolumeKind, VolumeKindHash>;

/// A volume that a claim may take. The pointer is into the store of volumes.
struct FreeVolume {
  Quantity size;
  const PersistentVolume* volume = nullptr;
  std::uint32_t kind = kNone;  ///< Of Volumes::kinds().
};
/// An order by size, then by name.
struct BySize {
  using is_transparent = void;
  bool operator()(const FreeVolume& a, const FreeVolume& b) const {
    return a.size != b.size ? a.size < b.size : a.volume->metadata.name < b.volume->metadata.name;
  }
  bool operator()(const FreeVolume& a, const Quantity& size) const { return a.size < size; }
};
using VolumesBySize = std::set<FreeVolume, BySize>;

/// The free volumes of a class. A local volume usually requires one value of one label, the host's name. Such
/// volumes are found by that label, so a request does not walk the volumes of all hosts.
struct FreeVolumes {
  std::map<Symbol, std::unordered_map<Symbol, VolumesBySize>> by_label;  ///< By label key, then by value.
  VolumesBySize others;
};

/// The capacities of a class, as its driver reports them, indexed like FreeVolumes. A List is in order of
/// "namespace/name".
struct ClassCapacities {
  using List = std::map<std::string, const CsiStorageCapacity*>;
  std::map<Symbol, std::unordered_map<Symbol, List>> by_label;
  List others;
};

/// The storage objects, indexed for the questions that rules ask. The volume that a pod's claim attaches
/// depends on the claim, its volume and its class. An event of one of these changes the counts of the nodes
/// whose pods use the claim, and of no others. One writer at a time; const functions may run concurrently.
class Volumes {
 public:
  /// All arguments must outlive this. Attached volumes are counted in `nodes`.
  /// @param generation  the generation whose reading of claims holds.
  Volumes(Dictionaries& names, NodeTable& nodes, const NodeIndex& index, Generation generation)
      : names_(names), nodes_(nodes), index_(index), generation_(generation) {}

  // Events. set() adds or replaces. remove_* returns whether the object was there.
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

  /// Writes what is known of a new node by its name into its row: the CSINode and VolumeAttachments.
  void describe(NodeTable& nodes, NodeId node, std::string_view name) const;

  /// Counts a pod with these claims (Footprint::claims) on the node (by = 1), or no longer (by = -1).
  void use(std::span<const Symbol> claims, NodeId node, std::int32_t by);

  // Reading. A result is null if there is no such object.
  const PersistentVolumeClaim* claim(std::string_view ns, std::string_view name) const;
  const PersistentVolume* volume(std::string_view name) const;
  const StorageClass* storage_class(std::string_view name) const;
  const CsiNode* csi_node(std::string_view name) const;
  /// All StorageClasses, in order of name.
  const Store<StorageClass>& storage_classes() const { return classes_; }
  /// The number of mounts of a claim by node, sorted by node. Ephemeral volumes do not count.
  std::span<const std::pair<NodeId, std::int32_t>> users(Symbol claim) const;
  /// The ids of the volumes that a claim attaches now, if a pod on some node uses it; null: none does.
  const std::vector<std::uint32_t>* attached_by(Symbol claim) const;
  /// The volumes that a claim attaches now.
  /// @param claim  a claim_key().
  std::vector<AttachableName> attachables(const std::string& claim) const {
    return attachables_of(storage(), claim, generation_).attachables;
  }

  /// The volumes that any claim of the class may take; null: none. They are Available, have no claimRef, and
  /// are not being deleted.
  /// @param storage_class  classic: the class in the volume's spec; today: class_of().
  const FreeVolumes* free_volumes(std::string_view storage_class) const;
  const VolumeKinds& kinds() const { return kinds_; }
  /// The volumes whose claimRef names this claim, in order of name. The claimRef's UID is not compared.
  std::vector<const PersistentVolume*> volumes_for(std::string_view ns, std::string_view name) const;
  /// The capacities of the class; null: none.
  const ClassCapacities* capacities(std::string_view storage_class) const;

 private:
  /// A claim that pods on nodes use.
  struct Used {
    std::vector<std::uint32_t> attachables;                     ///< Each holds a reference.
    std::vector<std::string> depends_on;                        ///< Keys of users_: the objects that decide
                                                                ///< what the claim attaches.
    std::vector<std::pair<NodeId, std::int32_t>> pods_by_node;  ///< Sorted.
  };

  struct Attached {
    VolumeAttachment object;
    std::uint32_t volume = kNone;  ///< Holds a reference; kNone: it counts as no volume.
  };

  ClaimedStorage storage() const { return {volumes_, claims_, classes_}; }
  /// resolve() finds the volumes of a claim and registers what they depend on. forget() undoes that.
  /// resolve_again() moves the counts on nodes when one of these objects has changed. resolve_users() does so
  /// for all claims that depend on an object.
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
  /// The label that free volumes or capacities are filed under. Each of these holds a reference to both
  /// symbols.
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
  Store<std::set<std::string>> attachments_of_;  ///< By volume: the names of VolumeAttachments.
  Store<std::set<std::string>> attachments_on_;  ///< By node: the same.
  Store<ClassCapacities> by_class_;
  Store<FreeVolumes> free_;                                        ///< By class.
  Store<std::map<std::string, const PersistentVolume*>> claimed_;  ///< By claimRef, then by volume name.
  VolumeKinds kinds_;
  std::unordered_map<Symbol, Used> used_;  ///< By Dictionaries::claims.
  /// The used claims that depend on an object. The keys are "volume/NAME", "class/NAME" and
  /// "claim/NAMESPACE/NAME". The last kind is for ephemeral volumes.
  TextMap<std::set<Symbol>> users_;
};

}  // namespace winnow
