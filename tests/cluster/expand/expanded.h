// Files expanded in a cluster of files, for tests.
#pragma once

#include <expected>
#include <format>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/expand/expand.h"
#include "cluster/files/cluster_file.h"
#include "cluster/files/object_reader.h"
#include "cluster/state/state.h"

namespace winnow::test {

/// A state with the objects of a text; "" has none.
class ClusterOfText {
 public:
  explicit ClusterOfText(const std::string& yaml) {
    if (!yaml.empty()) load(state_, read_cluster_text("cluster", yaml).value());
  }
  const State& state() const { return state_; }

 private:
  State state_;
};

inline std::expected<NewObjects, FileError> expanded(const std::string& yaml, const std::string& cluster = "",
                                                     std::optional<std::uint32_t> replicas = {}) {
  return read_new_objects_text("f", yaml, {.replicas = replicas}, ClusterOfText(cluster).state());
}

/// The error, or "".
inline std::string error_in(const std::string& yaml, const std::string& cluster = "",
                            std::optional<std::uint32_t> replicas = {}) {
  const auto made = expanded(yaml, cluster, replicas);
  return made ? "" : made.error().message;
}

/// All pods of all sets, in order.
inline std::vector<Pod> pods_of(const NewObjects& made) {
  std::vector<Pod> pods;
  for (const PodSet& set : made.sets)
    for (std::size_t i = 0; i < set.size(); ++i) pods.push_back(set.pod(i));
  return pods;
}

/// "a=b c=d"
inline std::string text_of(const StringMap& map) {
  std::string text;
  for (const auto& [key, value] : map) text += std::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

/// A workload in YAML. @param more  lines of the spec, each indented by two.
inline std::string workload(const std::string& version, const std::string& kind, const std::string& more,
                            const std::string& pod_spec = "containers: [{name: c, image: i}]") {
  return std::format(
      "apiVersion: {}\nkind: {}\nmetadata: {{name: web, namespace: shop}}\nspec:\n{}"
      "  template:\n    metadata: {{labels: {{app: web}}, annotations: {{note: x}}}}\n    spec: {{{}}}\n",
      version, kind, more, pod_spec);
}

inline const std::string kSelector = "  selector: {matchLabels: {app: web}}\n";

}  // namespace winnow::test
