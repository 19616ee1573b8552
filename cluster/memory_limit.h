// The memory that this process may use.
#pragma once

#include <cstddef>
#include <filesystem>

namespace winnow {

/// The limit of the container (cgroup v2 or v1), or the machine's memory if that is smaller. In bytes, above
/// 0.
/// @param cgroup  where the cgroup file system is.
std::size_t memory_limit(const std::filesystem::path& cgroup = "/sys/fs/cgroup");

/// Has this be the memory limit, for tests of what follows from one. To be called before any bound is asked
/// for.
void assume_memory_limit(std::size_t bytes);

/// A bound that grows with memory_limit(): one part in `parts` of it, and between `least` and `most`.
std::size_t share_of_memory(std::size_t parts, std::size_t least, std::size_t most);

/// The most heaps of the allocator (glibc's arenas) that suit so much memory and so many processors. Up to
/// 64 MiB that are free in each heap but the first are not given back; those may be an eighth of the memory.
std::size_t most_heaps(std::size_t memory, unsigned processors);
/// Sets that limit for this process. To be called before the first thread begins.
void limit_heaps();

/// Gives memory that is free inside the process back to the system, if it is much. Takes milliseconds; for a
/// thread that has time.
void give_back_free_memory();

}  // namespace winnow
