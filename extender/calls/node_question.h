// One question of kube-scheduler's: which pod, which nodes, seen in which cluster.
//
// A question has two stages, and each is a type. NodeQuestion is the text: the pod, and the nodes by name. A
// LocatedQuestion is the same question in a picture that is locked for reading: the nodes by their ids, the
// view, the state. It ends before the picture is free, so that nobody reads a picture that is not locked.
// What is left of the answer is made from the text.
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

#include "cluster/rule/request.h"
#include "cluster/state/picture.h"
#include "extender/calls/pod_key.h"
#include "extender/protocol/answer.h"

namespace winnow {

class LocatedQuestion;

/// What is to become of a pod that is assumed to be on its way, when it is asked about.
enum class IfAssumed : std::uint8_t {
  kStays,
  /// It is asked about anew, so that what came of the last answer has failed: from here on it counts nowhere,
  /// for nobody. For a picture that is a live cluster's. Who sends full nodes may be asking about a cluster
  /// that there is not (an autoscaler): there the pod counts nowhere in this answer alone.
  kIsReleased,
};

/// The body of a call, read once, and looked up in one picture after another. Used by one thread. Neither
/// copied nor moved: most of it points into the body.
class NodeQuestion {
 public:
  /// @param body  ExtenderArgs; kept and changed here.
  explicit NodeQuestion(std::string body) : body_(std::move(body)) {}
  NodeQuestion(const NodeQuestion&) = delete;
  NodeQuestion& operator=(const NodeQuestion&) = delete;

  /// Reads the body, once, and finds its nodes. The picture is locked for reading while the result lives.
  /// @return or what is wrong with the body, in one line.
  std::expected<LocatedQuestion, std::string> read(Picture& picture, NodeOrder& order, IfAssumed if_assumed);
  /// Behind read(): the same question of the picture as it is now, or of one that has taken its place. Not
  /// for full nodes.
  LocatedQuestion look_again(Picture& picture);
  /// Behind read() or look_again(), with the picture free again: releases a pod that was to be released, and
  /// could not be while it was located.
  void finish_release(Picture& picture);

  // Behind read().
  bool has_pod() const { return pod_.has_value(); }
  const Pod& pod() const { return *pod_; }
  std::string pod_key() const { return pod_key_of(*pod_); }
  /// The pod is only named: its namespace ("default" where none is given) and name; nothing if it is not.
  std::optional<std::pair<std::string, std::string>> named_pod() const;

  bool asks_for_nodes() const { return form_.has_value(); }
  FilterAnswer::Form form() const { return *form_; }
  /// Who sends full nodes may be asking about a cluster that there is not.
  bool is_of_this_cluster() const { return form_ == FilterAnswer::Form::kNames; }
  std::size_t body_bytes() const { return body_.size(); }

  /// How many nodes are asked about: in order, each once.
  std::size_t node_count() const { return asked_.size(); }
  /// The name of the i-th of them, quoted.
  std::string_view quoted_name(std::size_t i) const { return names_.empty() ? asked_[i].raw : names_[i]; }
  /// Whether the picture of the last look has it.
  bool is_known(std::size_t i) const { return asked_[i].node != kNone; }
  /// Where those that it has stand among all, in order.
  const std::vector<std::uint32_t>& places() const { return places_; }
  std::size_t unknown_count() const { return asked_.size() - places_.size(); }

  /// Writes the nodes that fit into an answer. @param fits  by place.
  void write_feasible(FilterAnswer& answer, std::span<const std::uint8_t> fits) const {
    answer.feasible(asked_, fits);
  }
  /// The same for the only one that is left.
  void write_only(FilterAnswer& answer, std::size_t place) const {
    constexpr std::uint8_t kFits[] = {1};
    answer.feasible(std::span(asked_).subspan(place, 1), kFits);
  }

 private:
  friend class LocatedQuestion;

  std::optional<std::string> decode_pod(const ArgsReader& args);
  std::optional<std::string> decode_nodes(const ArgsReader& args, std::vector<Node>& nodes);
  std::optional<std::string> read_names(ArgsReader& args, const View& view, NodeOrder& order,
                                        std::vector<Node>& nodes);
  void release(Picture& picture);

  std::string body_;
  IfAssumed if_assumed_ = IfAssumed::kStays;
  bool release_due_ = false;  ///< See finish_release().
  std::optional<Pod> pod_;
  std::string_view decoded_pod_;
  std::string pod_namespace_, pod_name_;
  std::optional<FilterAnswer::Form> form_;
  std::vector<AskedNode> asked_;    ///< Their ids are of the last look, and used by LocatedQuestion alone.
  std::vector<std::string> names_;  ///< Quoted; full nodes only.
  std::vector<std::uint32_t> places_;
};

/// A question in a picture, which is locked for reading while this lives. Used by one thread.
class LocatedQuestion {
 public:
  const NodeQuestion& asked() const { return question_; }
  const Pod& pod() const { return question_.pod(); }
  /// Those of the nodes asked about that the view has, in order; NodeQuestion::places() says where they
  /// stand.
  const std::vector<NodeId>& known() const { return known_; }

  const State& state() const { return *reader_; }
  const AssumedPods& assumed() const { return reader_.assumed(); }
  const View& view() const { return *view_; }
  Request request(std::span<const NodeId> nodes) const {
    return {pod(), view(), nodes, state().options().accounting};
  }

  /// Asks about a pod of the state, as if it were to be placed again: without what it takes from its node,
  /// and free to go anywhere.
  void ask_about(PodId pod);
  /// The pod of the request counts nowhere in this answer, if the picture has it on a node.
  void set_apart();

 private:
  friend class NodeQuestion;
  LocatedQuestion(NodeQuestion& question, const Picture& picture)
      : question_(question), reader_(picture.read()), view_(std::in_place, *reader_) {}

  void replace_nodes(const std::vector<Node>& nodes);
  void find_known();
  void leave_out_assumed();
  void leave_out(const std::string& ns, const std::string& name);

  NodeQuestion& question_;
  Picture::Reader reader_;
  std::unique_ptr<Overlay> overlay_;
  std::optional<View> view_;  ///< Always there; made anew where the overlay is.
  std::vector<NodeId> known_;
};

}  // namespace winnow
