#include "cluster/client/access/command_output.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "tests/cluster/client/access/environment.h"
#include "tests/cluster/client/access/scripts.h"

namespace winnow::live::test {
namespace {

using namespace std::chrono_literals;

/// What the script prints within these limits.
std::expected<std::string, std::string> output_of_script(const std::string& body,
                                                         std::chrono::milliseconds limit = 5min) {
  const TempFolder folder;
  return output_of({.program = write_script(folder, "script", body),
                    .arguments = {"name", "one", "two words", ""},
                    .environment = {"PATH=/usr/bin:/bin", "A=b c"},
                    .max_bytes = 1000,
                    .limit = limit});
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

}  // namespace

TEST_SUITE("live: the output of a command") {
  TEST_CASE("it is all that the command prints, until it ends") {
    CHECK(output_of_script("printf a; printf b >/dev/null; printf 'c\\n'").value() == "ac\n");
    CHECK(output_of_script("printf %s \"$#,$1,$2,$3,$A\"").value() == "3,one,two words,,b c");
    CHECK(output_of_script("exec printf '%1000s' x").value().size() == 1000);
    CHECK(output_of_script("exec cat").value().empty());
    CHECK_FALSE(has_children());
  }

  TEST_CASE("what fails says how, and leaves no process behind") {
    struct Row {
      const char* sentence;
      const char* body;
      std::chrono::milliseconds limit;
      const char* error;
    };
    const Row rows[] = {
        {"an exit code", "echo x; exit 3", 5min, "ended with exit code 3"},
        {"a signal", "kill -9 $$", 5min, "was ended by signal 9"},
        {"a byte too many", "printf '%1001s' x", 5min, "has printed more than 1000 bytes"},
        {"output without an end", "while :; do echo x; done", 5min, "has printed more than 1000 bytes"},
        {"no end", "exec sleep 1000", 20ms, "has not ended after 0.02 s"},
        {"no end after the output's", "exec sleep 1000 >/dev/null", 20ms, "has not ended after 0.02 s"},
        {"no time at all", "echo x", 0ms, "has not ended after 0 s"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK(output_of_script(row.body, row.limit).error_or("") == row.error);
      CHECK_FALSE(has_children());
    }
    CHECK(output_of({.program = "/no/such", .arguments = {"x"}}).error_or("") ==
          "cannot be run: No such file or directory");
    const TempFolder folder;
    CHECK(output_of({.program = folder.write("text", ""), .arguments = {"x"}}).error_or("") ==
          "cannot be run: Permission denied");
  }

  TEST_CASE("what a killed command has started ends with it") {
    const TempFolder folder;
    const std::string fifo = folder.path("fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
    const int end = ::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    REQUIRE(end >= 0);
    for (const std::string wait : {"wait", "exit 0"}) {
      CAPTURE(wait);
      // The process holds the pipe open before the command prints too much.
      const std::string body =
          "exec 3>" + fifo + "\n(sleep 1000; :) >/dev/null &\nexec 3>&-\nprintf '%1001s' x\n" + wait;
      CHECK(output_of_script(body).error_or("") == "has printed more than 1000 bytes");
      pollfd closed{.fd = end, .events = POLLIN, .revents = 0};
      CHECK(::poll(&closed, 1, -1) == 1);  // Hangs as long as a process has it open.
      char byte = 0;
      CHECK(::read(end, &byte, 1) == 0);
      CHECK_FALSE(has_children());
    }
    ::close(end);
  }

  TEST_CASE("the command inherits no open file, and signals do what they always do") {
    const int open = ::open("/dev/null", O_RDONLY);
    REQUIRE(open > STDERR_FILENO);
    CHECK(output_of_script("[ -e /proc/$$/fd/" + std::to_string(open) + " ] || printf closed").value() ==
          "closed");
    ::close(open);
    const auto before = ::signal(SIGPIPE, SIG_IGN);
    CHECK(output_of_script("kill -PIPE $$").error_or("") == "was ended by signal 13");
    ::signal(SIGPIPE, before);
  }

  TEST_CASE("where SIGCHLD is ignored the output tells alone") {
    const auto before = ::signal(SIGCHLD, SIG_IGN);
    CHECK(output_of_script("printf x").value_or("") == "x");
    ::signal(SIGCHLD, before);
  }

  TEST_CASE("a command is a path, or a name in the absolute folders of PATH") {
    const TempFolder folder, other;
    const std::string script = write_script(folder, "script", "");
    other.write("script", "not to be run");
    folder.write("text", "");
    const Variable path("PATH", ("relative:" + other.path() + "::" + folder.path()).c_str());
    CHECK(program_file("script") == script);
    CHECK(program_file(script) == script);
    CHECK(program_file(".").empty());
    CHECK(program_file("text").empty());
    CHECK(program_file(folder.path("text")).empty());
    CHECK(program_file(folder.path()).empty());
    CHECK(program_file(folder.path("none")).empty());
    const Variable none("PATH", nullptr);
    CHECK(program_file("script").empty());
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    const Variable dot("PATH", ".:");
    CHECK(program_file("script").empty());
    std::filesystem::current_path(here);
  }
}

}  // namespace winnow::live::test
