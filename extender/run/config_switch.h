// The rules and the picture source in force, and their exchange while calls come.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/mutex.h"
#include "extender/calls/serving.h"
#include "extender/config/rules.h"
#include "extender/metrics/metrics.h"
#include "extender/run/picture_source.h"

namespace winnow {

/// The rules and the picture source in force. New rules that the picture in force can serve are taken at
/// once. For others a second source is made, and both are taken when it is complete. The constructor, load()
/// and tick() must be called on one thread; the other functions are thread-safe.
class ConfigSwitch {
 public:
  /// Makes the source for rules with these needs: a live one that is not started, or a fixed one.
  using MakePictureSource =
      std::function<std::expected<std::shared_ptr<PictureSource>, std::string>(const State::Options&, Needs)>;
  struct Options {
    std::chrono::milliseconds max_staleness{60'000};
    bool serve_stale = false;  ///< Calls are answered from a stale picture.
  };

  /// @param workers, metrics  must outlive this.
  ConfigSwitch(Workers& workers, Metrics& metrics, MakePictureSource make_picture_source, Options options)
      : workers_(workers),
        metrics_(metrics),
        make_picture_source_(std::move(make_picture_source)),
        options_(options) {}

  /// The result of load().
  enum class Loaded : std::uint8_t {
    kTaken,
    kWaiting,  ///< Until their picture is complete: tick() takes them then, and counts the reload.
  };
  /// Takes rules. The first rules are taken at once, with a picture that may be incomplete. Rules that wait
  /// are dropped when others are loaded.
  /// @return kTaken or kWaiting; or the error, in one line. On an error nothing changes.
  std::expected<Loaded, std::string> load(LoadedRules loaded);
  /// To be called once a second. Takes rules whose picture is complete, and destroys sources that no call can
  /// still use. Settles doubts about assumed pods. Logs pods that are assumed for long, and rules that wait
  /// for long.
  void tick();

  /// The rules and the picture in force, for calls.
  Serving serving() const;
  /// Sets the function that is called with each serving after the first. It must take over the assumed pods
  /// of the picture before: see Extender::replace.
  void on_change(std::function<void(Serving)> changed) { changed_ = std::move(changed); }

  /// Sets the function that is called with all rules that come into force, before load() or tick() returns.
  /// To be set before these are called.
  void on_rules(std::function<void(const LoadedRules&)> taken) { taken_ = std::move(taken); }

  /// The functions of these names in ExtenderOptions.
  std::string not_ready() const;
  std::string missing_rights() const;
  std::string unusable() const;
  /// Sets the watch's metrics, before a scrape.
  void before_scrape() const;

 private:
  /// The rules, with the engines, which refer to them.
  struct Rules {
    Rules(LoadedRules loaded_, Workers& workers)
        : loaded(std::move(loaded_)), engines(loaded.sets, workers) {}
    const LoadedRules loaded;
    const Engines engines;
  };
  struct Pair {
    std::shared_ptr<const Rules> rules;
    std::shared_ptr<PictureSource> picture_source;
  };
  using Time = std::chrono::steady_clock::time_point;

  void take(Pair pair);
  void take_waiting(Time now);
  std::shared_ptr<PictureSource> picture_source() const;
  Serving serving_of(const Pair& pair) const;

  Workers& workers_;
  Metrics& metrics_;
  const MakePictureSource make_picture_source_;
  const Options options_;
  std::function<void(Serving)> changed_;
  std::function<void(const LoadedRules&)> taken_;
  mutable Mutex mutex_;
  Pair now_ WINNOW_GUARDED_BY(mutex_);
  std::optional<Pair> next_;                                           ///< Until its picture is complete.
  Time told_of_waiting_{};                                             ///< When waiting for next_ was last
                                                                       ///< logged.
  std::vector<std::pair<std::shared_ptr<PictureSource>, Time>> past_;  ///< Calls may still use them.
};

}  // namespace winnow
