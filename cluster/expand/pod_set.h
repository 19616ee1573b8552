// The pods of one object, made one by one: what they have in common, and what the DaemonSet controller adds.
//
// A Deployment may have hundreds of thousands of pods. Their number and their names are kept, and one pod as
// a pattern. pod() makes a copy and fills in what differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/pod.h"
#include "cluster/api/storage.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/function_ref.h"
#include "cluster/state/row_values.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

class State;
struct Node;
struct PodRecipe;

/// The pods that one object of a file makes. Copies share what they are made of. Used by one thread.
class PodSet {
 public:
  explicit PodSet(PodRecipe recipe);

  /// "Deployment shop/web", "Pod shop/web-0".
  const std::string& source() const;
  /// How many pods. None for a DaemonSet without nodes, for a suspended Job, and for 0 replicas.
  std::size_t size() const;
  /// The i-th pod, as the API server would store it: complete, with a UID, without a node. Its status has the
  /// names of its ResourceClaims alone. Equal for equal i. The order is that in which the controller would
  /// make them.
  Pod pod(std::size_t i) const;
  /// The claims that controllers make with the i-th pod: those of a StatefulSet's volumeClaimTemplates, and
  /// of ephemeral volumes. Claims that the cluster has already are left out.
  std::vector<PersistentVolumeClaim> claims(std::size_t i) const;
  /// The ResourceClaims that are made from templates with the i-th pod, and owned by it.
  std::vector<ResourceClaim> resource_claims(std::size_t i) const;
  /// What all its pods have; a pod without a priority has 0.
  std::int32_t priority() const;

  /// What their admission has left out of account, a text for each.
  const std::vector<std::string>& not_judged() const;

  /// Whether a DaemonSet makes the pods. Of other objects no pod runs_on() a node.
  bool is_daemon_set() const;
  /// Whether the DaemonSet controller wants a pod on the node of the cluster, by nodeSelector, required node
  /// affinity and tolerations. Room does not matter.
  bool runs_on(const State& cluster, NodeId node) const;
  /// The pod that comes on a node that was added: one, named OBJECT-NODE; none where it does not run.
  PodSet on_new_node(const State& cluster, NodeId node) const;
  /// The same of a node that no cluster has.
  PodSet on_new_node(const Node& node) const;

 private:
  PodSet one_for(const std::string& node, bool runs) const;

  std::shared_ptr<const PodRecipe> recipe_;
};

/// A DaemonSet as one of its pods shows it, without pods: see PodSet::on_new_node(). The required node
/// affinity of its template is not known, for the controller puts the node's name in its place. Neither are
/// the claims of ephemeral volumes: these volumes are left out.
/// @param cluster  has the templates of ResourceClaims. @param pod  of it; a DaemonSet is its controller.
PodSet daemon_set_of(const State& cluster, Pod pod);

/// The node whose name the DaemonSet controller has put in the place of the required node affinity; null: the
/// affinity is another, or there is none.
const std::string* required_node(const PodSpec& spec);

// Internal: what the pods of one object have in common, and what tells them apart.

/// What makes one pod differ from the others of its object.
enum class Identity : std::uint8_t {
  kSuffix,   ///< A generated name.
  kGiven,    ///< The pattern has the name: the one pod of a Pod.
  kOrdinal,  ///< StatefulSet: name, two labels and volumes by number.
  kIndex,    ///< Indexed Job: a label and an annotation by number, and a generated name.
  kNode,     ///< DaemonSet: a node, and a generated name.
};

/// One pod.
struct PodNumber {
  std::uint32_t number = 0;  ///< The ordinal, the index, or the node's place in `nodes`.
  std::uint32_t suffix = 0;  ///< Of generated_name().
};

/// A ResourceClaim that each pod gets from a template.
struct ResourceClaimRecipe {
  std::string name;     ///< PodResourceClaim::name
  ResourceClaim claim;  ///< But for its name and its owner.
};

struct PodRecipe {
  std::string source;
  Identity identity = Identity::kSuffix;
  std::string prefix;  ///< The generateName; of StatefulSets and indexed Jobs the object's name.
  std::vector<PodNumber> numbers;
  std::vector<std::string> nodes;
  /// A pod that is admitted, but for its identity and what an API server prepares by it.
  Pod pattern;
  bool was_stored = false;  ///< An API server has prepared it already.
  /// Claims with defaults, but for their identity. Of a StatefulSet the name is that of the volume.
  std::vector<PersistentVolumeClaim> claim_templates;
  std::vector<EphemeralClaim> ephemeral_claims;
  TextSet known_claims;  ///< "NAMESPACE/NAME" of claims that are there already.
  std::vector<ResourceClaimRecipe> resource_claims;
  TextSet taken_names;  ///< Of ResourceClaims: those that another claim of the namespace has.
  std::vector<std::string> not_judged;
};

/// The name that a pod would have.
std::string name_of(const PodRecipe& recipe, const PodNumber& number);
/// The pod of this number; see PodSet.
Pod make_pod(const PodRecipe& recipe, const PodNumber& number);
std::vector<PersistentVolumeClaim> make_claims(const PodRecipe& recipe, const PodNumber& number);
std::vector<ResourceClaim> make_resource_claims(const PodRecipe& recipe, const PodNumber& number);

// The ResourceClaims that pods get from templates (resource_claims.cc).

/// The template of a name, in the namespace of the pods; null: there is none.
using FindClaimTemplate =
    FunctionRef<const ResourceClaimTemplate*(const std::string& ns, const std::string& name)>;

/// Fills in recipe.resource_claims for the claims in the pattern that name a template. Where there is no
/// template of that name, recipe.not_judged tells so, and the pods wait for a claim.
void find_resource_claims(PodRecipe& recipe, FindClaimTemplate find);
/// The same by the templates of the cluster. Where one is missing, the claim of `like` is taken for it.
/// @param like  a pod of the cluster; the pattern is a copy of it, but for its status.
void find_resource_claims(PodRecipe& recipe, const State& cluster, const Pod& like);

/// The name of the claim that a pod gets. @param claim  an index of recipe.resource_claims.
std::string resource_claim_name(const PodRecipe& recipe, const PodNumber& number, std::size_t claim);

/// Fills in recipe.taken_names, so that no claim gets the name of one that is known.
void note_taken_names(PodRecipe& recipe,
                      FunctionRef<bool(const std::string& ns, const std::string& name)> is_taken);

// What the DaemonSet controller decides: on which nodes its pods run, and what it adds to them.
// Upstream: pkg/controller/daemon/daemon_controller.go and util/daemonset_util.go v1.37.0.

/// Adds the tolerations of every daemon pod. One that upstream takes for the same is replaced.
/// Upstream: AddOrUpdateDaemonPodTolerations.
void add_daemon_tolerations(PodSpec& spec);

/// Restricts the pod to the node: its required node affinity becomes one term on metadata.name.
/// Upstream: ReplaceDaemonSetPodNodeNameNodeAffinity.
void require_node(PodSpec& spec, const std::string& node);

/// The names of the nodes that the pods should run on, sorted: those that nodeSelector, required node
/// affinity and tolerations allow. Room does not matter. A node that has a pod of this DaemonSet is left out.
/// @param spec  of the pods, with the daemon tolerations.
/// @param added  nodes that come into the cluster; one replaces the cluster's of its name.
/// @param left_out  nodes of the cluster that are left out, too.
/// Upstream: NodeShouldRunDaemonPod, podsShouldBeOnNode.
std::vector<std::string> daemon_nodes(const PodSpec& spec, std::string_view ns, std::string_view daemon_set,
                                      const State& cluster, std::span<const Node> added,
                                      std::span<const std::string> left_out);

}  // namespace winnow
