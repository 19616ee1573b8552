#include "extender/simulate/report/report_json.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "extender/simulate/report/tally.h"

namespace winnow {
namespace {

void write_reasons(JsonPieces& json, const std::vector<std::pair<std::string, std::size_t>>& reasons) {
  json.key("reasons").list(reasons, [&](const auto& reason) {
    json.raw("{").key("reason").text(reason.first).raw(",").key("nodes").number(reason.second).raw("}");
  });
}

void write_counts(JsonPieces& json, const SimulationResult& result) {
  for (std::size_t end = 0; end < kPodEnds; ++end) {
    const auto one = static_cast<PodEnd>(end);
    json.key(to_string(one)).number(result.count(one)).raw(",");
  }
  json.key("evictions").number(result.evictions).raw(",");
  json.key("daemonPods").number(result.daemon_pods).raw(",");
  json.key("leaving").number(result.leaving).raw(",");
  json.key("cutShort").flag(result.cut_short);
}

void write_until_full(JsonPieces& json, const UntilFull& full) {
  json.raw(",").key("untilFull").raw("{").key("pods").number(full.pods).raw(",");
  json.key("rounds").number(full.rounds);
  if (!full.stopped_by.empty()) {
    json.raw(",").key("stoppedBy").text(full.stopped_by).raw(",").key("message").text(full.why.text).raw(",");
    write_reasons(json, full.why.reasons);
  }
  json.raw("}");
}

void write_nodes_needed(JsonPieces& json, const NodesNeeded& needed) {
  json.raw(",").key("nodesNeeded").raw("{").key("nodes").number(needed.nodes).raw(",");
  json.key("enough").flag(needed.enough);
  if (!needed.pod.empty()) json.raw(",").key("pod").text(needed.pod).raw(",").key("message").text(needed.why);
  json.raw("}");
}

void write_pod(JsonPieces& json, const SimulationResult& result, const SimulatedPod& pod) {
  const Batch& batch = result.batches[pod.batch];
  json.raw("{").key("pod").text(batch.pod_name(pod.index)).raw(",").key("workload").text(batch.name());
  json.raw(",").key("origin").text(to_string(pod.origin)).raw(",").key("result").text(to_string(pod.end));
  if (pod.node != kNone) json.raw(",").key("node").text(result.nodes[pod.node].name);
  if (pod.from != kNone) json.raw(",").key("from").text(result.nodes[pod.from].name);
  if (pod.why != kNone) json.raw(",").key("message").text(result.whys[pod.why].text);
  json.raw("}");
}

void write_amounts(JsonPieces& json, std::string_view key, const Amounts& amounts) {
  json.raw(",").key(key).raw("{").key("milliCPU").number(amounts.cpu).raw(",");
  json.key("memory").number(amounts.memory).raw(",").key("pods").number(amounts.pods).raw("}");
}

}  // namespace

void write_node(JsonPieces& json, const NodeUsage& node, std::string_view before, std::string_view after) {
  json.raw("{").key("node").text(node.name);
  if (!node.zone.empty()) json.raw(",").key("zone").text(node.zone);
  write_amounts(json, "allocatable", node.allocatable);
  if (node.before) write_amounts(json, before, *node.before);
  if (node.after) write_amounts(json, after, *node.after);
  json.raw("}");
}

void write_json(const SimulationResult& result, const std::function<void(std::string_view)>& write) {
  JsonPieces json(write);
  json.raw("{");
  write_counts(json, result);
  if (result.until_full) write_until_full(json, *result.until_full);
  if (result.nodes_needed) write_nodes_needed(json, *result.nodes_needed);
  json.raw(",").key("reasons").list(result.whys, [&](const Why& why) {
    json.raw("{").key("message").text(why.text).raw(",").key("pods").number(why.pods).raw(",");
    write_reasons(json, why.reasons);
    json.raw("}");
  });
  json.raw(",").key("pods").list(result.pods, [&](const SimulatedPod& pod) { write_pod(json, result, pod); });
  json.raw(",").key("nodes").list(result.nodes,
                                  [&](const NodeUsage& node) { write_node(json, node, "before", "after"); });
  json.raw("}\n").flush();
}

}  // namespace winnow
