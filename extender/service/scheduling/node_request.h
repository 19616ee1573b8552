// The pod and the nodes of one call, as text and as rows of a cache, and keys and names of pods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/api/pod.h"
#include "cluster/rule/rule.h"
#include "cluster/state/cluster_cache.h"
#include "extender/service/protocol/answer.h"
#include "extender/service/scheduling/compute_limiter.h"

namespace winnow {

/// The key of a pod between calls: its UID, or NAMESPACE/NAME where it has none.
inline std::string pod_key_of(const Pod& pod) {
  const ObjectMeta& metadata = pod.metadata;
  return metadata.uid.empty() ? metadata.namespace_ + '/' + metadata.name : metadata.uid;
}

/// The pod as the log names it: NAMESPACE/NAME.
inline std::string pod_name_of(const Pod& pod) { return pod.metadata.namespace_ + '/' + pod.metadata.name; }

// The pod and the nodes of one call, as text and as rows of a cache.
//
// A request has two stages, and each is a type. NodeRequest is the text: the pod, and the nodes by name.
// LockedRequest is the same request in a cache that is locked for reading: the nodes' ids, the view, the
// state. It is destroyed before the lock is released, so that no code reads an unlocked cache. The rest of
// the answer is made from the text.

class LockedRequest;

/// The treatment of a pod that is assumed when a call asks about it.
enum class IfAssumed : std::uint8_t {
  kStays,
  /// The pod's last scheduling attempt has failed, or kube-scheduler would not ask again. The assumption is
  /// released, so that no call counts the pod any more. For the cache of a live cluster only. With full
  /// nodes the caller may simulate a cluster that does not exist (an autoscaler). The pod is then left out of
  /// this answer only, and stays assumed.
  ///
  /// kube-scheduler asks about a pod's nominated node first, and alone. If the pod is assumed there, the
  /// attempt has just begun: the pod is left out of this answer only, too. It fits, and stays assumed; or
  /// kube-scheduler asks about the other nodes next, and that releases it.
  kIsReleased,
  /// The same for a replay: the pod is left out of this answer only. The recording has the release.
  kIsLeftOut,
};

/// Where the objects of a body come from.
enum class Origin : std::uint8_t {
  kScheduler,  ///< kube-scheduler, which has them from an API server.
  kAnybody,    ///< Perhaps no API server has seen them. They get its defaults, and are checked as it would.
};

/// The body of one call. It is read once, and its nodes are then looked up in one or more caches. Used by
/// one thread. Neither copied nor moved: most members point into the body.
class NodeRequest {
 public:
  /// @param body  the JSON of ExtenderArgs. It is kept here, and decoded in place.
  /// @param origin  who has made the pod and the nodes of the body.
  explicit NodeRequest(std::string body, Origin origin = Origin::kScheduler)
      : body_(std::move(body)), origin_(origin) {}
  NodeRequest(const NodeRequest&) = delete;
  NodeRequest& operator=(const NodeRequest&) = delete;

  /// Reads the body and looks its nodes up. To be called once. The cache is locked for reading while the
  /// result lives.
  /// @param budget  the time for this and all that follows; outlives this. Null: unlimited. OutOfTime is
  /// thrown.
  /// @return the located request, or one line that says what is wrong with the body.
  std::expected<LockedRequest, std::string> read(ClusterCache& cache, NodeOrder& order, IfAssumed if_assumed,
                                                 const Budget* budget = nullptr);
  /// After read(): looks the same names up again, in the cache as it is now or in another one. Not for full
  /// nodes.
  LockedRequest look_again(ClusterCache& cache);
  /// After read() or look_again(), with the cache unlocked again: releases an assumed pod that could not be
  /// released while the cache was locked for reading.
  void finish_release(ClusterCache& cache);

  // After read().
  bool has_pod() const { return pod_.has_value(); }
  const Pod& pod() const { return *pod_; }
  std::string pod_key() const { return pod_key_of(*pod_); }
  /// The fields of the pod that the API server would refuse. For Origin::kAnybody.
  const std::vector<FieldError>& refused() const { return refused_; }
  /// The namespace ("default" if the body has none) and name of a body that names a pod; nothing if it names
  /// none.
  std::optional<std::pair<std::string, std::string>> named_pod() const;

  bool asks_for_nodes() const { return form_.has_value(); }
  FilterAnswer::Form form() const { return *form_; }
  /// Whether the body has node names. With full nodes the caller may simulate a cluster that does not exist.
  bool is_of_this_cluster() const { return form_ == FilterAnswer::Form::kNames; }
  std::size_t body_bytes() const { return body_.size(); }

  /// The number of nodes asked about. They are in the order of the request, each once.
  std::size_t node_count() const { return asked_.size(); }
  /// The name of the i-th node, as a quoted JSON string.
  std::string_view quoted_name(std::size_t i) const { return names_.empty() ? asked_[i].raw : names_[i]; }
  /// Whether the cache that was last looked at has the i-th node.
  bool is_known(std::size_t i) const { return asked_[i].node != kNone; }
  /// The indexes of the nodes that the cache has, among all nodes asked about, in ascending order.
  const std::vector<std::uint32_t>& places() const { return places_; }
  std::size_t unknown_count() const { return asked_.size() - places_.size(); }

  /// Writes the feasible nodes into an answer. @param fits  one flag for each node asked about.
  void write_feasible(FilterAnswer& answer, std::span<const std::uint8_t> fits) const {
    answer.feasible(asked_, fits);
  }
  /// Writes one node as the only feasible one. @param place  its index among the nodes asked about.
  void write_only(FilterAnswer& answer, std::size_t place) const {
    constexpr std::uint8_t kFits[] = {1};
    answer.feasible(std::span(asked_).subspan(place, 1), kFits);
  }

 private:
  friend class LockedRequest;

  std::optional<std::string> decode_pod(const ArgsReader& args);
  std::optional<std::string> decode_nodes(const ArgsReader& args, std::vector<Node>& nodes);
  std::optional<std::string> read_names(ArgsReader& args, const View& view, NodeOrder& order,
                                        std::vector<Node>& nodes);
  void release(ClusterCache& cache);

  std::string body_;
  const Origin origin_;
  std::vector<FieldError> refused_;
  const Budget* budget_ = nullptr;
  IfAssumed if_assumed_ = IfAssumed::kStays;
  bool release_due_ = false;  ///< See finish_release().
  std::optional<Pod> pod_;
  std::string_view decoded_pod_;
  std::string pod_namespace_, pod_name_;
  std::optional<FilterAnswer::Form> form_;
  std::vector<AskedNode> asked_;    ///< The ids are valid in the cache that was last looked at. Only
                                    ///< LockedRequest uses them.
  std::vector<std::string> names_;  ///< Quoted; for full nodes only.
  std::vector<std::uint32_t> places_;
};

/// The request in a cache that is locked for reading while this object lives. Used by one thread, and
/// destroyed before the NodeRequest. CacheLost is thrown where the cache was lost.
class LockedRequest {
 public:
  const NodeRequest& asked() const { return question_; }
  const Pod& pod() const { return question_.pod(); }
  /// The nodes asked about that the view has, in the order of the request. NodeRequest::places() has their
  /// indexes.
  const std::vector<NodeId>& known() const { return known_; }

  const State& state() const { return *reader_; }
  const AssumedPods& assumed() const { return reader_.assumed(); }
  /// When the cache last changed.
  ClusterCache::Time changed() const { return reader_.changed(); }
  const View& view() const { return *view_; }
  Request request(std::span<const NodeId> nodes) const {
    return {.pod = pod(),
            .view = view(),
            .nodes = nodes,
            .accounting = state().options().accounting,
            .budget = budget()};
  }
  /// The time for work while this object lives; null: unlimited. See reading_time().
  const Budget* budget() const { return budget_.get(); }

  /// Makes a pod of the state the pod of the request, as if it were to be scheduled now. What it uses on its
  /// node is not counted, and its spec.nodeName is cleared.
  void ask_about(PodId pod);
  /// Leaves the pod of the request out of the view, if the cache has that pod (by UID) on a node.
  void set_apart();

 private:
  friend class NodeRequest;
  LockedRequest(NodeRequest& question, const ClusterCache& cache);

  void replace_nodes(const std::vector<Node>& nodes);
  void find_known();
  void leave_out_assumed();
  void leave_out(const std::string& ns, const std::string& name);

  NodeRequest& question_;
  ClusterCache::ReadGuard reader_;
  std::unique_ptr<const Budget> budget_;
  std::unique_ptr<Overlay> overlay_;
  std::optional<View> view_;  ///< Never empty. Replaced when the overlay changes.
  std::vector<NodeId> known_;
};

}  // namespace winnow
