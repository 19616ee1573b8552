// The memory that this process may use.
#pragma once

#include <cstddef>
#include <filesystem>

namespace winnow {

/// The limit of the container (cgroup v2 or v1), or the machine's memory if that is smaller. In bytes, above
/// 0.
/// @param cgroup  where the cgroup file system is.
std::size_t memory_limit(const std::filesystem::path& cgroup = "/sys/fs/cgroup");

/// A bound that grows with memory_limit(): one part in `parts` of it, and between `least` and `most`.
std::size_t share_of_memory(std::size_t parts, std::size_t least, std::size_t most);

/// Gives memory that is free inside the process back to the system, if it is much. Takes milliseconds; for a
/// thread that has time.
void give_back_free_memory();

}  // namespace winnow
