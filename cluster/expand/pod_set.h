// The pods of one object, made one by one.
//
// A Deployment may have hundreds of thousands of pods. Their number and their names are kept, and one pod as
// a pattern. pod() makes a copy and fills in what differs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/storage.h"

namespace winnow {

struct PodRecipe;

/// The pods that one object of a file makes. Copies share what they are made of. Used by one thread.
class PodSet {
 public:
  explicit PodSet(PodRecipe recipe);

  /// "Deployment shop/web", "Pod shop/web-0".
  const std::string& source() const;
  /// How many pods. None for a DaemonSet without nodes, for a suspended Job, and for 0 replicas.
  std::size_t size() const;
  /// The i-th pod, as the API server would store it: complete, with a UID, without a node and a status. Equal
  /// for equal i. The order is that in which the controller would make them.
  Pod pod(std::size_t i) const;
  /// The claims that controllers make with the i-th pod: those of a StatefulSet's volumeClaimTemplates, and
  /// of ephemeral volumes. Claims that the cluster has already are left out.
  std::vector<PersistentVolumeClaim> claims(std::size_t i) const;

 private:
  std::shared_ptr<const PodRecipe> recipe_;
};

}  // namespace winnow
