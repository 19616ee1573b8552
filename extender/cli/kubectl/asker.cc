#include "extender/cli/kubectl/asker.h"

#include <utility>

namespace winnow {

void Asker::say(const std::string& line) {
  if (!said_) note_(line);
  said_ = true;
}

/// Tells at once of a server that cannot be reached. The watches would try for a minute.
std::expected<void, std::string> Asker::reach_server() {
  const auto version = api_.get("/version");
  if (!version && version.error().status != 403)  // Where few may read this, nodes may be read all the same.
    return std::unexpected(advice(version.error(), api_.server()));
  if (version && !version->contains("gitVersion"))
    return std::unexpected(unreadable(api_.server(), "its version", "gitVersion is missing"));
  return {};
}

std::expected<void, std::string> Asker::look_once() {
  if (std::exchange(looked_, true)) return {};
  if (flags_.winnow == "none") {
    why_not_running_ = "as --winnow none wants";
    return reach_server();
  }
  auto found = find_winnow(api_, flags_.winnow);
  if (!found) return std::unexpected(std::move(found).error());
  running_ = std::move(found->service);
  why_not_running_ = std::move(found->why_none);
  return {};
}

std::expected<Explanation, std::string> Asker::explain(const ObjectName& pod,
                                                       const std::vector<std::string>& nodes) {
  if (auto looked = look_once(); !looked) return std::unexpected(std::move(looked).error());
  if (running_) {
    auto answer = ask_winnow(api_, *running_, pod, nodes);
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

std::optional<ToldDecision> Asker::last_decision(const ObjectName& pod) {
  return running_ && answers_ ? ask_last_decision(api_, *running_, pod) : std::nullopt;
}

std::expected<Explanation, std::string> Asker::explain_here(const ObjectName& pod,
                                                            const std::vector<std::string>& nodes) {
  if (!own_) {
    auto made = OwnAnswers::make(flags_, Reading::kForRules);
    if (!made) return std::unexpected(std::move(made).error());
    own_ = std::move(*made);
    answers_ = true;
  }
  auto explanation = own_->explain(pod, nodes);
  if (explanation) say("read from the cluster itself, by " + own_->rules() + ": " + why_not_running_);
  return explanation;
}

std::expected<const OwnAnswers*, std::string> Asker::picture() {
  if (own_) return own_.get();
  if (!plain_) {
    if (!looked_)
      if (auto reached = reach_server(); !reached) return std::unexpected(std::move(reached).error());
    auto made = OwnAnswers::make(flags_, Reading::kNodesAndPods);
    if (!made) return std::unexpected(std::move(made).error());
    plain_ = std::move(*made);
  }
  return plain_.get();
}

}  // namespace winnow
