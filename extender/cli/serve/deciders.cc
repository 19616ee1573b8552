#include "extender/cli/serve/deciders.h"

namespace winnow {

Deciders::Deciders(const ServeFlags& flags, ApiAccess* source, Metrics& metrics,
                   const std::shared_ptr<DecisionLog>& decision_log) {
  if (!source) return;
  if (flags.nominate.nominate) {
    nominating_ = std::make_unique<Nominating>(flags.nominate, *source, metrics, decision_log);
    source->handle_pods(nominating_->pod_handler());
  }
  if (flags.shadow.shadow) {
    shadowing_ = std::make_unique<Shadowing>(flags.shadow, metrics, decision_log);
    source->handle_pods(shadowing_->pod_handler());
  }
}

void Deciders::start(Extender& service, const std::function<std::string()>& unusable) {
  if (nominating_) nominating_->start(service, unusable);
  if (shadowing_) shadowing_->start(service, unusable);
}

void Deciders::stop() {
  if (nominating_) nominating_->stop();
  if (shadowing_) shadowing_->stop();
}

std::string Deciders::why_not_nominated(std::string_view ns, std::string_view name,
                                        std::string_view uid) const {
  return nominating_ ? nominating_->why_not(ns, name, uid) : std::string();
}

void Deciders::before_scrape() const {
  if (nominating_) nominating_->before_scrape();
  if (shadowing_) shadowing_->before_scrape();
}

}  // namespace winnow
