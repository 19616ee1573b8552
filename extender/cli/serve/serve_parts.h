// The parts of `winnow serve` that join others: settings, services, cache sources, and threads beside the
// calls.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <expected>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "extender/cli/api_access.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/serve/config_source.h"
#include "extender/cli/serve/nominator_service.h"
#include "extender/service/config_switch.h"
#include "extender/service/extender.h"
#include "extender/service/http/message.h"
#include "extender/service/recheck.h"
#include "extender/what_if/record/recorder.h"

namespace winnow {

/// The settings of the service. @param live  whether the cache is a live cluster's.
ExtenderOptions options_of(const CommonFlags& common, const ServeFlags& flags, const Recorder* recorder,
                           bool live);
/// The limits of the listener for calls.
http::Limits limits_of(const ServeFlags& flags);

/// Makes cache sources from files or from a live cluster.
class SourcesOfFlags : public CacheSources {
 public:
  /// All arguments outlive this. @param access  null: from files. @param recorder  null: nothing is recorded.
  SourcesOfFlags(const CommonFlags& common, ApiAccess* access, Recorder* recorder)
      : common_(common), access_(access), recorder_(recorder) {}

  std::expected<std::shared_ptr<CacheSource>, std::string> make(const State::Options& options,
                                                                WatchedKinds needs) override;

 private:
  const CommonFlags& common_;
  ApiAccess* const access_;
  Recorder* const recorder_;
};

/// Passes on what comes into force: to the copy of the configuration, the recording and the service.
class TakenConfig : public ConfigObserver {
 public:
  /// All arguments outlive this. @param recorder  null: nothing is recorded.
  TakenConfig(ConfigInForce& in_force, Recorder* recorder) : in_force_(in_force), recorder_(recorder) {}

  /// From now on the service gets each active configuration. It has the first one. @param service  outlives
  /// this.
  void serve_by(Extender& service);

  void on_rules(const LoadedRules& rules) override;
  void on_active(ActiveConfig active) override;

 private:
  ConfigInForce& in_force_;
  Recorder* const recorder_;
  Extender* service_ = nullptr;
};

/// What the process does for the service.
class ServeServices : public ClusterServices {
 public:
  /// The parts that are asked. All outlive the service.
  struct Parts {
    ApiAccess* access = nullptr;   ///< Null for a cache from files.
    Recorder* recorder = nullptr;  ///< Null without --record.
    const DecisionServices& deciders;
    const ConfigSwitch& config_switch;
    Metrics& metrics;
  };
  explicit ServeServices(const Parts& parts) : parts_(parts) {}

  /// From now on the service is not ready.
  void stop() { stopping_ = true; }

  std::string not_ready() const override;
  std::string missing_rights() const override { return parts_.config_switch.missing_rights(); }
  std::string unusable() const override { return parts_.config_switch.unusable(); }
  std::string why_not_nominated(std::string_view ns, std::string_view name,
                                std::string_view uid) const override {
    return parts_.deciders.why_not_nominated(ns, name, uid);
  }
  live::BindResult bind(const live::Binding& binding,
                        std::chrono::steady_clock::time_point deadline) override;
  void before_scrape() override;

 private:
  const Parts parts_;
  std::atomic<bool> stopping_ = false;
};

/// What looks again beside the calls, at refused pods and at assumed ones: two threads, until it ends.
class SecondLooks {
 public:
  /// @param service, access  outlive this. @param access  null: the cluster comes from files, and nothing
  ///   changes. @param wakes  refused pods that fit by now are nominated.
  SecondLooks(Extender& service, ApiAccess* access, bool wakes);

 private:
  /// Asks the API servers.
  class Asking : public WakingNominations, public AssumedLookUps {
   public:
    explicit Asking(ApiAccess* access) : access_(access) {}
    live::PatchResult nominate(const live::PodIdentity& pod, const std::string& node) override;
    live::PodLookedUp look_up(const AssumedPods::Attempt& pod, const std::stop_token& stop) override;

   private:
    ApiAccess* const access_;
  };

  Asking asking_;
  Recheck recheck_;
  PodWaker waker_;
  AssumedCheck assumed_check_;
  std::jthread rechecking_, checking_;  // They end first.
};

}  // namespace winnow
