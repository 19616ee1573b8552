// What requests are answered from.
#pragma once

#include <memory>

#include "cluster/state/picture.h"
#include "extender/engine/engines.h"
#include "extender/metrics/request_record.h"

namespace winnow {

/// The rules, and the picture that they read. A call holds one for as long as it reads the picture. A changed
/// configuration makes another, which later calls are answered from; a call that is held moves on to it.
/// Copying is cheap.
struct Serving {
  std::shared_ptr<const Engines> engines;
  std::shared_ptr<Picture> picture;
  std::shared_ptr<const RuleSeries> rejections;  ///< Of the engines' predicates; null: they are not counted.

  /// Whether the two are one: the same engines at work on the same picture.
  bool operator==(const Serving&) const = default;
};

}  // namespace winnow
