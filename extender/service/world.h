// What requests are answered from.
#pragma once

#include <memory>

#include "cluster/state/picture.h"
#include "extender/engine/engines.h"
#include "extender/metrics/metrics.h"

namespace winnow {

/// The rules, and the picture that they read. A request holds one from its first byte to its last; a changed
/// configuration makes another, which later requests are answered from. Copying is cheap.
struct World {
  std::shared_ptr<const Engines> engines;
  std::shared_ptr<Picture> picture;
  std::shared_ptr<const RuleSeries> rejections;  ///< Of the engines' predicates.
};

}  // namespace winnow
