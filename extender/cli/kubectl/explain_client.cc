#include "extender/cli/kubectl/explain_client.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/client/servers/api_status.h"
#include "cluster/text/encoding.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/explain_rules.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/cli/kubectl/api_reader.h"
#include "extender/cli/named_nodes.h"
#include "extender/cli/named_pods.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/explain.h"

namespace winnow {

void ExplainClient::say(const std::string& line) {
  if (!said_) note_(line);
  said_ = true;
}

bool ExplainClient::wants_facts() const {
  return flags_.command == KubectlCommand::kExplain && flags_.output == OutputForm::kJson;
}

/// Tells at once of a server that cannot be reached. The watches would try for a minute.
std::expected<void, std::string> ExplainClient::reach_server() {
  const auto version = api_.get("/version");
  if (!version && version.error().status != 403)  // Where few may read this, nodes may be read all the same.
    return std::unexpected(advice(version.error(), api_.server()));
  if (version && !version->contains("gitVersion"))
    return std::unexpected(unreadable(api_.server(), "its version", "gitVersion is missing"));
  return {};
}

std::expected<void, std::string> ExplainClient::look_once() {
  if (std::exchange(looked_, true)) return {};
  if (flags_.winnow == "none") {
    why_not_running_ = "as --winnow none wants";
    return reach_server();
  }
  auto found = find_winnow(api_, flags_.winnow, flags_.path_prefix);
  if (!found) return std::unexpected(std::move(found).error());
  running_ = std::move(found->service);
  why_not_running_ = std::move(found->why_none);
  return {};
}

std::expected<Explanation, std::string> ExplainClient::explain(const ObjectName& pod,
                                                               const std::vector<std::string>& nodes) {
  if (auto looked = look_once(); !looked) return std::unexpected(std::move(looked).error());
  if (running_) {
    auto answer = ask_winnow(api_, *running_, pod, nodes, wants_facts());
    answers_ = answers_ || answer || answer.error().of_pod;
    if (answer) {
      say("answered by Winnow " + running_->full_name() + ", through the API server");
      return *std::move(answer);
    }
    // Two answers by different rules would not go together, and who names a Winnow wants that one.
    if (!answer.error().ask_elsewhere || said_ || !flags_.winnow.empty())
      return std::unexpected(std::move(answer).error().message);
    why_not_running_ = std::move(answer).error().message;
    running_.reset();
  }
  return explain_here(pod, nodes);
}

std::optional<ToldDecision> ExplainClient::last_decision(const ObjectName& pod) {
  return running_ && answers_ ? ask_last_decision(api_, *running_, pod) : std::nullopt;
}

std::string ExplainClient::near_pods_of(const ObjectName& pod) {
  if (!running_) return "";  // The cluster's own picture has named them.
  const auto names_at = [&](const Query& query) {
    std::vector<std::string> names;
    if (auto list = api_.get(query.path()))
      for (const ObjectName& one : read_names(std::move(*list))) names.push_back(one.full());
    return names;
  };
  // Those of that name anywhere, then all of its namespace: a whole cluster's pods would be too many.
  std::vector<std::string> known =
      names_at(Query("/api/v1/pods").add("fieldSelector", "metadata.name=" + pod.name).add("limit", "500"));
  std::erase_if(known, [&](const std::string& full) { return !full.ends_with('/' + pod.name); });
  if (known.empty())
    known = names_at(
        Query(std::format("/api/v1/namespaces/{}/pods", percent_encoded(pod.ns))).add("limit", "500"));
  return std::ranges::contains(known, pod.full()) ? "" : near_pods(pod, known);
}

std::expected<Explanation, std::string> ExplainClient::explain_here(const ObjectName& pod,
                                                                    const std::vector<std::string>& nodes) {
  if (!own_) {
    auto made = LocalExplainer::make(flags_, Reading::kForRules);
    if (!made) return std::unexpected(std::move(made).error());
    own_ = std::move(*made);
    answers_ = true;
  }
  auto explanation = own_->explain(pod, nodes, wants_facts());
  if (explanation) say("read from the cluster itself, by " + own_->rules() + ": " + why_not_running_);
  return explanation;
}

std::expected<const LocalExplainer*, std::string> ExplainClient::cache() {
  if (own_) return own_.get();
  if (!plain_) {
    if (!looked_)
      if (auto reached = reach_server(); !reached) return std::unexpected(std::move(reached).error());
    auto made = LocalExplainer::make(flags_, Reading::kNodesAndPods);
    if (!made) return std::unexpected(std::move(made).error());
    plain_ = std::move(*made);
  }
  return plain_.get();
}

namespace {

/// The failure of reading a cluster, with what to do about it.
std::string with_advice(std::string error) {
  if (live::tells_of_denial(error)) error += "; ask for the role winnow of rbac.yaml";
  return error;
}

}  // namespace

std::expected<LoadedRules, std::string> rules_for_kubectl(const std::string& config) {
  CommonFlags flags;
  flags.config = config;
  return rules_from(flags);
}

std::expected<std::unique_ptr<LocalExplainer>, std::string> LocalExplainer::make(const KubectlFlags& flags,
                                                                                 Reading reading) {
  auto rules = rules_for_kubectl(flags.config);
  if (!rules) return std::unexpected(rules.error());
  CommonFlags common;
  common.client = flags.client;
  const WatchedKinds needs =
      reading == Reading::kForRules ? needed(rules->sets) : kind_of<Node> | kind_of<Pod>;
  auto cache = live_snapshot(common, *rules, needs);
  if (!cache) return std::unexpected(with_advice(cache.error()));
  std::string in_words = "the rules of " + describe_rules(flags.config, *rules);
  return std::unique_ptr<LocalExplainer>(
      new LocalExplainer(*std::move(rules), std::move(in_words), *std::move(cache)));
}

std::expected<Explanation, std::string> LocalExplainer::explain(const ObjectName& pod,
                                                                const std::vector<std::string>& nodes,
                                                                bool facts) const {
  const ClusterCache::ReadGuard state = cache_->read();
  const auto id = known_pod(*state, pod);
  if (!id) return std::unexpected(id.error());
  std::optional<std::vector<std::string>> wanted;
  if (!nodes.empty()) {
    auto named = named_nodes(labelled_nodes(*state), "--nodes", nodes);
    if (!named) return std::unexpected(std::move(named).error());
    wanted = std::move(*named);
  }
  return explain_known(engines_, *state, *id, wanted, {.clocks = HeldClocks{}, .facts = facts});
}

}  // namespace winnow
