// CPU profiles of the running process, by gperftools' sampler, for GET /debug/pprof/profile.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <expected>
#include <string>

#include "cluster/function_ref.h"
#include "cluster/mutex.h"

namespace winnow {

/// Why there is no profile.
enum class NoProfile : std::uint8_t {
  kBusy,     ///< Another one is being taken.
  kStopped,  ///< stop() was called.
  kFailed,   ///< The sampler does not start, or what it has written cannot be read.
};

/// Takes profiles, one at a time. One lives at a time, for the sampler is the process's. Thread-safe.
class Profiler {
 public:
  static constexpr std::chrono::seconds kUsual{30}, kMost{60};

  /// Whether the program is linked with the sampler. Builds with sanitizers and the kubectl package are not.
  static bool is_built_in();

  Profiler() = default;
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Samples the whole process for this time, and blocks meanwhile. It ends early when stop() is called.
  /// @param gone  whether nobody waits for the profile any more: then it ends, too.
  /// @return the profile, in gperftools' format, which google-pprof and `go tool pprof` read.
  std::expected<std::string, NoProfile> take(std::chrono::milliseconds time, FunctionRef<bool()> gone);

  /// Ends the profile that is being taken, and refuses later ones. Returns at once.
  void stop();

 private:
  /// @return false: it is to end before its time.
  bool wait(std::chrono::milliseconds time, FunctionRef<bool()> gone);

  Mutex mutex_;
  std::condition_variable stops_;
  bool busy_ WINNOW_GUARDED_BY(mutex_) = false;
  bool stopped_ WINNOW_GUARDED_BY(mutex_) = false;
};

}  // namespace winnow
