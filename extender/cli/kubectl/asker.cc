#include "extender/cli/kubectl/asker.h"

#include <utility>

namespace winnow {

void Asker::say(const std::string& line) {
  if (!said_) note_(line);
  said_ = true;
}

std::expected<void, std::string> Asker::look_once() {
  if (std::exchange(looked_, true)) return {};
  if (flags_.winnow == "none") {
    // A server that cannot be reached is told here at once. The watches would try for a minute.
    if (const auto version = api_.get("/version"); !version)
      return std::unexpected(advice(version.error(), api_.server()));
    why_not_running_ = "as --winnow none wants";
    return {};
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

std::expected<Explanation, std::string> Asker::explain_here(const ObjectName& pod,
                                                            const std::vector<std::string>& nodes) {
  if (!own_) {
    auto made = OwnAnswers::make(flags_, Reading::kForRules);
    if (!made) return std::unexpected(std::move(made).error());
    own_ = std::move(*made);
  }
  auto explanation = own_->explain(pod, nodes);
  if (explanation) say("read from the cluster itself, by " + own_->rules() + ": " + why_not_running_);
  return explanation;
}

std::expected<const OwnAnswers*, std::string> Asker::picture() {
  if (own_) return own_.get();
  if (!plain_) {
    if (!looked_)  // As in look_once().
      if (const auto version = api_.get("/version"); !version)
        return std::unexpected(advice(version.error(), api_.server()));
    auto made = OwnAnswers::make(flags_, Reading::kNodesAndPods);
    if (!made) return std::unexpected(std::move(made).error());
    plain_ = std::move(*made);
  }
  return plain_.get();
}

}  // namespace winnow
