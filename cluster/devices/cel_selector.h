// A selector of devices: a compiled CEL expression, and what it says of each device.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.2 cel/compile.go, cel/errors.go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/cel/limits.h"
#include "cluster/cel/program.h"
#include "cluster/devices/published.h"
#include "cluster/devices/slot_table.h"

namespace winnow {

/// What a selector says of a device.
struct SelectorVerdict {
  bool matches = false;
  /// In upstream's words, if the evaluation failed.
  std::string error;
  /// Whether the caller ended the evaluation; then there is no error.
  bool interrupted = false;
};

/// Any number of threads may ask it at once. It keeps its answers by device, also over changes of the
/// inventory: a device whose slice has changed has another version.
class CelSelector {
 public:
  explicit CelSelector(std::string_view expression);

  /// Upstream's "compilation failed: …"; "" if it compiled.
  const std::string& compile_error() const { return compile_error_; }

  /// Whether the device matches, if that is known already.
  std::optional<bool> known(const PublishedDevice& device) const {
    const std::uint32_t kept = kept_.get(device.slot);
    if (kept >> 2 != device.version) return std::nullopt;
    return (kept & 3) == kMatches;
  }
  /// Evaluates it. Requires that it compiled.
  SelectorVerdict evaluate(const PublishedDevice& device, std::string_view driver,
                           cel::EvaluationLimits limits) const;

 private:
  static constexpr std::uint32_t kDiffers = 1;
  static constexpr std::uint32_t kMatches = 2;

  std::optional<cel::Program> program_;
  std::string compile_error_;
  /// The version of the device and kDiffers or kMatches, by slot.
  mutable SlotTable<std::uint32_t> kept_;
};

}  // namespace winnow
