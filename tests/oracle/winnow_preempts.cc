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
#include "cluster/state/view.h"
#include "cluster/text/json.h"
#include "extender/engine/engines.h"
#include "extender/engine/preemption_candidates.h"
#include "extender/engine/victim_search.h"
#include "extender/engine/workers.h"
#include "tests/oracle/winnow_directory.h"

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
  const auto read = read_directory(directory, gates);
  if (!read) return read.error();
  const State& state = *read->state;
  Workers workers(0);
  const Engines engines(read->rules.sets, workers);
  std::ofstream out(directory + "/winnow-preempt.json");
  for (const PodId id : state.pending_pods()) out << preempt_line(engines, state, state.to_pod(id));
  if (const std::string pods = directory + "/pods.json"; std::filesystem::exists(pods)) {
    const auto further = read_cluster(std::vector{pods});
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
