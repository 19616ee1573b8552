// Answers from the cluster itself, worked out here.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/state/picture.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/cli/kubectl/api_reader.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/explanation.h"

namespace winnow {

/// What is read of a cluster.
enum class Reading : std::uint8_t { kForRules, kNodesAndPods };

/// The rules of --config, or today's; and the picture of the cluster.
class OwnAnswers {
 public:
  /// Reads the cluster. @return the answers, or one line with what to do.
  static std::expected<std::unique_ptr<OwnAnswers>, std::string> make(const KubectlFlags& flags,
                                                                      Reading reading);

  /// For Reading::kForRules. @param nodes  the nodes to explain; empty: all.
  std::expected<Explanation, std::string> explain(const ObjectName& pod,
                                                  const std::vector<std::string>& nodes) const;
  Picture::Reader state() const { return picture_->read(); }
  /// The rules in words.
  const std::string& rules() const { return rules_in_words_; }

 private:
  OwnAnswers(LoadedRules rules, std::string in_words, std::shared_ptr<Picture> picture)
      : rules_(std::move(rules)),
        rules_in_words_(std::move(in_words)),
        picture_(std::move(picture)),
        engines_(rules_.sets, workers_) {}

  const LoadedRules rules_;
  const std::string rules_in_words_;
  std::shared_ptr<Picture> picture_;
  Workers workers_{0};
  const Engines engines_;
};

/// Reads --config, or gives today's rules: those of kube-scheduler 1.37 without a configuration.
std::expected<LoadedRules, std::string> rules_for_kubectl(const std::string& config);

}  // namespace winnow
