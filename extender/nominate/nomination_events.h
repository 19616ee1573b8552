// What the people of a pod are told of its nomination, as events that kubectl describe shows.
#pragma once

#include <optional>
#include <string>

#include "cluster/client/servers/pod_events.h"

namespace winnow {

struct Effect;
struct PodFacts;

/// Where events go. live::PodEvents writes them; a test keeps them.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  /// Never blocks.
  virtual void record(live::PodEvent event) = 0;
};

/// The event for a nomination that has come to nothing. Nothing for one that was followed, or that others
/// have ended: kube-scheduler's own events tell of these.
std::optional<live::PodEvent> event_of(const Effect& effect);

/// The event for a pod that fits nowhere and keeps its gate. kube-scheduler does not look at such a pod, so
/// nobody else says why it waits. @param why  as why_none_fits() has it.
live::PodEvent held_event(const PodFacts& pod, const std::string& why);

}  // namespace winnow
