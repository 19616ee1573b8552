// A picture, and what keeps it fresh.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cluster/live/live_cluster.h"
#include "cluster/state/picture.h"

namespace winnow {

/// Where rules look: a picture that stays as it is (from files), or one that follows a live cluster.
class PictureSource {
 public:
  /// A fixed picture.
  explicit PictureSource(std::unique_ptr<Picture> picture) : picture_(std::move(picture)) {}
  /// One that follows; start() has it begin. @param shared  outlives this.
  PictureSource(State::Options options, Needs needs, const live::LiveCluster::Shared& shared)
      : picture_(std::make_unique<Picture>(options)), cluster_(std::in_place, *picture_, needs, shared) {}

  void start() {
    if (cluster_) cluster_->start();
  }
  Picture& picture() { return *picture_; }
  const live::LiveCluster* cluster() const { return cluster_ ? &*cluster_ : nullptr; }
  /// Whether it will do for rules with these options and needs.
  bool serves(const State::Options& options, Needs needs) const;

  /// "" for a picture that is whole, else what it waits for.
  std::string incomplete() const;
  /// What every API server denies us, in one line; "": nothing. What was listed before goes on to be answered
  /// from.
  std::string denied() const { return cluster_ ? cluster_->denied() : std::string(); }
  /// "" for one that some server had a word for within `limit`, else since when which resource is silent. Of
  /// an open watch silence counts from ReflectorStatus::kQuiet on: it hears no more than a bookmark a minute.
  std::string stale(std::chrono::milliseconds limit) const;

 private:
  std::unique_ptr<Picture> picture_;
  std::optional<live::LiveCluster> cluster_;  ///< Ends before the picture does.
};

}  // namespace winnow
