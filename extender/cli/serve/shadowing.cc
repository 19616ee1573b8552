#include "extender/cli/serve/shadowing.h"

#include <utility>

#include "extender/log/log.h"

namespace winnow {

void Shadowing::start(Extender& service, std::function<std::string()> unusable) {
  shadow_.emplace(
      service.decisions(), service.picker(), told_,
      Shadow::Options{
          .schedulers = flags_.schedulers, .unusable = std::move(unusable), .decision_log = decision_log_});
  log_info("a shadow: it decides beside kube-scheduler, answers no call, and writes nothing");
  thread_ = std::jthread([this](const std::stop_token& stop) { shadow_->run(stop); });
  started_ = true;
}

void Shadowing::before_scrape() const {
  // A shadow says that it is one from the first scrape on.
  metrics_.live().set_shadow(started_ ? shadow_->figures() : ShadowFigures{.on = true});
}

}  // namespace winnow
