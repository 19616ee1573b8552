#include "extender/cli/known_names.h"

#include <string_view>

#include "cluster/text/near_names.h"

namespace winnow {

std::expected<PodId, std::string> known_pod(const State& state, const std::string& ns,
                                            const std::string& name) {
  if (const PodId id = state.find_pod(ns, name); id != kNone) return id;
  std::vector<std::string> full;
  for (PodId id = 0; id < state.pod_capacity(); ++id)
    if (const PodRecord& pod = state.pod(id); !pod.name.empty())
      full.push_back(std::string(state.pod_namespace(pod)) + '/' + pod.name);
  const std::vector<std::string_view> names(full.begin(), full.end());
  return std::unexpected("pod \"" + ns + '/' + name + "\" is not in the cluster" +
                         did_you_mean(ns + '/' + name, names));
}

std::expected<PodId, std::string> known_pod(const State& state, const std::string& wanted) {
  const std::size_t slash = wanted.find('/');
  const std::string ns = slash == std::string::npos ? "default" : wanted.substr(0, slash);
  return known_pod(state, ns, slash == std::string::npos ? wanted : wanted.substr(slash + 1));
}

std::optional<std::string> unknown_node(const State& state, const std::string& flag,
                                        const std::vector<std::string>& nodes) {
  for (const std::string& node : nodes) {
    if (state.find_node(node) != kNone) continue;
    std::vector<std::string_view> names;
    for (const std::string& name : state.nodes().name)
      if (!name.empty()) names.push_back(name);
    return flag + ": node \"" + node + "\" is not in the cluster" + did_you_mean(node, names);
  }
  return std::nullopt;
}

}  // namespace winnow
