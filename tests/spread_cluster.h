// The cluster that tests of spreading and of (anti-)affinity between pods share: nodes a and b in zone x, c
// in zone y, each with its own hostname; d has no label.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/builders.h"

namespace winnow::test {

inline constexpr const char* kHostKey = "kubernetes.io/hostname";
inline constexpr const char* kZoneKey = "topology.kubernetes.io/zone";

inline std::vector<Node> spread_nodes() {
  std::vector<Node> nodes;
  for (const char* host : {"a", "b", "c"})
    nodes.push_back(node(host).label(kHostKey, host).label(kZoneKey, *host == 'c' ? "y" : "x"));
  nodes.push_back(node("d"));
  return nodes;
}

/// What is said of each.
template <class What>
std::map<std::string, What> of_nodes(What a, What b, What c, What d) {
  return {{"a", a}, {"b", b}, {"c", c}, {"d", d}};
}

inline const LabelSelector kWebs = selects({{"app", "web"}});
inline PodBuilder web(std::string name = "web") { return pod(std::move(name)).label("app", "web"); }
/// So many pods of app web on each node.
inline std::vector<Pod> webs_on(const std::map<std::string, int>& number) {
  std::vector<Pod> pods;
  for (const auto& [name, count] : number)
    for (int i = 0; i < count; ++i) pods.push_back(web(name + std::to_string(i)).on(name));
  return pods;
}

}  // namespace winnow::test
