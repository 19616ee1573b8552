// What requests are answered from, made and changed while they come.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "extender/config/rules.h"
#include "extender/live/site.h"
#include "extender/service/extender.h"

namespace winnow {

/// Holds the rules and the site of now, and swaps in others: at once where the same picture will do,
/// otherwise when a second one, made beside the first, is complete. tick(), load() and the constructor are
/// for one thread, the rest for any.
class Worlds {
 public:
  /// Makes the site for rules with these needs: a live one that was not started, or a fixed one.
  using MakeSite =
      std::function<std::expected<std::shared_ptr<Site>, std::string>(const State::Options&, Needs)>;
  struct Options {
    std::chrono::seconds max_staleness{60};
    bool serve_stale = false;  ///< A stale picture is answered from.
  };

  /// @param workers, metrics  outlive this.
  Worlds(Workers& workers, Metrics& metrics, MakeSite make_site, Options options)
      : workers_(workers), metrics_(metrics), make_site_(std::move(make_site)), options_(options) {}

  /// What has become of rules that were loaded.
  enum class Loaded : std::uint8_t {
    kTaken,
    kWaiting,  ///< For their picture: tick() takes them, and counts them, when it is complete.
  };
  /// Takes rules. @return what is in the way; then everything stays as it was. The first time the site is
  /// taken complete or not. Rules that wait are forgotten when others come.
  std::expected<Loaded, std::string> load(LoadedRules loaded);
  /// Swaps in what has become complete, lets go of what nobody can be using any more, settles doubts about
  /// assumed pods, and tells of pods that are assumed, and of rules that wait, for long. Now and then, with a
  /// second between.
  void tick();

  /// Of the rules and the site of now.
  World world() const;
  /// Is told of every world that follows the first. What is assumed in the picture before is his to hand on:
  /// see Extender::replace.
  void on_change(std::function<void(World)> changed) { changed_ = std::move(changed); }

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
    std::shared_ptr<Site> site;
  };
  using Time = std::chrono::steady_clock::time_point;

  void take(Pair pair);
  void take_waiting(Time now);
  std::shared_ptr<Site> site() const;
  World world_of(const Pair& pair) const;

  Workers& workers_;
  Metrics& metrics_;
  const MakeSite make_site_;
  const Options options_;
  std::function<void(World)> changed_;
  std::function<void(const LoadedRules&)> taken_;
  mutable std::mutex mutex_;
  Pair now_;                                                  ///< Guarded by mutex_.
  std::optional<Pair> next_;                                  ///< Until its site is complete.
  Time told_of_waiting_{};                                    ///< Of next_.
  std::vector<std::pair<std::shared_ptr<Site>, Time>> past_;  ///< Calls may still hold them.
};

}  // namespace winnow
