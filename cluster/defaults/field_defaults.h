// Internal to cluster/defaults: defaults that several kinds share.
#pragma once

#include "cluster/api/pod.h"

namespace winnow {

/// Rounds each amount up to thousandths.
/// Upstream: defaults.go SetDefaults_ResourceList v1.37.0.
void round_up(ResourceList& list);

/// Upstream: zz_generated.defaults.go, the sources RBD and AzureDisk, v1.37.0.
void set_source_defaults(Volume& volume);

}  // namespace winnow
