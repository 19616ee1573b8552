// Explanations of pods: by a Winnow that runs, else from the cluster itself.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "extender/cli/flags/kubectl_flags.h"
#include "extender/cli/kubectl/api_reader.h"
#include "extender/cli/kubectl/own_answers.h"
#include "extender/cli/kubectl/running_winnow.h"

namespace winnow {

/// Asks about pods. The first question decides who answers all of them. Used by one thread.
class Asker {
 public:
  /// @param flags, api  outlive this.
  /// @param note  called once, with a line on who answers.
  Asker(const KubectlFlags& flags, ApiReader& api, std::function<void(const std::string&)> note)
      : flags_(flags), api_(api), note_(std::move(note)) {}

  /// @return the explanation, or one line for the user.
  std::expected<Explanation, std::string> explain(const ObjectName& pod,
                                                  const std::vector<std::string>& nodes = {});
  /// The last decision about the pod, where a Winnow that runs has answered explain() and has kept it.
  std::optional<ToldDecision> last_decision(const ObjectName& pod);
  /// Whether there is somebody who answers: what explain() failed at is then the matter of one pod.
  bool answers() const { return answers_; }
  /// The picture of the cluster's nodes and pods. It is read now, unless it is there already.
  std::expected<const OwnAnswers*, std::string> picture();

 private:
  std::expected<void, std::string> look_once();
  std::expected<void, std::string> reach_server();
  std::expected<Explanation, std::string> explain_here(const ObjectName& pod,
                                                       const std::vector<std::string>& nodes);
  void say(const std::string& line);

  const KubectlFlags& flags_;
  ApiReader& api_;
  const std::function<void(const std::string&)> note_;
  bool looked_ = false, said_ = false, answers_ = false;
  std::optional<WinnowService> running_;
  std::string why_not_running_;
  std::unique_ptr<OwnAnswers> own_;    ///< With all that the rules read.
  std::unique_ptr<OwnAnswers> plain_;  ///< With nodes and pods alone.
};

}  // namespace winnow
