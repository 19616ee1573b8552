// The rules and the picture that calls are answered from.
#pragma once

#include <memory>

#include "cluster/state/picture.h"
#include "extender/engine/engines.h"
#include "extender/metrics/request_record.h"

namespace winnow {

/// The rules, with the picture that they read. A call keeps its copy for as long as it reads the picture. A
/// changed configuration is another Serving, which later calls get; a call that is held changes to it.
/// Immutable once in force, and cheap to copy.
struct Serving {
  std::shared_ptr<const Engines> engines;
  std::shared_ptr<Picture> picture;
  std::shared_ptr<const RuleSeries> rejections;  ///< Rejected nodes by predicate; null: not counted.

  /// Whether both refer to the same engines and the same picture.
  bool operator==(const Serving&) const = default;
};

}  // namespace winnow
