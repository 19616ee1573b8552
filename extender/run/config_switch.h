// What requests are answered from, made and changed while they come.
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

/// Holds the rules and the picture source of now, and swaps in others. Rules that the same picture will do
/// for are taken at once. For others a second source is made beside the first, and both are taken when it is
/// complete. tick(), load() and the constructor are for one thread, the rest for any.
class ConfigSwitch {
 public:
  /// Makes the source for rules with these needs: a live one that was not started, or a fixed one.
  using MakePictureSource =
      std::function<std::expected<std::shared_ptr<PictureSource>, std::string>(const State::Options&, Needs)>;
  struct Options {
    std::chrono::milliseconds max_staleness{60'000};
    bool serve_stale = false;  ///< A stale picture is answered from.
  };

  /// @param workers, metrics  outlive this.
  ConfigSwitch(Workers& workers, Metrics& metrics, MakePictureSource make_picture_source, Options options)
      : workers_(workers),
        metrics_(metrics),
        make_picture_source_(std::move(make_picture_source)),
        options_(options) {}

  /// What has become of rules that were loaded.
  enum class Loaded : std::uint8_t {
    kTaken,
    kWaiting,  ///< For their picture: tick() takes them, and counts them, when it is complete.
  };
  /// Takes rules. The first time their picture is taken complete or not. Rules that wait are forgotten when
  /// others come.
  /// @return or what is in the way; then everything stays as it was.
  std::expected<Loaded, std::string> load(LoadedRules loaded);
  /// To be called once a second. Swaps in what has become complete, and lets go of what nobody can be using
  /// any more. Settles doubts about assumed pods. Tells of pods that are assumed for long, and of rules that
  /// wait for long.
  void tick();

  /// Of the rules and the picture of now.
  Serving serving() const;
  /// Is told of every serving that follows the first. It hands on what is assumed in the picture before: see
  /// Extender::replace.
  void on_change(std::function<void(Serving)> changed) { changed_ = std::move(changed); }

  /// Is told of all rules that come into force, before load() or tick() returns. To be set before these.
  void on_rules(std::function<void(const LoadedRules&)> taken) { taken_ = std::move(taken); }

  /// See ExtenderOptions.
  std::string not_ready() const;
  std::string unusable() const;
  /// Brings the watch's figures up to date.
  void before_scrape() const;

 private:
  /// The rules, which the engines refer to.
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
  Time told_of_waiting_{};                                             ///< Of next_.
  std::vector<std::pair<std::shared_ptr<PictureSource>, Time>> past_;  ///< Calls may still hold them.
};

}  // namespace winnow
