// A synthetic cluster that looks like a real one, as a function of its size and a seed.
//
// tests/bench holds the sample (sample.*, sample_json.*: what kube-scheduler would send about it), the
// service around it (service.h), how two things are compared on a noisy machine (pairs.h), and the programs:
//   winnow_bench   google-benchmark cases, by pass and by rule (bench*.cc)
//   winnow_questions  whether each rule has something to say about what it is asked (all_questions.cc)
//   winnow_floor   a request's processor time against what RapidJSON alone needs for its bytes (floor.cc)
//   winnow_preemption  a preemption's search among full nodes (preemption.cc)
//   winnow_burst   filter beside a burst of pod events (burst.cc)
//   winnow_cold    the cold start from a file, against what RapidJSON alone needs for its bytes (cold.cc)
//   winnow_expressions_bench  the rules of manifests/rules, each alone (expressions.cc)
//   winnow_flat    time per request against the number of pods (flat.cc)
//   winnow_kinds   the engine's time by kind of pod, beside upstream's own code (kinds.cc,
//   tests/oracle/time.sh) winnow_memory  load time and bytes per pod and node (memory.cc) http_driver,
//   http_echo  over the socket
#pragma once

#include <cstdint>
#include <string>

#include "cluster/api/node.h"
#include "cluster/api/workload.h"
#include "cluster/state/state.h"

namespace winnow::bench {

/// Objects are made one at a time, so that whoever loads them measures what it keeps. Immutable.
///
/// Nodes: 10 zones in 3 regions, 20 pools, 24 labels, 1 in 20 tainted in 10 ways, 1 in 100 cordoned, 50 of
/// 2,000 images each. Pods: 30 to an app; apps in 200 namespaces, each with its label set, requests, Service
/// and ReplicaSet; a quarter of all pods belong to the first 20 apps. Of ten apps behind those, one has
/// required anti-affinity to itself by host name, one prefers other zones, one prefers the zone of another
/// app. A node is about as full whatever the number of pods, so that the answers are of one size.
class Sample {
 public:
  struct Size {
    std::size_t nodes = 5000;
    std::size_t pods = 150'000;
    std::uint64_t seed = 1;
  };
  explicit Sample(Size size) : size_(size) {}

  std::size_t nodes() const { return size_.nodes; }
  std::size_t pods() const { return size_.pods; }
  std::size_t apps() const { return size_.pods / 30 + 1; }

  Node node(std::size_t i) const;
  std::string node_name(std::size_t i) const;
  Pod pod(std::size_t i) const;
  Service service(std::size_t app) const;
  ReplicaSet replica_set(std::size_t app) const;
  /// Labelled tier-0 to tier-3.
  Namespace name_space(std::size_t i) const;
  static constexpr std::size_t kNamespaces = 200;

  /// A pod of the app, like its others but without a node.
  Pod pod_of(std::size_t app, const std::string& suffix) const;
  /// An app that is as small as they come.
  std::size_t small_app() const { return apps() / 2; }

  /// Everything, one object after the other.
  void load(State& state) const;

 private:
  std::size_t app_of(std::size_t pod) const;
  void put_labels(std::size_t i, StringMap& labels) const;
  void put_images(std::size_t i, std::vector<ContainerImage>& images) const;
  Container container_of(std::size_t app) const;

  const Size size_;
};

/// Today's rules as they are without further words.
inline constexpr const char* kDefaultConfig =
    R"({"apiVersion":"kubescheduler.config.k8s.io/v1","kind":"KubeSchedulerConfiguration"})";

/// The kinds of pods that the benchmarks ask about.
enum class Asked : std::uint8_t {
  kPlain,
  kAffinity,  ///< Node affinity.
  kBigService,
  kSmallService,
  kTolerations,
  kImages,
  kRequiredAntiAffinity,   ///< Not beside another of its app, by host name.
  kPreferredAntiAffinity,  ///< Rather not in a zone with others of its app.
  kRequiredPodAffinity,    ///< In a zone with a big app.
  kPreferredPodAffinity,   ///< Rather in a zone with another app.
  // What v1.16 does not know.
  kHardSpread,         ///< Its app evenly over zones and hosts: DoNotSchedule.
  kSoftSpread,         ///< The same, if it can be.
  kNamespaceSelector,  ///< In a zone with a version in many namespaces, by their labels.
};
/// Kinds for the classic rules, and for today's: there a service alone asks for spreading.
inline constexpr Asked kAskedClassic[] = {Asked::kPlain,
                                          Asked::kAffinity,
                                          Asked::kBigService,
                                          Asked::kSmallService,
                                          Asked::kTolerations,
                                          Asked::kImages,
                                          Asked::kRequiredAntiAffinity,
                                          Asked::kPreferredAntiAffinity,
                                          Asked::kRequiredPodAffinity,
                                          Asked::kPreferredPodAffinity};
inline constexpr Asked kAskedToday[] = {
    Asked::kPlain,
    Asked::kAffinity,
    Asked::kHardSpread,
    Asked::kSoftSpread,
    Asked::kBigService,
    Asked::kSmallService,
    Asked::kRequiredAntiAffinity,
    Asked::kPreferredAntiAffinity,
    Asked::kRequiredPodAffinity,
    Asked::kPreferredPodAffinity,
    Asked::kNamespaceSelector,
};
const char* to_string(Asked kind);

/// A pending pod of the kind. Small: 100m and 128Mi, so that most nodes have room.
Pod asked_pod(const Sample& sample, Asked kind);

}  // namespace winnow::bench
