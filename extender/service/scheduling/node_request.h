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

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/rule/rule.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/service/protocol/answer.h"
#include "extender/service/protocol/args.h"
#include "extender/service/protocol/node_order.h"

namespace winnow {

class AssumedPods;

/// The key of a pod between calls: its UID, or NAMESPACE/NAME where it has none.
inline std::string pod_key_of(const Pod& pod) {
  const ObjectMeta& metadata = pod.metadata;
  return metadata.uid.empty() ? metadata.namespace_ + '/' + metadata.name : metadata.uid;
}

/// The pod as the log names it: NAMESPACE/NAME.
inline std::string pod_name_of(const Pod& pod) { return pod.metadata.namespace_ + '/' + pod.metadata.name; }

// The pod and the nodes of one call, as text and as rows of a cache.
//
// RequestReader reads the body of a call, and makes two things of it. NodeRequest is the text: the pod, and
// the nodes by name. LocatedRequest is where these are in a cache: the nodes' ids, the view, the state. The
// cache is locked for reading while that lives, so that no code reads an unlocked cache. The rest of the
// answer is made from the text, and from the places of the nodes that the cache has.

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
};

/// Where the objects of a body come from.
enum class Origin : std::uint8_t {
  kScheduler,  ///< kube-scheduler, which has them from an API server.
  kAnybody,    ///< Perhaps no API server has seen them. They get its defaults, and are checked as it would.
};

/// The text of one request. A RequestReader makes it, and nobody changes it afterwards. Neither copied nor
/// moved: most members point into the body.
class NodeRequest {
 public:
  NodeRequest(const NodeRequest&) = delete;
  NodeRequest& operator=(const NodeRequest&) = delete;

  bool has_pod() const { return pod_.has_value(); }
  const Pod& pod() const { return *pod_; }
  std::string pod_key() const { return pod_key_of(*pod_); }
  /// The fields of the pod that the API server would refuse, and, of a pod without a UID, those that it does
  /// not know. For Origin::kAnybody.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The classes that a pod without a UID names; null for any other. For Origin::kAnybody.
  const PodClasses* classes() const { return classes_ ? &*classes_ : nullptr; }
  /// The namespace ("default" if the body has none) and name of a body that names a pod; nothing if it names
  /// none.
  std::optional<std::pair<std::string, std::string>> named_pod() const;

  bool asks_for_nodes() const { return form_.has_value(); }
  FilterAnswer::Form form() const { return *form_; }
  /// Whether the body has node names. With full nodes the caller may simulate a cluster that does not exist.
  bool is_of_this_cluster() const { return form_ == FilterAnswer::Form::kNames; }
  std::size_t body_bytes() const { return body_.size(); }

  /// The number of nodes asked about. They are in the order of the request, each once.
  std::size_t node_count() const { return nodes_.size(); }
  /// The name of the i-th node, as a quoted JSON string.
  std::string_view quoted_name(std::size_t i) const {
    return names_of_full_nodes_.empty() ? nodes_[i] : names_of_full_nodes_[i];
  }
  /// The nodes as they stand in the body: quoted names, or whole objects.
  std::span<const std::string_view> nodes() const { return nodes_; }

 private:
  friend class RequestReader;
  explicit NodeRequest(std::string body) : body_(std::move(body)) {}

  std::string body_;
  std::optional<Pod> pod_;
  std::vector<std::string> warnings_;
  std::optional<PodClasses> classes_;
  std::string pod_namespace_, pod_name_;
  std::optional<FilterAnswer::Form> form_;
  std::vector<std::string_view> nodes_;
  std::vector<std::string> names_of_full_nodes_;  ///< Quoted; empty if the body has names.
};

class CallMemory;

/// A request in a cache that is locked for reading while this object lives. Used by one thread, and destroyed
/// before the NodeRequest. The nodes that the cache has are its known nodes.
class LocatedRequest {
 public:
  /// Looks up the names of a request that has been read, in the cache as it is now or in another one. Not for
  /// full nodes. Throws CacheLost where the cache was lost, and OutOfTime.
  /// @param budget  the time for all work; outlives this. Null: unlimited.
  static LocatedRequest again(const NodeRequest& request, ClusterCache& cache, IfAssumed if_assumed,
                              const Budget* budget);

  /// The pod of the request, or that of ask_about() or complete_pod().
  const Pod& pod() const { return pod_ ? *pod_ : request_.pod(); }
  /// The known nodes, in the order of the request.
  const std::vector<NodeId>& known() const { return known_; }
  /// The indexes of the known nodes among all nodes asked about, in ascending order.
  const std::vector<std::uint32_t>& places() const { return places_; }
  /// How many nodes of the request the cache does not have.
  std::size_t unknown_count() const { return request_.node_count() - places_.size(); }

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

  /// Asks about this pod, as if it were to be scheduled now. What it uses on its node is not counted, and its
  /// spec.nodeName is cleared.
  void ask_about(Pod pod);
  /// Has this pod in place of the request's, and looks at the cache as before.
  void complete_pod(Pod pod) { pod_ = std::move(pod); }
  /// Leaves the pod of the request out of the view, if the cache has that pod (by UID) on a node.
  void set_apart();

  /// Unlocks the cache, which ends this object. Then releases an assumed pod that could not be released while
  /// the cache was locked.
  /// @return places().
  std::vector<std::uint32_t> unlock(CallMemory& memory) &&;

 private:
  friend class RequestReader;
  LocatedRequest(const NodeRequest& request, ClusterCache& cache, const Budget* budget);

  std::vector<NodeId> replace_nodes(const std::vector<Node>& nodes);
  void find_known(std::vector<NodeId> ids);
  void leave_out_assumed(IfAssumed if_assumed);
  void leave_out(const std::string& ns, const std::string& name);

  const NodeRequest& request_;
  ClusterCache& cache_;
  ClusterCache::ReadGuard reader_;
  std::unique_ptr<const Budget> budget_;
  std::unique_ptr<Overlay> overlay_;
  std::optional<View> view_;  ///< Never empty. Replaced when the overlay changes.
  std::vector<NodeId> known_;
  std::vector<std::uint32_t> places_;
  std::optional<Pod> pod_;    ///< That of ask_about() or complete_pod().
  bool release_due_ = false;  ///< The pod's assumption is to be released when the cache is unlocked.
};

/// The reading of one body. Node names are read last, with the cache locked: the end of most names is found
/// by comparing them with those of the cache. Used by one thread.
class RequestReader {
 public:
  /// @param body  the JSON of ExtenderArgs. It is kept here, and decoded in place.
  /// @param origin  who has made the pod and the nodes of the body.
  /// @param budget  the time for reading; outlives this. Null: unlimited. OutOfTime is thrown.
  explicit RequestReader(std::string body, Origin origin = Origin::kScheduler, const Budget* budget = nullptr)
      : request_(std::move(body)), args_(request_.body_), origin_(origin), budget_(budget) {}
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Reads the body up to the node names. To be called once.
  /// @return what is wrong with the body, in one line; nothing if nothing is.
  std::optional<std::string> decode();
  /// After decode(): whether the pod is known before the cache is to be locked, and has no nomination. Then
  /// it may be released at once.
  bool knows_new_attempt() const {
    return args_.names_pending() && request_.has_pod() && request_.pod().status.nominated_node_name.empty();
  }
  /// After decode(): locks the cache, reads the rest of the body, and finds the nodes. To be called once.
  /// Throws CacheLost where the cache was lost.
  /// @return the located request, or one line that says what is wrong with the body.
  std::expected<LocatedRequest, std::string> locate(ClusterCache& cache, NodeOrder& order,
                                                    IfAssumed if_assumed);
  /// Whole after locate().
  const NodeRequest& request() const { return request_; }

 private:
  std::optional<std::string> decode_pod();
  std::optional<std::string> decode_nodes();
  std::optional<std::string> read_names(const View& view, NodeOrder& order, std::vector<NodeId>& ids);

  NodeRequest request_;
  ArgsReader args_;
  const Origin origin_;
  const Budget* const budget_;
  std::string_view decoded_pod_;
  std::vector<Node> full_nodes_;
};

}  // namespace winnow
