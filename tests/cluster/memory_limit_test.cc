#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "cluster/memory_budget.h"

namespace winnow {
namespace {

/// A directory that looks like a cgroup file system.
class FakeCgroup {
 public:
  FakeCgroup() { std::filesystem::create_directories(path / "memory"); }
  ~FakeCgroup() { std::filesystem::remove_all(path); }
  FakeCgroup(const FakeCgroup&) = delete;
  FakeCgroup& operator=(const FakeCgroup&) = delete;

  void write(const char* file, const char* text) const { std::ofstream(path / file) << text; }

  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("winnow_cgroup_" + std::to_string(::getpid()));
};

}  // namespace

TEST_CASE("free memory that the allocator keeps is an eighth of the limit at most") {
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  CHECK(most_heaps(128 * kMebi, 8) == 1);
  CHECK(most_heaps(512 * kMebi, 8) == 2);
  CHECK(most_heaps(1024 * kMebi, 2) == 3);
  CHECK(most_heaps(65536 * kMebi, 2) == 4);
  CHECK(most_heaps(65536 * kMebi, 0) == 2);
}

TEST_CASE("the memory limit is the container's, or the machine's") {
  const FakeCgroup cgroup;
  const std::size_t machine = memory_limit(cgroup.path);
  CHECK(machine > 1 << 20);
  cgroup.write("memory.max", "max\n");
  CHECK(memory_limit(cgroup.path) == machine);
  cgroup.write("memory.max", "1048576\n");
  CHECK(memory_limit(cgroup.path) == 1 << 20);
  cgroup.write("memory/memory.limit_in_bytes", "524288\n");
  CHECK(memory_limit(cgroup.path) == 1 << 19);
  cgroup.write("memory/memory.limit_in_bytes", "9223372036854771712\n");  // cgroup v1 without a limit
  CHECK(memory_limit(cgroup.path) == 1 << 20);
}

TEST_CASE("a share of the memory has two ends") {
  CHECK(share_of_memory(1, 10, 20) == 20);
  CHECK(share_of_memory(~std::size_t{0}, 10, 20) == 10);
}

}  // namespace winnow
