// Claims, volumes, classes and CSINodes, and what the claims of running pods have attached.
#pragma once

#include <set>
#include <unordered_map>

#include "cluster/state/attachable.h"
#include "cluster/state/node_index.h"

namespace winnow {

/// The storage objects as they came, indexed for the questions that rules ask. What a pod's claim comes to
/// changes with the claim, its volume and its class: each such event moves the counts of the nodes whose
/// pods use that claim, and of no others. One writer at a time; const functions may be concurrent.
class Volumes {
 public:
  /// All of them outlive this. The attached volumes are counted in `nodes`.
  Volumes(Dictionaries& names, NodeTable& nodes, const NodeIndex& index)
      : names_(names), nodes_(nodes), index_(index) {}

  // Events. set() adds or replaces; remove_* says whether it was there.
  void set(PersistentVolumeClaim claim);
  void set(PersistentVolume volume);
  void set(StorageClass storage_class);
  void set(CsiNode csi_node);
  bool remove_claim(std::string_view ns, std::string_view name);
  bool remove_volume(std::string_view name);
  bool remove_class(std::string_view name);
  bool remove_csi_node(std::string_view name);

  /// A pod that names these claims (Footprint::claims) is now on the node, or no longer (by = -1).
  void use(std::span<const Symbol> claims, NodeId node, std::int32_t by);

  // Reading; null where there is none.
  const PersistentVolumeClaim* claim(std::string_view ns, std::string_view name) const;
  const PersistentVolume* volume(std::string_view name) const;
  const StorageClass* storage_class(std::string_view name) const;
  const CsiNode* csi_node(std::string_view name) const;
  /// What a claim comes to now. @param claim  "namespace/name".
  std::vector<AttachableName> attachables(const std::string& claim) const {
    return attachables_of(storage(), claim).attachables;
  }

  /// A volume by its size, then by its name.
  struct Sized {
    Quantity size;
    const PersistentVolume* volume = nullptr;
    bool operator<(const Sized& other) const {
      if (size != other.size) return size < other.size;
      return volume->metadata.name < other.volume->metadata.name;
    }
  };
  /// Volumes that any claim of the class may take: Available, without a claimRef, not being deleted.
  /// @param storage_class  as their spec names it.
  const std::set<Sized>& free_volumes(std::string_view storage_class) const;
  /// Volumes whose claimRef names this claim, by name; the uid is not looked at.
  std::vector<const PersistentVolume*> volumes_for(std::string_view ns, std::string_view name) const;

 private:
  /// A claim that pods on nodes use.
  struct Used {
    std::vector<std::uint32_t> attachables;                     ///< Each holds a reference.
    std::vector<std::string> depends_on;                        ///< Keys of users_.
    std::vector<std::pair<NodeId, std::int32_t>> pods_by_node;  ///< Sorted.
  };

  ClaimedStorage storage() const { return {volumes_, claims_, classes_}; }
  void resolve(Symbol claim, Used& used);
  void forget(Symbol claim, Used& used);
  void resolve_again(Symbol claim);
  void resolve_users(const std::string& object);
  void file(const PersistentVolume& volume, bool add);

  Dictionaries& names_;
  NodeTable& nodes_;
  const NodeIndex& index_;
  Store<PersistentVolume> volumes_;
  Store<PersistentVolumeClaim> claims_;
  Store<StorageClass> classes_;
  Store<CsiNode> csi_nodes_;
  Store<std::set<Sized>> free_;                              ///< By class.
  Store<std::set<Sized>> claimed_;                           ///< By the claimRef's "namespace/name".
  std::unordered_map<Symbol, Used> used_;                    ///< By Dictionaries::claims.
  std::unordered_map<std::string, std::set<Symbol>> users_;  ///< "volume/NAME", "class/NAME" to used claims.
};

}  // namespace winnow
