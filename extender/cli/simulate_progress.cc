#include "extender/cli/simulate_progress.h"

#include <csignal>
#include <iostream>

#include "extender/cli/terminal.h"
#include "extender/explain/text.h"

namespace winnow {
namespace {

/// Shorter runs show nothing.
constexpr std::chrono::milliseconds kBetween{200};

volatile std::sig_atomic_t stopped = 0;

void stop(int signal) {
  stopped = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

SimulateProgress::SimulateProgress()
    : shows_(has_terminal_for_errors()), last_(std::chrono::steady_clock::now()) {
  stopped = 0;
  before_ = std::signal(SIGINT, stop);
}

SimulateProgress::~SimulateProgress() {
  end();
  if (before_ != SIG_ERR) std::signal(SIGINT, before_);
}

bool SimulateProgress::tell(std::size_t done, std::size_t all) {
  return tell([&] { return with_thousands(done) + " of " + with_thousands(all) + " pods"; });
}

bool SimulateProgress::tell(const std::function<std::string()>& words) {
  if (stopped) return false;
  if (!shows_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetween) return true;
  last_ = now;
  has_line_ = true;
  std::cerr << "\r\x1b[K" << words() << std::flush;
  return true;
}

void SimulateProgress::end() {
  if (has_line_) std::cerr << "\r\x1b[K" << std::flush;
  has_line_ = false;
}

}  // namespace winnow
