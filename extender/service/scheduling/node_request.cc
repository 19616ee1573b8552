#include "extender/service/scheduling/node_request.h"

#include <format>

#include "cluster/admission/defaults.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/api/decode.h"
#include "cluster/text/json.h"
#include "cluster/text/keyed_hash.h"
#include "extender/service/scheduling/options.h"

namespace winnow {

std::expected<LockedRequest, std::string> NodeRequest::read(ClusterCache& cache, NodeOrder& order,
                                                            IfAssumed if_assumed, const Budget* budget) {
  if_assumed_ = if_assumed;
  budget_ = budget;
  if (budget_) budget_->check();  // The call may have waited for others.
  ArgsReader args(body_);

  // Everything but node names is decoded before the cache is locked: full nodes can be megabytes.
  std::vector<Node> nodes;
  if (!args.read()) return std::unexpected(args.error());
  if (auto error = decode_pod(args)) return std::unexpected(*std::move(error));
  const bool has_names = args.names_pending();
  if (!has_names)
    if (auto error = decode_nodes(args, nodes)) return std::unexpected(*std::move(error));

  if (budget_) budget_->check();
  if (has_names && pod_ && pod_->status.nominated_node_name.empty()) release(cache);
  LockedRequest located(*this, cache);
  if (has_names)
    if (auto error = read_names(args, located.view(), order, nodes))
      return std::unexpected(*std::move(error));
  if (args.has_names())
    form_ = FilterAnswer::Form::kNames;
  else if (args.has_nodes())
    form_ = FilterAnswer::Form::kNodes;
  located.replace_nodes(nodes);
  located.find_known();
  located.leave_out_assumed();
  return located;
}

/// Reads the node names, and the members of the body that follow them.
std::optional<std::string> NodeRequest::read_names(ArgsReader& args, const View& view, NodeOrder& order,
                                                   std::vector<Node>& nodes) {
  while (args.names_pending())
    if (!args.read_names(view, order, asked_) || !args.read()) return args.error();
  if (auto error = decode_pod(args)) return error;
  if (args.has_names()) return std::nullopt;
  asked_.clear();  // A later NodeNames of null has removed the names.
  return decode_nodes(args, nodes);
}

/// A call may begin while the cache is whole, and lock it when it is lost.
LockedRequest::LockedRequest(NodeRequest& question, const ClusterCache& cache)
    : question_(question),
      reader_(cache.read()),
      budget_(reading_time(cache, question.budget_)),
      view_(std::in_place, *reader_) {
  if (!reader_.whole()) throw CacheLost();
}

LockedRequest NodeRequest::look_again(ClusterCache& cache) {
  if (budget_) budget_->check();  // The client may have gone during the hold.
  LockedRequest located(*this, cache);
  for (AskedNode& asked : asked_) find_again(located.view(), asked);
  located.find_known();
  located.leave_out_assumed();
  return located;
}

void NodeRequest::finish_release(ClusterCache& cache) {
  if (std::exchange(release_due_, false)) release(cache);
}

void NodeRequest::release(ClusterCache& cache) {
  const ObjectMeta& meta = pod_->metadata;
  if (if_assumed_ != IfAssumed::kIsReleased || !cache.read().assumed().find(meta.namespace_, meta.name))
    return;
  cache.write_pods([&](AssumedPods& pods) {
    pods.release(meta.namespace_, meta.name, meta.uid, AssumedOutcome::kAskedAgain);
  });
}

std::optional<std::string> NodeRequest::decode_pod(const ArgsReader& args) {
  if (!args.pod_namespace().empty() && !unescape(args.pod_namespace(), pod_namespace_))
    return "Namespace: not a valid string";
  if (!args.pod_name().empty() && !unescape(args.pod_name(), pod_name_)) return "Name: not a valid string";
  const std::string_view text = args.pod();
  if (text.empty()) pod_.reset();
  if (text.empty() || text.data() == decoded_pod_.data()) return std::nullopt;
  if (std::string wrong = too_large(text); !wrong.empty()) return "Pod: " + wrong;
  decoded_pod_ = text;
  const auto start = static_cast<std::size_t>(text.data() - body_.data());
  // The decoder writes behind the pod's end. The bytes that follow the pod, usually the node names, serve as
  // padding. The body is too large to be reallocated for it.
  const bool padded = body_.size() - start - text.size() >= kDecodePadding;
  auto pod = padded ? decode_in_situ<Pod>(std::span(body_).subspan(start, text.size())) : decode<Pod>(text);
  if (!pod) return "Pod: " + pod.error().message;
  if (std::string wrong = too_long(pod->metadata); !wrong.empty()) return "Pod: " + wrong;
  pod_ = std::move(*pod);
  if (pod_->metadata.namespace_.empty()) pod_->metadata.namespace_ = "default";
  if (origin_ == Origin::kAnybody) refused_ = admit(*pod_);
  return std::nullopt;
}

std::optional<std::string> NodeRequest::decode_nodes(const ArgsReader& args, std::vector<Node>& nodes) {
  TextSet seen;
  for (std::size_t i = 0; i < args.nodes().size(); ++i) {
    if (budget_) budget_->check();
    const std::string_view text = args.nodes()[i];
    std::string wrong = too_large(text);
    auto node = wrong.empty() ? decode_node(text) : std::unexpected(DecodeError{std::move(wrong)});
    if (node && node->metadata.name.empty())
      node = std::unexpected(DecodeError{"metadata.name: a node needs a name"});
    if (!node) return "Nodes.items[" + std::to_string(i) + "]: " + node.error().message;
    if (!seen.insert(node->metadata.name).second) continue;
    asked_.push_back({text, kNone});
    append_quoted(names_.emplace_back(), node->metadata.name);
    if (origin_ == Origin::kAnybody) set_defaults(*node);
    nodes.push_back(std::move(*node));
  }
  return std::nullopt;
}

std::optional<std::pair<std::string, std::string>> NodeRequest::named_pod() const {
  if (pod_name_.empty()) return std::nullopt;
  return std::pair(pod_namespace_.empty() ? std::string("default") : pod_namespace_, pod_name_);
}

/// The request's node replaces the cache's, which may be older or may not have it.
void LockedRequest::replace_nodes(const std::vector<Node>& nodes) {
  if (nodes.empty()) return;
  overlay_ = std::make_unique<Overlay>(*reader_);
  for (const Node& node : nodes) overlay_->set_node(node);
  view_.emplace(*reader_, overlay_.get());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    question_.asked_[i].node = view_->find_node(nodes[i].metadata.name);
}

void LockedRequest::find_known() {
  const std::vector<AskedNode>& asked = question_.asked_;
  std::vector<std::uint32_t>& places = question_.places_;
  known_.resize(asked.size());
  places.resize(asked.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    known_[count] = asked[i].node;
    places[count] = static_cast<std::uint32_t>(i);
    count += asked[i].node != kNone ? 1 : 0;
  }
  known_.resize(count);
  places.resize(count);
}

/// Three cases leave the pod assumed until here. Node names preceded it in the body, so that the cache was
/// locked for reading before the pod was known; or the body has full nodes; or the pod has a nomination, so
/// that the names tell whether this is the request about that node alone.
void LockedRequest::leave_out_assumed() {
  if (question_.if_assumed_ == IfAssumed::kStays || !question_.has_pod()) return;
  const ObjectMeta& meta = pod().metadata;
  const AssumedPods::Entry* const entry = assumed().find(meta.namespace_, meta.name);
  if (!entry) return;
  const bool only_nominated = known_.size() == 1 && question_.node_count() == 1 && entry->uid == meta.uid &&
                              entry->node == pod().status.nominated_node_name &&
                              entry->node == view_->node_name(known_.front());
  leave_out(meta.namespace_, meta.name);
  question_.release_due_ =
      question_.if_assumed_ == IfAssumed::kIsReleased && question_.is_of_this_cluster() && !only_nominated;
}

void LockedRequest::ask_about(PodId pod) {
  Pod& asked = question_.pod_.emplace(state().to_pod(pod));
  if (asked.spec.node_name.empty()) return;
  asked.spec.node_name.clear();
  leave_out(asked.metadata.namespace_, asked.metadata.name);
}

void LockedRequest::set_apart() {
  const ObjectMeta& meta = pod().metadata;
  const PodId id = state().find_pod(meta.namespace_, meta.name);
  if (id == kNone || state().pod(id).uid != meta.uid || !state().pod(id).assigned) return;
  leave_out(meta.namespace_, meta.name);
}

void LockedRequest::leave_out(const std::string& ns, const std::string& name) {
  std::vector<std::string> names;
  for (const NodeId node : known_) names.emplace_back(view_->node_name(node));
  if (!overlay_) overlay_ = std::make_unique<Overlay>(state());
  overlay_->remove_pod(ns, name);
  // The overlay now has a row for the pod's node, so the node has another id.
  view_.emplace(state(), overlay_.get());
  for (std::size_t i = 0; i < known_.size(); ++i)
    known_[i] = question_.asked_[question_.places_[i]].node = view_->find_node(names[i]);
}

}  // namespace winnow
