#include "extender/service/profiler.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __has_include(<gperftools/profiler.h>)
#include <gperftools/profiler.h>
// A program that is linked without the library has null for these. See CMakeLists.txt.
#pragma weak ProfilerStart
#pragma weak ProfilerStop
#define WINNOW_START_SAMPLER ProfilerStart
#define WINNOW_STOP_SAMPLER ProfilerStop
#else
#define WINNOW_START_SAMPLER nullptr
#define WINNOW_STOP_SAMPLER nullptr
#endif

#include <algorithm>
#include <cstddef>
#include <optional>

namespace winnow {
namespace {

int (*const start_sampler)(const char*) = WINNOW_START_SAMPLER;
void (*const stop_sampler)() = WINNOW_STOP_SAMPLER;

/// How often it is asked whether anybody still waits.
constexpr std::chrono::milliseconds kLook{200};

/// A file in memory: the container's file system is read-only.
class MemoryFile {
 public:
  MemoryFile() : fd_(::memfd_create("profile", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// A path that opens it again.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  /// All of it; nothing: it cannot be read, or is empty.
  std::optional<std::string> read() const {
    struct stat status{};
    if (::fstat(fd_, &status) != 0 || status.st_size <= 0) return std::nullopt;
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    for (std::size_t at = 0; at < text.size();) {
      const auto got = ::pread(fd_, text.data() + at, text.size() - at, static_cast<off_t>(at));
      if (got <= 0) return std::nullopt;
      at += static_cast<std::size_t>(got);
    }
    return text;
  }

 private:
  int fd_;
};

}  // namespace

bool Profiler::is_built_in() { return start_sampler != nullptr && stop_sampler != nullptr; }

std::expected<std::string, NoProfile> Profiler::take(std::chrono::milliseconds time,
                                                     FunctionRef<bool()> gone) {
  if (!is_built_in()) return std::unexpected(NoProfile::kFailed);
  {
    const MutexLock lock(mutex_);
    if (stopped_) return std::unexpected(NoProfile::kStopped);
    if (busy_) return std::unexpected(NoProfile::kBusy);
    busy_ = true;
  }
  const MemoryFile file;
  const bool started = start_sampler(file.path().c_str()) != 0;
  const bool whole = started && wait(time, gone);
  if (started) stop_sampler();  // It has written all when it returns.
  {
    const MutexLock lock(mutex_);
    busy_ = false;
  }
  if (started && !whole) return std::unexpected(NoProfile::kStopped);
  auto profile = started ? file.read() : std::nullopt;
  return profile ? std::expected<std::string, NoProfile>(*std::move(profile))
                 : std::unexpected(NoProfile::kFailed);
}

bool Profiler::wait(std::chrono::milliseconds time, FunctionRef<bool()> gone) {
  const auto end = std::chrono::steady_clock::now() + time;
  for (auto now = end - time; now < end; now = std::chrono::steady_clock::now()) {
    if (gone()) return false;
    const MutexLock lock(mutex_);
    if (stopped_) return false;
    mutex_.wait_until(stops_, std::min(end, now + kLook));
  }
  return true;
}

void Profiler::stop() {
  const MutexLock lock(mutex_);
  stopped_ = true;
  stops_.notify_all();
}

}  // namespace winnow
