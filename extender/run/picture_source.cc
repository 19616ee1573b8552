#include "extender/run/picture_source.h"

#include <format>

namespace winnow {

bool PictureSource::serves(const State::Options& options, Needs needs) const {
  return picture_->read()->options() == options && (!cluster_ || cluster_->needs() == needs);
}

std::string PictureSource::incomplete() const {
  if (!cluster_) return {};
  std::string names;
  for (const std::string& name : cluster_->not_synced()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "" : "the picture of the cluster is not complete yet: waiting for " + names;
}

std::string PictureSource::stale(std::chrono::milliseconds limit) const {
  if (!cluster_) return {};
  const live::LiveCluster::Silence silence = cluster_->longest_silence();
  if (silence.lasting <= limit) return {};
  return std::format("the picture of the cluster is stale: no API server has had a word about {} for {}s",
                     silence.resource,
                     std::chrono::duration_cast<std::chrono::seconds>(silence.lasting).count());
}

}  // namespace winnow
