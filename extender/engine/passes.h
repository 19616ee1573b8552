// The passes of a request, and the time that each took.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace winnow {

enum class Pass : std::uint8_t { kDecode, kBind, kMap, kReduce, kSelect, kEncode, kHold };
inline constexpr std::size_t kPasses = 7;

constexpr std::string_view to_string(Pass pass) {
  constexpr std::array<std::string_view, kPasses> kNames = {"decode", "bind",   "map", "reduce",
                                                            "select", "encode", "hold"};
  return kNames[static_cast<std::size_t>(pass)];
}

/// A stopwatch with a total for each pass, in seconds. The total of a pass that was not run is negative. One
/// thread at a time uses it.
class PassTimes {
 public:
  PassTimes() { seconds_.fill(-1); }

  /// Adds the time since the last call, or since construction, to this pass.
  void lap(Pass pass) {
    const auto now = std::chrono::steady_clock::now();
    double& total = seconds_[static_cast<std::size_t>(pass)];
    total = (total < 0 ? 0 : total) + std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  const std::array<double, kPasses>& seconds() const { return seconds_; }

 private:
  std::array<double, kPasses> seconds_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace winnow
