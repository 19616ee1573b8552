// Whom preempt has named, for whom.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "extender/protocol/preempt_args.h"

namespace winnow {

/// Remembers the victims that were named last for a pod. kube-scheduler evicts those of one node, nominates
/// the pod for it, and does not ask again before they are gone. Holds the last kPods pods. Thread-safe.
class NamedVictims {
 public:
  static constexpr std::size_t kPods = 100;

  void named(const std::string& pod_uid, std::vector<MetaVictims> victims);
  /// The UIDs of those named for the pod on the node.
  std::vector<std::string> on(std::string_view pod_uid, std::string_view node) const;

 private:
  struct Entry {
    std::string pod_uid;
    std::vector<MetaVictims> victims;
  };
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< The latest first; few. Guarded by mutex_.
};

}  // namespace winnow
