// Random objects out of few names, so that what is drawn twice meets itself.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "cluster/state/pod_terms.h"
#include "cluster/state/state.h"
#include "tests/builders.h"
#include "tests/storage.h"

namespace winnow::test {

/// Numbers drawn from one seed.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : draws_(seed) {}

  std::size_t below(std::size_t n) { return draws_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 draws_;
};

/// The facts that random nodes have numbers of, and text that is no number.
std::vector<NodeFact> random_facts();
inline State::Options with_facts(State::Options options) {
  options.facts = random_facts();
  return options;
}

/// Draws what a cluster is made of; the same seed gives the same objects.
class RandomCluster {
 public:
  /// @param invalid  one in so many label selectors is invalid. @param nodes  names that nodes may have.
  explicit RandomCluster(std::uint64_t seed, std::size_t invalid = 20, std::size_t nodes = 12)
      : seed_(seed), invalid_(invalid), nodes_(nodes), draws_(seed) {}

  std::size_t below(std::size_t n) { return draws_.below(n); }
  bool one_in(std::size_t n) { return draws_.one_in(n); }
  /// The draws of one field alone. A field that is added to the objects draws from its own, so that all other
  /// fields stay what they were for every seed.
  Draws& own(const std::string& field);

  std::string node_name() { return "node-" + std::to_string(below(nodes_)); }
  std::string ns() { return "ns-" + std::to_string(below(3)); }
  std::string pod_name() { return "pod-" + std::to_string(below(40)); }
  std::string claim_name() { return "claim-" + std::to_string(below(6)); }
  std::string volume_name() { return "volume-" + std::to_string(below(8)); }
  std::string class_name() { return "class-" + std::to_string(below(4)); }

  Node node(const std::string& name);
  /// Pending, or on a node that may not exist.
  Pod pod(const std::string& ns, const std::string& name);
  PersistentVolumeClaim volume_claim(const std::string& ns, const std::string& name);
  PersistentVolume persistent_volume(const std::string& name);
  StorageClass storage_class(const std::string& name);
  CsiNode csi_node(const std::string& name);
  // Of devices: each draws from a stream of its own.
  ResourceSlice resource_slice(const std::string& name);
  DeviceTaintRule taint_rule(const std::string& name);
  ResourceClaim resource_claim(const std::string& ns, const std::string& name);
  StringMap labels();
  LabelSelector label_selector();
  Selector selector();
  PodAffinityTerm term();
  PodQuery query();

 private:
  void add_facts(NodeBuilder& made);
  /// Draws the values that the node has in one column of kNodeColumns.
  template <std::size_t kColumn>
  void add_column(NodeBuilder& made);
  void add_rare_keys(NodeBuilder& made);
  void add_containers(PodBuilder& made);
  void add_affinity(PodBuilder& made);
  void add_status(Pod& pod);
  void add_resource_claims(Pod& pod);
  Volume volume();
  std::string value() { return "v" + std::to_string(below(3)); }

  std::string topology_key();

  const std::uint64_t seed_;
  const std::size_t invalid_;
  const std::size_t nodes_;
  Draws draws_;
  std::map<std::string, Draws> own_;  ///< By field.
  std::size_t nodes_made_ = 0;
};

}  // namespace winnow::test
