// A picture, with the reflectors that keep it up to date.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cluster/live/live_cluster.h"
#include "cluster/state/picture.h"

namespace winnow {

/// A picture from files, which does not change, or one that follows a live cluster. All functions but start()
/// are thread-safe.
class PictureSource {
 public:
  /// A source with a fixed picture.
  explicit PictureSource(std::unique_ptr<Picture> picture) : picture_(std::move(picture)) {}
  /// A source that follows a live cluster, from start() on. @param shared  must outlive this.
  PictureSource(State::Options options, Needs needs, const live::LiveCluster::Shared& shared)
      : picture_(std::make_unique<Picture>(options)), cluster_(std::in_place, *picture_, needs, shared) {}

  void start() {
    if (cluster_) cluster_->start();
  }
  Picture& picture() { return *picture_; }
  /// Null for a fixed picture.
  const live::LiveCluster* cluster() const { return cluster_ ? &*cluster_ : nullptr; }
  /// Whether the picture can serve rules with these options and needs.
  bool serves(const State::Options& options, Needs needs) const;

  /// "" for a complete picture; otherwise a line that names the kinds that it waits for.
  std::string incomplete() const;
  /// The access that every API server denies, in one line; "": none. The picture is still used meanwhile.
  std::string denied() const { return cluster_ ? cluster_->denied() : std::string(); }
  /// The optional resources that Winnow does without for want of a right, in one line; "": none.
  std::string missing_rights() const { return cluster_ ? cluster_->missing_rights() : std::string(); }
  /// "" if every resource had a sign from a server within `limit`; otherwise a line with the resource that
  /// was silent for the longest time. On an open watch, silence counts only beyond ReflectorStatus::kQuiet:
  /// it may bring no more than a bookmark a minute.
  std::string stale(std::chrono::milliseconds limit) const;

 private:
  std::unique_ptr<Picture> picture_;
  std::optional<live::LiveCluster> cluster_;  ///< Declared after the picture, so that it is destroyed first.
};

}  // namespace winnow
