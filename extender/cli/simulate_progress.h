// Progress of a long simulation or replay on the terminal, and its end by Ctrl-C.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <functional>
#include <string>

namespace winnow {

/// The exit code of a run that Ctrl-C has ended, as shells give it.
inline constexpr int kInterrupted = 128 + SIGINT;

/// While it lives, the first Ctrl-C asks the run to end, and the second ends the process. Writes to
/// standard error, if that is a terminal. There is one at a time; used by one thread.
class SimulateProgress {
 public:
  SimulateProgress();
  ~SimulateProgress();
  SimulateProgress(const SimulateProgress&) = delete;
  SimulateProgress& operator=(const SimulateProgress&) = delete;

  /// Shows how far it is, now and then. @return whether to go on.
  bool tell(std::size_t done, std::size_t all);
  /// The same in other words, which are asked for when they are shown.
  bool tell(const std::function<std::string()>& words);
  /// Wipes the line.
  void end();

 private:
  const bool shows_;
  bool has_line_ = false;
  std::chrono::steady_clock::time_point last_;
  void (*before_)(int);
};

}  // namespace winnow
