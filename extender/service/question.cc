#include "extender/service/question.h"

#include <unordered_set>
#include <utility>

#include "cluster/decode/decode.h"

namespace winnow {

std::optional<std::string> Question::read(std::string body) {
  body_ = std::move(body);
  ArgsReader args(body_);

  // Whatever is not node names is decoded before the picture is locked; full nodes can be megabytes.
  std::vector<Node> nodes;
  if (!args.read()) return args.error();
  if (auto error = decode_pod(args)) return error;
  const bool has_names = args.names_pending();
  if (!has_names)
    if (auto error = decode_nodes(args, nodes)) return error;

  if (has_names && pod_) release();
  reader_.emplace(picture_->read());
  view_.emplace(**reader_);
  while (args.names_pending())
    if (!args.read_names(*view_, order_, asked_) || !args.read()) return args.error();
  if (has_names) {
    if (auto error = decode_pod(args)) return error;
    if (!args.has_names()) {
      // A later NodeNames took the names back.
      asked_.clear();
      if (auto error = decode_nodes(args, nodes)) return error;
    }
  }
  if (args.has_names())
    form_ = FilterAnswer::Form::kNames;
  else if (args.has_nodes())
    form_ = FilterAnswer::Form::kNodes;
  look_up(std::move(nodes));
  leave_out_assumed();
  return std::nullopt;
}

/// It is still assumed where the names came before the pod, for the picture is held then and cannot be told,
/// and where full nodes are asked about.
void Question::leave_out_assumed() {
  if (!releases_ || !pod_ || !assumed().find(pod_->metadata.namespace_, pod_->metadata.name)) return;
  leave_out(pod_->metadata.namespace_, pod_->metadata.name);
  release_due_ = form_ == FilterAnswer::Form::kNames;
}

void Question::release() {
  const ObjectMeta& meta = pod_->metadata;
  if (!releases_ || !picture_->read().assumed().find(meta.namespace_, meta.name)) return;
  picture_->write_pods([&](AssumedPods& pods) {
    pods.release(meta.namespace_, meta.name, meta.uid, AssumedOutcome::kAskedAgain);
  });
}

std::optional<std::string> Question::decode_pod(const ArgsReader& args) {
  if (!args.pod_namespace().empty() && !unescape(args.pod_namespace(), pod_namespace_))
    return "Namespace: not a valid string";
  if (!args.pod_name().empty() && !unescape(args.pod_name(), pod_name_)) return "Name: not a valid string";
  const std::string_view text = args.pod();
  if (text.empty()) pod_.reset();
  if (text.empty() || text.data() == decoded_pod_.data()) return std::nullopt;
  decoded_pod_ = text;
  const auto start = static_cast<std::size_t>(text.data() - body_.data());
  // The padding is what follows the pod, as a rule the node names; a body is too large to grow it for that.
  const bool padded = body_.size() - start - text.size() >= kDecodePadding;
  auto pod = padded ? decode_in_situ<Pod>(std::span(body_).subspan(start, text.size())) : decode<Pod>(text);
  if (!pod) return "Pod: " + pod.error().message;
  pod_ = std::move(*pod);
  if (pod_->metadata.namespace_.empty()) pod_->metadata.namespace_ = "default";
  return std::nullopt;
}

std::optional<std::string> Question::decode_nodes(const ArgsReader& args, std::vector<Node>& nodes) {
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < args.nodes().size(); ++i) {
    const std::string_view text = args.nodes()[i];
    auto node = decode_node(text);
    if (node && node->metadata.name.empty())
      node = std::unexpected(DecodeError{"metadata.name: a node needs a name"});
    if (!node) return "Nodes.items[" + std::to_string(i) + "]: " + node.error().message;
    if (!seen.insert(node->metadata.name).second) continue;
    asked_.push_back({text, kNone});
    append_quoted(names_.emplace_back(), node->metadata.name);
    nodes.push_back(std::move(*node));
  }
  return std::nullopt;
}

void Question::look_up(std::vector<Node> nodes) {
  if (!nodes.empty()) {
    // What the request says of a node is newer than the picture, or all there is.
    overlay_ = std::make_unique<Overlay>(**reader_);
    for (const Node& node : nodes) overlay_->set_node(node);
    view_.emplace(**reader_, overlay_.get());
    for (std::size_t i = 0; i < nodes.size(); ++i) asked_[i].node = view_->find_node(nodes[i].metadata.name);
  }
  find_known();
}

void Question::find_known() {
  known_.clear();
  places_.clear();
  known_.reserve(asked_.size());
  places_.reserve(asked_.size());
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (asked_[i].node != kNone) {
      known_.push_back(asked_[i].node);
      places_.push_back(static_cast<std::uint32_t>(i));
    }
}

std::optional<std::pair<std::string, std::string>> Question::named_pod() const {
  if (pod_name_.empty()) return std::nullopt;
  return std::pair(pod_namespace_.empty() ? std::string("default") : pod_namespace_, pod_name_);
}

std::string pod_key_of(const Pod& pod) {
  const ObjectMeta& metadata = pod.metadata;
  return metadata.uid.empty() ? metadata.namespace_ + '/' + metadata.name : metadata.uid;
}

void Question::ask_about(PodId pod) {
  pod_ = state().to_pod(pod);
  if (pod_->spec.node_name.empty()) return;
  pod_->spec.node_name.clear();
  leave_out(pod_->metadata.namespace_, pod_->metadata.name);
}

void Question::set_apart() {
  const ObjectMeta& meta = pod_->metadata;
  const PodId id = state().find_pod(meta.namespace_, meta.name);
  if (id == kNone || state().pod(id).uid != meta.uid || !state().pod(id).assigned) return;
  leave_out(meta.namespace_, meta.name);
}

void Question::leave_out(const std::string& ns, const std::string& name) {
  std::vector<std::string> names;
  for (const NodeId node : known_) names.emplace_back(view_->node_name(node));
  if (!overlay_) overlay_ = std::make_unique<Overlay>(state());
  overlay_->remove_pod(ns, name);
  // Its node has a row of the overlay's own now, and another id with it.
  view_.emplace(state(), overlay_.get());
  for (std::size_t i = 0; i < known_.size(); ++i)
    known_[i] = asked_[places_[i]].node = view_->find_node(names[i]);
}

void Question::unlock() {
  view_.reset();
  overlay_.reset();
  reader_.reset();
  if (std::exchange(release_due_, false)) release();
}

void Question::look_again(Picture& picture) {
  picture_ = &picture;
  reader_.emplace(picture_->read());
  view_.emplace(**reader_);
  for (AskedNode& asked : asked_) find_again(*view_, asked);
  find_known();
  leave_out_assumed();
}

}  // namespace winnow
