// Figures of this process, as the kernel has them.
#pragma once

#include <cstdint>
#include <optional>

namespace winnow {

/// Figures that cannot be read are unset.
struct ProcessFigures {
  std::optional<double> cpu_seconds;  ///< User and system, all threads.
  std::optional<double> start_time;   ///< Seconds since 1970.
  std::optional<std::uint64_t> resident_bytes;
  std::optional<std::uint64_t> virtual_bytes;
  std::optional<std::uint64_t> threads;
  std::optional<std::uint64_t> open_fds;
  std::optional<std::uint64_t> max_fds;
};

/// Reads /proc. Thread-safe.
ProcessFigures read_process();

}  // namespace winnow
