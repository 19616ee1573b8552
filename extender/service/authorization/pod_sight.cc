#include "extender/service/authorization/pod_sight.h"

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <utility>

#include "extender/service/authorization/token_access.h"
#include "extender/service/authorization/token_guard.h"

namespace winnow {
namespace {

/// One sender's rights, each asked for once.
class Rights {
 public:
  Rights(TokenAccess& access, std::string token, std::string remote, PodSight::Time deadline)
      : access_(access), token_(std::move(token)), remote_(std::move(remote)), deadline_(deadline) {}

  /// Most senders who may see any pods may see all.
  bool sees(std::string_view ns) { return ask("") || ask(ns); }

 private:
  bool ask(std::string_view ns) {
    const auto known = known_.find(ns);
    if (known != known_.end()) return known->second;
    if (known_.size() > PodSight::kMostAsked) return false;
    const bool may = review(std::string(ns));
    known_.emplace(ns, may);
    return may;
  }

  bool review(std::string ns) const {
    // The verdict may come when nobody waits for it any more.
    const auto verdict = std::make_shared<std::promise<bool>>();
    std::future<bool> allowed = verdict->get_future();
    access_.judge_pods(token_, std::move(ns), remote_, [verdict](const TokenVerdict& said) {
      verdict->set_value(said.said == TokenVerdict::Said::kAllowed);
    });
    return allowed.wait_until(deadline_) == std::future_status::ready && allowed.get();
  }

  TokenAccess& access_;
  const std::string token_, remote_;
  const PodSight::Time deadline_;
  std::map<std::string, bool, std::less<>> known_;  ///< By namespace.
};

}  // namespace

PodSight::Sees PodSight::of(const http::Request& request, Time deadline) const {
  if (request.client_names || std::ranges::contains(anonymous_, request.path)) return nullptr;
  const auto rights = std::make_shared<Rights>(access_, std::string(bearer_token(request.authorization)),
                                               request.remote, deadline);
  return [rights](std::string_view ns) { return rights->sees(ns); };
}

}  // namespace winnow
