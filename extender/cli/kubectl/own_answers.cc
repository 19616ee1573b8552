#include "extender/cli/kubectl/own_answers.h"

#include <utility>

#include "cluster/servers/api_status.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/explain_rules.h"
#include "extender/cli/known_names.h"
#include "extender/config/needed.h"
#include "extender/explain/explain.h"

namespace winnow {
namespace {

constexpr const char* kTodaysRules =
    R"({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"})";

/// The failure of reading a cluster, with what to do about it.
std::string with_advice(std::string error) {
  if (live::tells_of_denial(error)) error += "; ask for the role winnow of rbac.yaml";
  return error;
}

}  // namespace

std::expected<LoadedRules, std::string> rules_for_kubectl(const std::string& config) {
  CommonFlags flags;
  flags.config = config;
  if (!config.empty()) return rules_from(flags);
  const auto gates = parse_gates("");
  if (!gates) return std::unexpected(gates.error());
  return load_rules("today's rules", kTodaysRules, *gates);
}

std::expected<std::unique_ptr<OwnAnswers>, std::string> OwnAnswers::make(const KubectlFlags& flags,
                                                                         Reading reading) {
  auto rules = rules_for_kubectl(flags.config);
  if (!rules) return std::unexpected(rules.error());
  CommonFlags common;
  common.client = flags.client;
  const Needs needs = reading == Reading::kForRules ? needed(rules->sets) : kind_of<Node> | kind_of<Pod>;
  auto picture = live_snapshot(common, *rules, needs);
  if (!picture) return std::unexpected(with_advice(picture.error()));
  std::string in_words = flags.config.empty() ? "kube-scheduler 1.37's rules"
                                              : "the rules of " + describe_rules(flags.config, *rules);
  return std::unique_ptr<OwnAnswers>(
      new OwnAnswers(*std::move(rules), std::move(in_words), *std::move(picture)));
}

std::expected<Explanation, std::string> OwnAnswers::explain(const ObjectName& pod,
                                                            const std::vector<std::string>& nodes) const {
  const Picture::Reader state = picture_->read();
  const auto id = known_pod(*state, pod.ns, pod.name);
  if (!id) return std::unexpected(id.error());
  if (auto unknown = unknown_node(*state, "--nodes", nodes)) return std::unexpected(*std::move(unknown));
  std::optional<std::vector<std::string>> wanted;
  if (!nodes.empty()) wanted = nodes;
  return explain_known(engines_, *state, *id, wanted, {.clocks = HeldClocks{}});
}

}  // namespace winnow
