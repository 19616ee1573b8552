// Explanations of pods: by a Winnow that runs, else from the cluster itself, worked out here.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/state/cluster_cache.h"
#include "extender/cli/kubectl/running_winnow.h"
#include "extender/config/extenders.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/explanation.h"

namespace winnow {

class ApiReader;
struct KubectlFlags;
struct ObjectName;

/// What is read of a cluster.
enum class Reading : std::uint8_t { kForRules, kNodesAndPods };

/// The rules of --config, or today's; and the cache of the cluster.
class LocalExplainer {
 public:
  /// Reads the cluster. @return the answers, or one line with what to do.
  static std::expected<std::unique_ptr<LocalExplainer>, std::string> make(const KubectlFlags& flags,
                                                                          Reading reading);

  /// For Reading::kForRules. @param nodes  the nodes to explain; empty: all.
  /// @param facts  the facts of scores are told, too.
  std::expected<Explanation, std::string> explain(const ObjectName& pod,
                                                  const std::vector<std::string>& nodes, bool facts) const;
  ClusterCache::ReadGuard state() const { return cache_->read(); }
  /// The rules in words.
  const std::string& rules() const { return rules_in_words_; }

 private:
  LocalExplainer(LoadedRules rules, std::string in_words, std::shared_ptr<ClusterCache> cache)
      : rules_(std::move(rules)),
        rules_in_words_(std::move(in_words)),
        cache_(std::move(cache)),
        engines_(rules_.sets, workers_) {}

  const LoadedRules rules_;
  const std::string rules_in_words_;
  std::shared_ptr<ClusterCache> cache_;
  Workers workers_{0};
  const Engines engines_;
};

/// Reads --config, or gives today's rules: those of kube-scheduler 1.37 without a configuration.
std::expected<LoadedRules, std::string> rules_for_kubectl(const std::string& config);

// Explanations of pods: by a Winnow that runs, else from the cluster itself.

/// Tells the user something on one line.
using TellLine = void (*)(const std::string& line);

/// Asks about pods. The first question decides who answers all of them. Used by one thread.
class ExplainClient {
 public:
  /// @param flags, api  outlive this.
  /// @param note  called once, with a line on who answers.
  ExplainClient(const KubectlFlags& flags, ApiReader& api, TellLine note)
      : flags_(flags), api_(api), note_(note) {}

  /// @return the explanation, or one line for the user.
  std::expected<Explanation, std::string> explain(const ObjectName& pod,
                                                  const std::vector<std::string>& nodes = {});
  /// The last decision about the pod, where a Winnow that runs has answered explain() and has kept it.
  std::optional<ToldDecision> last_decision(const ObjectName& pod);
  /// Names of pods that may have been meant, where explain() has failed at one that a running Winnow does not
  /// know: as far as the user may list them. See near_pods().
  std::string near_pods_of(const ObjectName& pod);
  /// Whether there is somebody who answers: what explain() failed at is then the matter of one pod.
  bool answers() const { return answers_; }
  /// The cache of the cluster's nodes and pods. It is read now, unless it is there already.
  std::expected<const LocalExplainer*, std::string> cache();

 private:
  std::expected<void, std::string> look_once();
  std::expected<void, std::string> reach_server();
  std::expected<Explanation, std::string> explain_here(const ObjectName& pod,
                                                       const std::vector<std::string>& nodes);
  void say(const std::string& line);
  /// Whether the facts of scores are shown: explain's JSON alone has scores with room for them.
  bool wants_facts() const;

  const KubectlFlags& flags_;
  ApiReader& api_;
  const TellLine note_;
  bool looked_ = false, said_ = false, answers_ = false;
  std::optional<WinnowService> running_;
  std::string why_not_running_;
  std::unique_ptr<LocalExplainer> own_;    ///< With all that the rules read.
  std::unique_ptr<LocalExplainer> plain_;  ///< With nodes and pods alone.
};

}  // namespace winnow
