// Objects for tests, as short as they read: pod("web").cpu("2").tolerates("gpu"), node("a").label("k", "v").
// A builder converts to the object that it holds. What is not said is absent: a new pod has no containers, a
// new node offers nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/api/workload.h"

namespace winnow::test {

/// What speaks of a container speaks of the one named last; the first such word makes one where there is
/// none.
class PodBuilder {
 public:
  explicit PodBuilder(std::string name);

  PodBuilder& in(std::string ns);
  PodBuilder& uid(std::string uid);
  PodBuilder& label(std::string key, std::string value);
  PodBuilder& owner(std::string kind, std::string uid, bool controller = true);
  PodBuilder& deleting();
  PodBuilder& on(std::string node_name);
  PodBuilder& phase(std::string phase);

  PodBuilder& container(std::string name = "");
  PodBuilder& init(std::string name = "");
  PodBuilder& sidecar(std::string name = "");
  PodBuilder& asks(std::string resource, std::string_view amount);
  PodBuilder& cpu(std::string_view amount) { return asks("cpu", amount); }
  PodBuilder& memory(std::string_view amount) { return asks("memory", amount); }
  PodBuilder& limit(std::string resource, std::string_view amount);
  PodBuilder& image(std::string image);
  PodBuilder& host_port(std::int32_t port, std::string protocol = "", std::string address = "");
  PodBuilder& overhead(std::string resource, std::string_view amount);
  PodBuilder& pod_level(std::string resource, std::string_view amount);

  PodBuilder& tolerates(std::string key, std::string op = "Exists", std::string value = "",
                        std::string effect = "");
  PodBuilder& selects_nodes(std::string key, std::string value);
  /// Another term of the required node affinity.
  PodBuilder& requires_nodes(std::vector<SelectorRequirement> labels,
                             std::vector<SelectorRequirement> fields = {});
  PodBuilder& prefers_nodes(std::int32_t weight, std::vector<SelectorRequirement> labels,
                            std::vector<SelectorRequirement> fields = {});
  // Other pods: another required or preferred term of the (anti-)affinity, another spread constraint.
  PodBuilder& joins(PodAffinityTerm term);
  PodBuilder& avoids(PodAffinityTerm term);
  PodBuilder& likes(std::int32_t weight, PodAffinityTerm term);
  PodBuilder& dislikes(std::int32_t weight, PodAffinityTerm term);
  PodBuilder& spreads(std::string topology_key, std::optional<LabelSelector> selector,
                      std::int32_t max_skew = 1, bool hard = true);
  PodBuilder& mounts(Volume volume);

  Pod& object() { return pod_; }
  operator const Pod&() const { return pod_; }

 private:
  Container& current();
  NodeAffinity& node_affinity();
  PodAffinity& pod_affinity();
  PodAffinity& pod_anti_affinity();

  Pod pod_;
  bool in_init_ = false;
};

class NodeBuilder {
 public:
  explicit NodeBuilder(std::string name);

  NodeBuilder& label(std::string key, std::string value);
  /// Would rather not have the pods of that controller.
  NodeBuilder& avoids(std::string kind, std::string uid);
  NodeBuilder& offers(std::string resource, std::string_view amount);
  NodeBuilder& cpu(std::string_view amount) { return offers("cpu", amount); }
  NodeBuilder& memory(std::string_view amount) { return offers("memory", amount); }
  NodeBuilder& pods(std::string_view amount) { return offers("pods", amount); }
  NodeBuilder& taint(std::string key, std::string value, std::string effect);
  NodeBuilder& condition(std::string type, std::string status);
  NodeBuilder& cordoned();
  NodeBuilder& image(std::string name, std::int64_t bytes);

  Node& object() { return node_; }
  operator const Node&() const { return node_; }

 private:
  Node node_;
};

inline PodBuilder pod(std::string name) { return PodBuilder(std::move(name)); }
inline NodeBuilder node(std::string name) { return NodeBuilder(std::move(name)); }

/// Quantities that are known to parse.
Quantity quantity(std::string_view text);

ObjectMeta meta(std::string ns, std::string name);

/// Pods with these labels, in a domain of the key; no namespaces: the pod's own.
PodAffinityTerm pods_with(StringMap labels, std::string topology_key,
                          std::vector<std::string> namespaces = {});
LabelSelector selects(StringMap labels);
/// The API takes it, the scheduler does not: "invalid label value …" (kInvalidSelectorError).
LabelSelector invalid_selector();
extern const char* const kInvalidSelectorError;

Volume gce_disk(std::string name, bool read_only = false);
Volume ebs_volume(std::string id, bool read_only = false);
Volume iscsi_target(std::string iqn, bool read_only = false);
Volume rbd_image(std::string image, std::string pool, std::vector<std::string> monitors,
                 bool read_only = false);
Volume azure_disk(std::string name);
Volume cinder_volume(std::string id);
Volume claim(std::string name);

}  // namespace winnow::test
