#include "extender/service/verbs/preempt_candidates.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cluster/api/decode.h"
#include "cluster/rule/budget.h"
#include "cluster/state/state.h"
#include "cluster/text/json.h"
#include "cluster/text/keyed_hash.h"
#include "extender/engine/victims.h"
#include "extender/service/scheduling/options.h"

namespace winnow {
namespace {

/// Decodes the victims that are whole pods. @return the error, in one line; nothing if all are valid.
std::optional<std::string> decode_victims(const std::vector<GivenVictims>& given,
                                          std::vector<std::vector<Pod>>& decoded, const Budget& budget) {
  for (const GivenVictims& node : given) {
    std::vector<Pod>& pods = decoded.emplace_back();
    for (std::size_t i = 0; i < node.pods.size(); ++i) {
      budget.check();
      std::string wrong = too_large(node.pods[i]);
      auto pod = wrong.empty() ? decode_pod(node.pods[i]) : std::unexpected(DecodeError{std::move(wrong)});
      if (!pod) {
        std::string where = "NodeNameToVictims[";
        append_quoted(where, node.node_name);
        return where + "].Pods[" + std::to_string(i) + "]: " + pod.error().message;
      }
      if (pod->metadata.namespace_.empty()) pod->metadata.namespace_ = "default";
      pod->spec.node_name = node.node_name;
      pods.push_back(std::move(*pod));
    }
  }
  return std::nullopt;
}

}  // namespace

std::expected<PreemptRequest, std::string> read_preempt(std::string_view body, const Budget& budget) {
  auto args = read_preempt_args(body);
  if (!args) return std::unexpected(args.error());
  if (args->pod.empty()) return std::unexpected("Pod: the request has none");
  if (!args->has_victims)
    return std::unexpected(
        "the request names no victims: expected NodeNameToMetaVictims or NodeNameToVictims");
  if (const std::string wrong = too_large(args->pod); !wrong.empty()) return std::unexpected("Pod: " + wrong);
  auto pod = decode_pod(args->pod);
  if (!pod) return std::unexpected("Pod: " + pod.error().message);
  if (const std::string wrong = too_long(pod->metadata); !wrong.empty())
    return std::unexpected("Pod: " + wrong);
  if (pod->metadata.namespace_.empty()) pod->metadata.namespace_ = "default";
  PreemptRequest request{std::move(*args), std::move(*pod), {}};
  if (auto error = decode_victims(request.args.nodes, request.full, budget)) return std::unexpected(*error);
  return request;
}

namespace {

/// The victim for a whole pod: the cache's pod if it is on the node. It is the request's own if the cache
/// has no such pod, or has it without a node. Otherwise it is a victim that counts as gone.
Victim find_victim(const State& state, NodeId node, Pod pod) {
  const PodId id = state.find_pod(pod.metadata.namespace_, pod.metadata.name);
  if (id == kNone) return {kNone, std::move(pod)};
  const PodRecord& record = state.pod(id);
  if (record.uid != pod.metadata.uid) return {};
  if (!record.assigned) return {kNone, std::move(pod)};
  return {record.node == node ? id : kNone, std::nullopt};
}

void add_full(const State& state, const std::string& node_name, const std::vector<Pod>& pods,
              Candidates& candidates) {
  MetaVictims& answer = candidates.given.emplace_back(node_name);
  Candidate& asked = candidates.asked.emplace_back(node_name);
  const NodeId node = state.find_node(node_name);
  TextSet seen;
  for (const Pod& pod : pods) {
    if (!seen.insert(pod.metadata.uid).second) continue;
    answer.uids.push_back(pod.metadata.uid);
    asked.victims.push_back(find_victim(state, node, pod));
  }
}

void add_meta(const State& state, const GivenVictims& given, Candidates& candidates) {
  MetaVictims& answer = candidates.given.emplace_back(given.node_name);
  Candidate& asked = candidates.asked.emplace_back(given.node_name);
  std::unordered_map<std::string_view, PodId, TextHash> there;
  if (const NodeId node = state.find_node(given.node_name); node != kNone)
    for (const PodId id : state.pods_on(node)) there.emplace(state.pod(id).uid, id);
  std::unordered_set<std::string_view, TextHash> seen;
  for (const std::string& uid : given.uids) {
    if (!seen.insert(uid).second) continue;
    const auto found = there.find(uid);
    answer.uids.push_back(uid);
    asked.victims.push_back({found == there.end() || uid.empty() ? kNone : found->second, std::nullopt});
  }
}

}  // namespace

Candidates candidates_of(const PreemptRequest& request, const State& state) {
  Candidates candidates;
  for (std::size_t i = 0; i < request.args.nodes.size(); ++i) {
    const GivenVictims& given = request.args.nodes[i];
    if (request.full[i].empty())
      add_meta(state, given, candidates);
    else
      add_full(state, given.node_name, request.full[i], candidates);
  }
  return candidates;
}

const MetaVictims* Candidates::find(std::string_view node_name) const {
  const auto found = std::ranges::find(given, node_name, &MetaVictims::node_name);
  return found == given.end() ? nullptr : &*found;
}

std::vector<MetaVictims> remaining(const Candidates& candidates,
                                   const std::vector<std::optional<Eviction>>& evictions) {
  std::vector<MetaVictims> left;
  for (std::size_t i = 0; i < evictions.size(); ++i) {
    if (!evictions[i]) continue;
    MetaVictims& node = left.emplace_back(candidates.given[i].node_name);
    node.violations = evictions[i]->violations;
    for (const std::size_t victim : evictions[i]->victims)
      node.uids.push_back(candidates.given[i].uids[victim]);
  }
  return left;
}

bool takes_back(const std::vector<MetaVictims>& left, const Candidates& candidates) {
  // What is left is in the order of the candidates.
  auto given = candidates.given.begin();
  return std::ranges::any_of(left, [&](const MetaVictims& node) {
    while (given->node_name != node.node_name) ++given;
    return node.uids.size() < given->uids.size();
  });
}

bool spares_some(const MetaVictims& found, const Candidates& candidates) {
  const MetaVictims* const given = candidates.find(found.node_name);
  if (!given || found.uids.size() >= given->uids.size()) return false;
  const std::unordered_set<std::string_view, TextHash> named(given->uids.begin(), given->uids.end());
  return std::ranges::all_of(found.uids, [&](const std::string& uid) { return named.contains(uid); });
}

bool still_there(const State& state, const std::string& node_name, const std::vector<std::string>& uids,
                 const Candidates& candidates) {
  const NodeId node = state.find_node(node_name);
  if (node == kNone) return false;
  using Uids = std::unordered_set<std::string_view, TextHash>;
  const Uids before(uids.begin(), uids.end());
  const MetaVictims* const given = candidates.find(node_name);
  const Uids now = given ? Uids(given->uids.begin(), given->uids.end()) : Uids();
  return std::ranges::any_of(state.pods_on(node), [&](PodId id) {
    const std::string& uid = state.pod(id).uid;
    return before.contains(uid) && !now.contains(uid);
  });
}

}  // namespace winnow
