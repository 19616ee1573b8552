#include "extender/service/log/log_queue.h"

#include <pthread.h>

#include <csignal>
#include <exception>
#include <utility>

namespace winnow {
namespace {

/// What a line takes beside its text.
constexpr std::size_t kLineBytes = 64;

std::size_t cost(const std::string& line) { return line.size() + kLineBytes; }

/// Starts a thread that no signal is delivered to: a signal is for threads that wait for it.
template <class Work>
std::thread start_without_signals(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread(std::move(work));
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

LogQueue::LogQueue(Write write, TellDropped tell_dropped, std::size_t bytes)
    : write_(std::move(write)),
      tell_dropped_(std::move(tell_dropped)),
      most_(bytes),
      thread_(start_without_signals([this] { work(); })) {}

LogQueue::~LogQueue() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
    added_.notify_one();
  }
  thread_.join();
}

void LogQueue::add(std::string line) noexcept {
  const MutexLock lock(mutex_);
  if (take(std::move(line)))
    added_.notify_one();
  else
    ++dropped_;
}

bool LogQueue::take(std::string line) noexcept {
  const std::size_t needed = cost(line);
  if (needed > most_ - bytes_) return false;
  try {
    lines_.push_back(std::move(line));
  } catch (const std::exception&) {  // Out of memory.
    return false;
  }
  bytes_ += needed;
  ++taken_;
  return true;
}

bool LogQueue::flush(std::chrono::milliseconds longest) {
  const auto deadline = std::chrono::steady_clock::now() + longest;
  const MutexLock lock(mutex_);
  const std::uint64_t wanted = taken_;
  while (done_ < wanted)
    if (!mutex_.wait_until(written_, deadline)) return done_ >= wanted;
  return true;
}

std::uint64_t LogQueue::dropped() const {
  const MutexLock lock(mutex_);
  return dropped_;
}

void LogQueue::work() {
  const MutexLock lock(mutex_);
  while (true) {
    while (lines_.empty() && !stopping_) mutex_.wait(added_);
    if (lines_.empty()) return;
    write_first();
  }
}

void LogQueue::write_first() {
  const std::string line = std::move(lines_.front());
  lines_.pop_front();
  mutex_.unlock();
  const bool written = write_(line);
  mutex_.lock();
  bytes_ -= cost(line);
  ++done_;
  if (!written) ++dropped_;
  // With room for others again: those that are still dropped would have to be told of anew at once.
  if (written && dropped_ > told_ && bytes_ <= most_ / 2) tell_dropped();
  written_.notify_all();
}

// It stands behind the lines that kept the dropped ones out, and before those that come later.
void LogQueue::tell_dropped() {
  try {
    if (take(tell_dropped_(dropped_ - told_))) told_ = dropped_;
  } catch (const std::exception&) {  // Out of memory: after the next line.
  }
}

}  // namespace winnow
