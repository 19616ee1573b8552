// Winnow's side of the comparison of preemptions: `winnow_preempts DIR…`.
//
// Reads cluster.json, pods.json, and config.json or policy.json with gates.json's gates as --gates, as
// `winnow explain` does. Writes DIR/winnow-preempt.json, a line for each pod: the nodes that evictions free,
// with their victims in order, and the best of them. Usage: winnow_preempts [--gates NAME=VALUE,…] DIR
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cluster/files/cluster_file.h"
#include "cluster/files/load.h"
#include "cluster/text/json/json_string.h"
#include "cluster/text/source.h"
#include "extender/config/needed.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/preemption/preemption_candidates.h"
#include "extender/engine/preemption/victim_search.h"

namespace winnow {
namespace {

void append_nodes(std::string& line, const State& state, const FreedNodes& freed) {
  line += "\"nodes\":[";
  for (const FreedNode& node : freed.nodes) {
    if (line.back() != '[') line += ',';
    line += "{\"name\":";
    append_quoted(line, node.name);
    line += ",\"victims\":[";
    for (const PodId victim : node.victims) {
      if (line.back() != '[') line += ',';
      append_quoted(line, full_name(state, victim));
    }
    line += "],\"violations\":" + std::to_string(node.violations) + "}";
  }
  line += "],\"best\":";
  append_quoted(line, freed.best ? freed.nodes[*freed.best].name : "");
}

std::string preempt_line(const Engines& engines, const State& state, const Pod& pod) {
  std::string line = "{\"pod\":";
  append_quoted(line, pod.metadata.namespace_ + '/' + pod.metadata.name);
  const Engine* const engine = engines.find(pod);
  if (!engine) return line + ",\"nodes\":[],\"best\":\"\"}\n";
  const FreedNodes freed = search_victims(*engine, View(state), pod);
  line += ",\"fitting\":" + std::to_string(freed.fitting) + ",\"message\":";
  append_quoted(line, freed.message);
  line += ',';
  append_nodes(line, state, freed);
  return line + "}\n";
}

/// @return the error, in one line; "" if all went well.
std::string answer_for(const std::string& directory, const std::string& gates) {
  const auto path = [&](const char* name) { return directory + "/" + name; };
  const std::string config =
      path(std::filesystem::exists(path("config.json")) ? "config.json" : "policy.json");
  const auto text = read_source(config, kMaxConfigBytes);
  if (!text) return text.error();
  const auto parsed = parse_gates(gates);
  if (!parsed) return parsed.error();
  const auto rules = load_rules(config, *text, *parsed);
  if (!rules) return rules.error();
  const auto objects = read_cluster(std::vector{path("cluster.json")});
  if (!objects) return objects.error().message;
  State state(state_options(*rules));
  load(state, *objects);
  Workers workers(0);
  const Engines engines(rules->sets, workers);
  std::ofstream out(path("winnow-preempt.json"));
  for (const PodId id : state.pending_pods()) out << preempt_line(engines, state, state.to_pod(id));
  if (std::filesystem::exists(path("pods.json"))) {
    const auto further = read_cluster(std::vector{path("pods.json")});
    if (!further) return further.error().message;
    for (const Pod& pod : further->of<Pod>()) out << preempt_line(engines, state, pod);
  }
  return out.good() ? "" : "winnow-preempt.json cannot be written";
}

}  // namespace
}  // namespace winnow

int main(int count, char** arguments) {
  int next = 1;
  std::string gates;
  if (count > 3 && std::string_view(arguments[1]) == "--gates") {
    gates = arguments[2];
    next = 3;
  }
  if (next + 1 != count) {
    std::cerr << "usage: winnow_preempts [--gates NAME=VALUE,…] DIR\n";
    return 2;
  }
  const std::string error = winnow::answer_for(arguments[next], gates);
  if (!error.empty()) std::cerr << arguments[next] << ": " << error << '\n';
  return error.empty() ? 0 : 1;
}
