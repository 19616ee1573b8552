#include "cluster/client/access/command_output.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <format>
#include <optional>
#include <ranges>
#include <string_view>
#include <thread>
#include <utility>

namespace winnow::live {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// The two ends of a pipe, which no other command inherits.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) ends_ = {-1, -1};
  }
  ~Pipe() {
    for (const int end : ends_)
      if (end >= 0) ::close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  bool good() const { return ends_[0] >= 0; }
  int out() const { return ends_[0]; }
  int in() const { return ends_[1]; }
  /// Without this the reader would never see the end.
  void close_in() { ::close(std::exchange(ends_[1], -1)); }

 private:
  std::array<int, 2> ends_{};
};

/// A process. Its destructor leaves none behind, and no zombie. With a group of its own it is killed with all
/// processes of the group, among them what it has started.
class Child {
 public:
  Child(pid_t pid, bool has_group) : pid_(pid), has_group_(has_group) {}
  ~Child() {
    if (ended_) return;
    // Until it is waited for, no other process or group can have its number.
    ::kill(has_group_ ? -pid_ : pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    // As the first process of a container we inherit what it has left, too.
    while (has_group_ && (::waitpid(-pid_, nullptr, 0) > 0 || errno == EINTR)) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Waits for the end. @return the status of waitpid(); nothing if the time is over.
  std::optional<int> wait(SteadyTime until) {
    constexpr std::chrono::milliseconds kPause{2};
    for (;; std::this_thread::sleep_for(kPause)) {
      int status = 0;
      const pid_t got = ::waitpid(pid_, &status, WNOHANG);
      // Where our own parent has us ignore SIGCHLD there is no status: then the output alone tells.
      ended_ = got == pid_ || (got < 0 && errno == ECHILD);
      if (ended_) return status;
      if (std::chrono::steady_clock::now() >= until) return std::nullopt;
    }
  }

 private:
  const pid_t pid_;
  const bool has_group_;
  bool ended_ = false;
};

/// What posix_spawn() does in the new process before the command.
class SpawnPlan {
 public:
  /// A command that takes input stays in our group: at a terminal no other one may read.
  SpawnPlan(int out, bool takes_input) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    if (!takes_input) ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    // A service ignores SIGPIPE, and threads of it block signals. The command would inherit both.
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&attributes_, &signals);
    ::sigaddset(&signals, SIGPIPE);
    ::posix_spawnattr_setsigdefault(&attributes_, &signals);
    const int group = takes_input ? 0 : POSIX_SPAWN_SETPGROUP;  // One of its own, named after it.
    ::posix_spawnattr_setflags(&attributes_,
                               static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  }
  ~SpawnPlan() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  std::expected<pid_t, std::string> spawn(const Command& command) const {
    pid_t pid = -1;
    const int error =
        ::posix_spawn(&pid, command.program.c_str(), &actions_, &attributes_,
                      pointers_to(command.arguments).data(), pointers_to(command.environment).data());
    if (error == 0) return pid;
    return std::unexpected(std::format("cannot be run: {}", std::strerror(error)));
  }

 private:
  /// As posix_spawn() wants them. It does not write to them.
  static std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// Waits until there is something to read, or the end. @return false: the time is over.
bool wait_for_output(int fd, SteadyTime until) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
    // A minute at a time, so that the count fits. A signal ends the wait, and another one begins.
    if (::poll(&one, 1, static_cast<int>(std::min<long long>(left.count(), 60'000))) > 0) return true;
  }
}

std::unexpected<std::string> too_slow(const Command& command) {
  return std::unexpected(
      std::format("has not ended after {} s", std::chrono::duration<double>(command.limit).count()));
}

std::expected<std::string, std::string> read_output(int fd, const Command& command, SteadyTime until) {
  std::string output;
  std::array<char, 4096> piece{};
  while (wait_for_output(fd, until)) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got == 0) return output;
    if (got < 0 && errno != EINTR)
      return std::unexpected(std::format("cannot be read: {}", std::strerror(errno)));
    output.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (output.size() > command.max_bytes)
      return std::unexpected(std::format("has printed more than {} bytes", command.max_bytes));
  }
  return too_slow(command);
}

bool can_be_run(const std::string& file) {
  struct stat about{};
  return ::stat(file.c_str(), &about) == 0 && !S_ISDIR(about.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace

std::expected<std::string, std::string> output_of(const Command& command) {
  const SteadyTime until = std::chrono::steady_clock::now() + command.limit;
  Pipe pipe;
  if (!pipe.good()) return std::unexpected(std::format("cannot be run: {}", std::strerror(errno)));
  const auto pid = SpawnPlan(pipe.in(), command.takes_input).spawn(command);
  if (!pid) return std::unexpected(pid.error());
  Child child(*pid, !command.takes_input);
  pipe.close_in();
  auto output = read_output(pipe.out(), command, until);
  if (!output) return output;
  const auto status = child.wait(until);
  if (!status) return too_slow(command);
  if (WIFSIGNALED(*status)) return std::unexpected(std::format("was ended by signal {}", WTERMSIG(*status)));
  if (WEXITSTATUS(*status) != 0)
    return std::unexpected(std::format("ended with exit code {}", WEXITSTATUS(*status)));
  return output;
}

std::string program_file(const std::string& command) {
  if (command.contains('/')) return can_be_run(command) ? command : "";
  const char* const path = std::getenv("PATH");
  for (const auto part : std::views::split(std::string_view(path == nullptr ? "" : path), ':')) {
    const std::string_view folder(part.begin(), part.end());
    // Go refuses what it finds in a relative folder too: anyone may have put it there.
    if (!folder.starts_with('/')) continue;
    if (std::string file = std::format("{}/{}", folder, command); can_be_run(file)) return file;
  }
  return "";
}

}  // namespace winnow::live
