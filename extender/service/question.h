// One question of kube-scheduler's: which pod, which nodes, seen in which cluster.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/rule/request.h"
#include "cluster/state/picture.h"
#include "extender/protocol/answer.h"

namespace winnow {

/// What tells a pod from others between calls: its UID, or its namespace and name where it has none.
std::string pod_key_of(const Pod& pod);

/// Reads a request body and holds the picture still for as long as it is answered. Used by one thread.
class Question {
 public:
  Question(Picture& picture, NodeOrder& order) : picture_(&picture), order_(order) {}

  /// Reads ExtenderArgs. From here on the picture is locked for reading, until unlock().
  /// @param body  kept and changed here; the answer copies from it.
  /// @return what is wrong with the body, in one line; nothing if all is well.
  std::optional<std::string> read(std::string body);

  bool has_pod() const { return pod_.has_value(); }
  const Pod& pod() const { return *pod_; }
  std::string pod_key() const { return pod_key_of(*pod_); }
  /// The pod may be assumed to be on its way, and is asked about anew: what came of the last answer has
  /// failed. From here on it counts nowhere, for nobody. In front of read(), for a picture that is a live
  /// cluster's. Who sends full nodes may be asking about a cluster that there is not (an autoscaler): there
  /// the pod counts nowhere in this answer alone.
  void release_assumed() { releases_ = true; }
  /// Asks about a pod of the state, as if it were to be placed again: without what it takes from its node,
  /// and free to go anywhere.
  void ask_about(PodId pod);
  /// The pod of the request counts nowhere in this answer, if the picture has it on a node.
  void set_apart();
  /// The pod is only named: its namespace ("default" where none is given) and name; nothing if it is not.
  std::optional<std::pair<std::string, std::string>> named_pod() const;

  bool asks_for_nodes() const { return form_.has_value(); }
  FilterAnswer::Form form() const { return *form_; }
  /// Every node asked about, in order, each once.
  const std::vector<AskedNode>& asked() const { return asked_; }
  /// The name of asked()[i], quoted.
  std::string_view quoted_name(std::size_t i) const { return names_.empty() ? asked_[i].raw : names_[i]; }
  /// Those of the nodes asked about that the view knows, in order, and where they stand in asked().
  const std::vector<NodeId>& known() const { return known_; }
  const std::vector<std::uint32_t>& places() const { return places_; }

  const State& state() const { return **reader_; }
  const AssumedPods& assumed() const { return reader_->assumed(); }
  const View& view() const { return *view_; }
  Request request(std::span<const NodeId> nodes) const {
    return {*pod_, *view_, nodes, state().options().accounting};
  }

  /// Lets the picture go; view and state may not be used after it. What is left of the answer is text.
  void unlock();
  /// Behind unlock(): the same question of the picture as it is now, or of the one that has taken its place.
  /// Not for full nodes.
  void look_again(Picture& picture);

 private:
  std::optional<std::string> decode_pod(const ArgsReader& args);
  std::optional<std::string> decode_nodes(const ArgsReader& args, std::vector<Node>& nodes);
  void look_up(std::vector<Node> nodes);
  void find_known();
  void release();
  void leave_out_assumed();
  void leave_out(const std::string& ns, const std::string& name);

  Picture* picture_;
  NodeOrder& order_;
  bool releases_ = false;
  bool release_due_ = false;  ///< As soon as the picture is let go.
  std::string body_;
  std::optional<Picture::Reader> reader_;
  std::unique_ptr<Overlay> overlay_;
  std::optional<View> view_;
  std::optional<Pod> pod_;
  std::string_view decoded_pod_;
  std::string pod_namespace_, pod_name_;
  std::optional<FilterAnswer::Form> form_;
  std::vector<AskedNode> asked_;
  std::vector<std::string> names_;  ///< Quoted; full nodes only.
  std::vector<NodeId> known_;
  std::vector<std::uint32_t> places_;
};

}  // namespace winnow
