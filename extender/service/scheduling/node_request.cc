#include "extender/service/scheduling/node_request.h"

#include <algorithm>
#include <format>
#include <iterator>
#include <numeric>

#include "cluster/admission/defaults.h"
#include "cluster/admission/field_errors.h"
#include "cluster/admission/pod_errors.h"
#include "cluster/admission/unknown_fields.h"
#include "cluster/api/decode.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/rule/budget.h"
#include "cluster/state/overlay.h"
#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/keyed_hash.h"
#include "extender/service/scheduling/call_memory.h"
#include "extender/service/scheduling/compute_limiter.h"
#include "extender/service/scheduling/options.h"

namespace winnow {

std::optional<std::pair<std::string, std::string>> NodeRequest::named_pod() const {
  if (pod_name_.empty()) return std::nullopt;
  return std::pair(pod_namespace_.empty() ? std::string("default") : pod_namespace_, pod_name_);
}

// The reading of a body.

std::optional<std::string> RequestReader::decode() {
  if (budget_) budget_->check();  // The call may have waited for a thread.
  if (!args_.read()) return args_.error();
  if (auto wrong = decode_pod()) return wrong;
  // Full nodes can be megabytes, which are decoded before the cache is locked.
  return args_.names_pending() ? std::nullopt : decode_nodes();
}

std::expected<LocatedRequest, std::string> RequestReader::locate(ClusterCache& cache, NodeOrder& order,
                                                                 IfAssumed if_assumed) {
  LocatedRequest located(request_, cache, budget_);
  std::vector<NodeId> ids;
  if (args_.names_pending())
    if (auto wrong = read_names(located.view(), order, ids)) return std::unexpected(*std::move(wrong));
  if (args_.has_names())
    request_.form_ = FilterAnswer::Form::kNames;
  else if (args_.has_nodes())
    request_.form_ = FilterAnswer::Form::kNodes;
  if (!full_nodes_.empty()) ids = located.replace_nodes(full_nodes_);
  located.find_known(std::move(ids));
  located.leave_out_assumed(if_assumed);
  return located;
}

namespace {

/// What a decoded pod does not have of one that somebody has written by hand.
struct WrittenPod {
  std::vector<std::string> unknown_fields;
  PodClasses classes;
  std::vector<FieldError> refused;  ///< See written_errors().
};

WrittenPod read_written(std::string pod) {
  constexpr std::size_t kMostFields = 20;
  WrittenPod written;
  const auto document = load_document(std::move(pod));
  if (!document) return written;
  std::string unused;
  const Reader root(document->root(), nullptr, unused);
  if (!read_classes(root, written.classes)) written.classes = {};
  written.unknown_fields = field_warnings(root, "Pod", "", kMostFields);
  written.refused = written_errors(root);
  return written;
}

}  // namespace

std::optional<std::string> RequestReader::decode_pod() {
  const auto read_text = [](std::string_view json, std::string& text) {
    return json.empty() || unescape(json, text);
  };
  if (!read_text(args_.pod_namespace(), request_.pod_namespace_)) return "Namespace: not a valid string";
  if (!read_text(args_.pod_name(), request_.pod_name_)) return "Name: not a valid string";
  std::optional<Pod>& decoded = request_.pod_;
  const std::string_view text = args_.pod();
  if (text.empty()) decoded.reset();
  if (text.empty() || text.data() == decoded_pod_.data()) return std::nullopt;
  if (std::string wrong = too_large(text); !wrong.empty()) return "Pod: " + wrong;
  decoded_pod_ = text;
  std::string& body = request_.body_;
  const auto start = static_cast<std::size_t>(text.data() - body.data());
  // The decoder writes behind the pod's end. The bytes that follow the pod, usually the node names, serve as
  // padding. The body is too large to be reallocated for it.
  const bool padded = body.size() - start - text.size() >= kDecodePadding;
  std::string as_written(origin_ == Origin::kAnybody ? text : std::string_view());
  auto pod =
      padded ? decode_in_situ<Pod>(std::span(body).subspan(start, text.size())) : winnow::decode<Pod>(text);
  if (!pod) return "Pod: " + pod.error().message;
  if (std::string wrong = too_long(pod->metadata); !wrong.empty()) return "Pod: " + wrong;
  decoded = std::move(*pod);
  if (decoded->metadata.namespace_.empty()) decoded->metadata.namespace_ = "default";
  if (origin_ != Origin::kAnybody) return std::nullopt;
  request_.classes_.reset();
  request_.warnings_.clear();
  WrittenPod written;
  if (decoded->metadata.uid.empty()) {
    written = read_written(std::move(as_written));
    request_.warnings_ = std::move(written.unknown_fields);
    request_.classes_ = std::move(written.classes);
  }
  std::vector<FieldError> errors = admit(*decoded);
  std::ranges::move(written.refused, std::back_inserter(errors));
  errors.resize(std::min(errors.size(), FieldErrors::kMost));
  for (FieldError& error : errors) request_.warnings_.push_back(std::move(error.text));
  return std::nullopt;
}

std::optional<std::string> RequestReader::decode_nodes() {
  TextSet seen;
  for (std::size_t i = 0; i < args_.nodes().size(); ++i) {
    if (budget_) budget_->check();
    const std::string_view text = args_.nodes()[i];
    std::string wrong = too_large(text);
    auto node = wrong.empty() ? decode_node(text) : std::unexpected(DecodeError{std::move(wrong)});
    if (node && node->metadata.name.empty())
      node = std::unexpected(DecodeError{"metadata.name: a node needs a name"});
    if (!node) return "Nodes.items[" + std::to_string(i) + "]: " + node.error().message;
    if (!seen.insert(node->metadata.name).second) continue;
    request_.nodes_.push_back(text);
    append_quoted(request_.names_of_full_nodes_.emplace_back(), node->metadata.name);
    if (origin_ == Origin::kAnybody) set_defaults(*node);
    full_nodes_.push_back(std::move(*node));
  }
  return std::nullopt;
}

/// Reads the node names, and the members of the body that follow them.
std::optional<std::string> RequestReader::read_names(const View& view, NodeOrder& order,
                                                     std::vector<NodeId>& ids) {
  while (args_.names_pending())
    if (!args_.read_names(view, order, request_.nodes_, ids) || !args_.read()) return args_.error();
  if (auto wrong = decode_pod()) return wrong;
  if (args_.has_names()) return std::nullopt;
  request_.nodes_.clear();  // A later NodeNames of null has removed the names.
  ids.clear();
  return decode_nodes();
}

// The request in a cache.

/// A call may begin while the cache is whole, and lock it when it is lost.
LocatedRequest::LocatedRequest(const NodeRequest& request, ClusterCache& cache, const Budget* budget)
    : request_(request),
      cache_(cache),
      reader_(cache.read()),
      budget_(reading_time(cache, budget)),
      view_(std::in_place, *reader_) {
  if (!reader_.whole()) throw CacheLost();
}

LocatedRequest LocatedRequest::again(const NodeRequest& request, ClusterCache& cache, IfAssumed if_assumed,
                                     const Budget* budget) {
  if (budget) budget->check();  // The client may have gone during the hold.
  LocatedRequest located(request, cache, budget);
  std::vector<NodeId> ids;
  ids.reserve(request.node_count());
  for (const std::string_view name : request.nodes()) ids.push_back(find_quoted(located.view(), name));
  located.find_known(std::move(ids));
  located.leave_out_assumed(if_assumed);
  return located;
}

/// The request's node replaces the cache's, which may be older or may not have it. @return their ids.
std::vector<NodeId> LocatedRequest::replace_nodes(const std::vector<Node>& nodes) {
  overlay_ = std::make_unique<Overlay>(*reader_);
  for (const Node& node : nodes) overlay_->set_node(node);
  view_.emplace(*reader_, overlay_.get());
  std::vector<NodeId> ids;
  ids.reserve(nodes.size());
  for (const Node& node : nodes) ids.push_back(view_->find_node(node.metadata.name));
  return ids;
}

/// @param ids  of all nodes of the request; kNone: the view does not have the node.
void LocatedRequest::find_known(std::vector<NodeId> ids) {
  places_.resize(ids.size());
  std::iota(places_.begin(), places_.end(), 0U);
  if (std::ranges::contains(ids, kNone)) {
    std::erase_if(places_, [&](std::uint32_t place) { return ids[place] == kNone; });
    std::erase(ids, kNone);
  }
  known_ = std::move(ids);
}

/// Three cases leave the pod assumed until here. Node names preceded it in the body, so that the cache was
/// locked for reading before the pod was known; or the body has full nodes; or the pod has a nomination, so
/// that the names tell whether this is the request about that node alone.
void LocatedRequest::leave_out_assumed(IfAssumed if_assumed) {
  if (if_assumed == IfAssumed::kStays || !request_.has_pod()) return;
  const ObjectMeta& meta = pod().metadata;
  const AssumedPods::Entry* const entry = assumed().find(meta.namespace_, meta.name);
  if (!entry) return;
  const bool only_nominated = known_.size() == 1 && request_.node_count() == 1 && entry->uid == meta.uid &&
                              entry->node == pod().status.nominated_node_name &&
                              entry->node == view_->node_name(known_.front());
  leave_out(meta.namespace_, meta.name);
  release_due_ = request_.is_of_this_cluster() && !only_nominated;
}

void LocatedRequest::ask_about(Pod pod) {
  Pod& asked = pod_.emplace(std::move(pod));
  if (asked.spec.node_name.empty()) return;
  asked.spec.node_name.clear();
  leave_out(asked.metadata.namespace_, asked.metadata.name);
}

void LocatedRequest::set_apart() {
  const ObjectMeta& meta = pod().metadata;
  const PodId id = state().find_pod(meta.namespace_, meta.name);
  if (id == kNone || state().pod(id).uid != meta.uid || !state().pod(id).assigned) return;
  leave_out(meta.namespace_, meta.name);
}

void LocatedRequest::leave_out(const std::string& ns, const std::string& name) {
  std::vector<std::string> names;
  for (const NodeId node : known_) names.emplace_back(view_->node_name(node));
  if (!overlay_) overlay_ = std::make_unique<Overlay>(state());
  overlay_->remove_pod(ns, name);
  // The overlay now has a row for the pod's node, so the node has another id.
  view_.emplace(state(), overlay_.get());
  for (std::size_t i = 0; i < known_.size(); ++i) known_[i] = view_->find_node(names[i]);
}

std::vector<std::uint32_t> LocatedRequest::unlock(CallMemory& memory) && {
  std::vector<std::uint32_t> places = std::move(places_);
  const NodeRequest& request = request_;
  ClusterCache& cache = cache_;
  const bool release_due = release_due_;
  {
    const LocatedRequest unlocked = std::move(*this);
  }
  if (release_due) memory.release(cache, request.pod());
  return places;
}

}  // namespace winnow
