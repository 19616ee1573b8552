// Events about pods, as kubectl describe shows them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

class ApiServers;
class ApiTransport;

struct PodEvent {
  std::string ns, name, uid;  ///< Of the pod; never empty.
  bool is_warning = false;
  std::string_view reason;  ///< "NominationRefused"; a text that lives as long as the program.
  std::string note;         ///< One sentence. What is longer than the API takes is cut off.
};

/// Writes events of events.k8s.io/v1 in a thread of its own. None is worth waiting for, so they are few:
/// kAtOnce, and then one in each kEvery; one of a reason for a pod within kSamePod. What is more, and what
/// fails, is left out. Where they one fails, as where a right is missing, none is sent for kRest.
/// Thread-safe.
class PodEvents {
 public:
  static constexpr unsigned kAtOnce = 25;
  static constexpr std::chrono::seconds kEvery{1};
  static constexpr std::chrono::minutes kSamePod{5};
  static constexpr std::chrono::minutes kRest{1};
  static constexpr std::size_t kMostWaiting = 100;

  struct Options {
    std::string controller;  ///< reportingController: "winnow-nominator".
    std::string instance;    ///< reportingInstance; not empty.
    /// Is told why an event was not written, in one line; called in the sender's thread. Null: nobody is
    /// told.
    std::function<void(const std::string& why)> on_failure;
    std::function<std::chrono::system_clock::time_point()> now = [] {
      return std::chrono::system_clock::now();
    };
  };

  /// All of them outlive this. The thread begins at once.
  PodEvents(ApiServers& servers, ApiTransport& transport, Clock& clock, Options options);
  ~PodEvents();
  PodEvents(const PodEvents&) = delete;
  PodEvents& operator=(const PodEvents&) = delete;

  /// Never blocks. @return whether the event will be sent.
  bool tell(PodEvent event);

 private:
  bool may_tell(const PodEvent& event) WINNOW_REQUIRES(mutex_);
  void run(const std::stop_token& stop);
  std::optional<PodEvent> next(const std::stop_token& stop);
  void send(const PodEvent& event, const std::stop_token& stop);
  void fail(const std::string& why);

  ApiServers& servers_;
  ApiTransport& transport_;
  Clock& clock_;
  const Options options_;

  Mutex mutex_;
  std::condition_variable_any added_;
  std::deque<PodEvent> waiting_ WINNOW_GUARDED_BY(mutex_);
  unsigned tokens_ WINNOW_GUARDED_BY(mutex_) = kAtOnce;
  Clock::Time filled_ WINNOW_GUARDED_BY(mutex_);       ///< : when a token was last added.
  Clock::Time rests_until_ WINNOW_GUARDED_BY(mutex_);  ///< : none is taken until then.
  /// When a pod was last told of, by its UID and the reason. Old entries go.
  std::map<std::pair<std::string, std::string_view>, Clock::Time> told_ WINNOW_GUARDED_BY(mutex_);
  std::jthread thread_;  ///< Last member, so that it ends first.
};

/// The Event as JSON. @param at  its eventTime.
std::string event_json(const PodEvent& event, std::string_view controller, std::string_view instance,
                       std::chrono::system_clock::time_point at);

}  // namespace winnow::live
