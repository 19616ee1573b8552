// Which pods, and which victims on a node, an eviction can turn a filter's verdict about.
//
// A function here reads pods exactly as its plugin's Filter does. Upstream: the plugins' own files v1.37.0.
#pragma once

#include <span>

#include "cluster/api/pod.h"

namespace winnow::predicates::today {

/// Whether the plugin's verdict about the pod may hang on these victims, which are on the node.
using TurnedByEviction = bool(const PodSpec& pod, std::span<const PodSpec* const> victims);

/// ServiceAffinity: always, for the first pod like it may be evicted.
TurnedByEviction always;
/// NodeResourcesFit: always, for a node has room for so many pods.
TurnedByEviction needs_room;
/// NodePorts: the pod asks for host ports.
TurnedByEviction needs_host_ports;
/// InterPodAffinity: the pod has required terms, or a victim keeps pods away.
TurnedByEviction is_joined_or_kept_apart;
/// PodTopologySpread: the pod has hard constraints.
TurnedByEviction is_spread;
/// VolumeRestrictions and NodeVolumeLimits: the pod has volumes that are more than files of the node.
TurnedByEviction has_volumes;

}  // namespace winnow::predicates::today
