// What the process around a service does for it, where the test says what that is.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "extender/explain/decision_log.h"
#include "extender/service/scheduling/services.h"

namespace winnow::test {

/// What the test sets is called; all else is as without a cluster.
struct GivenServices : ClusterServices {
  std::function<std::string()> says_not_ready, says_missing_rights, says_unusable;
  std::function<std::string(std::string_view, std::string_view, std::string_view)> says_why_not_nominated;
  std::function<void(const Pod&, bool by_eviction)> nominates_refused;
  std::function<void(const Pod&)> preempts;
  std::function<live::BindResult(const live::Binding&, std::chrono::steady_clock::time_point)> binds;

  std::string not_ready() const override { return says_not_ready ? says_not_ready() : ""; }
  std::vector<ReadyItem> items;

  std::vector<ReadyItem> ready_items() const override { return items; }
  std::string missing_rights() const override { return says_missing_rights ? says_missing_rights() : ""; }
  std::string unusable() const override { return says_unusable ? says_unusable() : ""; }
  std::string why_not_nominated(std::string_view ns, std::string_view name,
                                std::string_view uid) const override {
    return says_why_not_nominated ? says_why_not_nominated(ns, name, uid) : "";
  }
  void nominate_refused(const Pod& pod, bool by_eviction) override {
    if (nominates_refused) nominates_refused(pod, by_eviction);
  }
  void on_preempts(const Pod& pod) override {
    if (preempts) preempts(pod);
  }
  live::BindResult bind(const live::Binding& binding,
                        std::chrono::steady_clock::time_point deadline) override {
    return binds ? binds(binding, deadline) : live::BindResult();
  }
};

/// Keeps decisions, this many at most.
inline ExtenderServices keeping_decisions(std::size_t most) {
  return {.decision_log = std::make_shared<DecisionLog>(most)};
}

}  // namespace winnow::test
