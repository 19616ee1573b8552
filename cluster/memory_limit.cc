#include "cluster/memory_limit.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace winnow {
namespace {

/// Less free memory than this stays for the next requests.
constexpr std::size_t kKept = std::size_t{32} << 20;

std::size_t assumed_limit = 0;

/// The number in the file; no limit if there is none: "max", or no such file.
std::size_t limit_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::size_t bytes = 0;
  return in >> bytes && bytes > 0 ? bytes : ~std::size_t{0};
}

}  // namespace

std::size_t memory_limit(const std::filesystem::path& cgroup) {
  const auto pages = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::min(
      {pages * page, limit_in(cgroup / "memory.max"), limit_in(cgroup / "memory" / "memory.limit_in_bytes")});
}

void assume_memory_limit(std::size_t bytes) { assumed_limit = bytes; }

std::size_t share_of_memory(std::size_t parts, std::size_t least, std::size_t most) {
  static const std::size_t limit = assumed_limit > 0 ? assumed_limit : memory_limit();
  return std::clamp(limit / parts, least, most);
}

std::size_t most_heaps(std::size_t memory, unsigned processors) {
  constexpr std::size_t kLargestHeap = std::size_t{64} << 20;
  return std::min(1 + memory / 8 / kLargestHeap, 2 * std::size_t{std::max(1u, processors)});
}

void limit_heaps() {
  const std::size_t most = most_heaps(memory_limit(), std::thread::hardware_concurrency());
  ::mallopt(M_ARENA_MAX, static_cast<int>(most));
}

void give_back_free_memory() {
  const struct mallinfo2 heap = ::mallinfo2();
  if (heap.fordblks > kKept) ::malloc_trim(kKept / 2);
}

}  // namespace winnow
