// What decides without being asked: the nominator, or the shadow.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "extender/cli/api_access.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/serve/nominating.h"
#include "extender/cli/serve/shadowing.h"
#include "extender/decisions/decision_log.h"
#include "extender/metrics/metrics.h"
#include "extender/service/extender.h"

namespace winnow {

/// The deciders that the flags ask for; there may be none. Made, started, stopped and destroyed on one
/// thread.
class Deciders {
 public:
  /// They are told of pods by all picture sources that are made later.
  /// @param source  null: the cluster comes from files, and there are none. @param decision_log  may be null.
  Deciders(const ServeFlags& flags, ApiAccess* source, Metrics& metrics,
           const std::shared_ptr<DecisionLog>& decision_log);

  /// Starts their threads. To be called once. @param service  outlives this. @param unusable  see
  /// ExtenderOptions.
  void start(Extender& service, const std::function<std::string()>& unusable);
  void stop();

  // Any thread.
  bool is_shadow() const { return shadowing_ != nullptr; }
  bool nominates() const { return nominating_ != nullptr; }
  /// The rights that are missing, in one line; "": none.
  std::string denied() const { return nominating_ ? nominating_->denied() : ""; }
  /// See ExtenderOptions::why_not_nominated.
  std::string why_not_nominated(std::string_view ns, std::string_view name, std::string_view uid) const;
  /// Sets the metrics, before a scrape.
  void before_scrape() const;

 private:
  std::unique_ptr<Nominating> nominating_;  ///< Null without --nominate.
  std::unique_ptr<Shadowing> shadowing_;    ///< Null without --shadow.
};

}  // namespace winnow
