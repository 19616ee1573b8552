// The command `winnow serve`, run by a test.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <thread>

#include "extender/cli/commands.h"
#include "extender/cli/flags/flags.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test {

using http::test::eventually;

/// A port that stays free until it is used. Others that ask for any port get none below 32768, and other
/// processes that run these tests begin elsewhere.
inline std::uint16_t free_port() {
  static unsigned next = static_cast<unsigned>(getpid()) * 64;
  for (;;) {
    http::Server finder({}, http::test::describe);
    const auto port = finder.listen("127.0.0.1", static_cast<std::uint16_t>(11'000 + next++ % 20'000));
    if (port) return *port;
  }
}

/// serve() in a thread, which alone its signals are for.
class ServeInThread {
 public:
  /// Over the sample cluster.
  explicit ServeInThread(const ServeFlags& flags = {}, const std::string& config = "")
      : ServeInThread(flags,
                      CommonFlags{.cluster = {std::string(WINNOW_ROOT) + "/manifests/sample-cluster.json"},
                                  .config = config}) {}
  ServeInThread(ServeFlags flags, const CommonFlags& common) : port_(free_port()) {
    flags.port = port_;
    thread_ = std::jthread([this, flags, common] { code_ = serve(common, flags); });
    const bool ready = eventually([this] { return get("/readyz").status == 200; });
    if (!ready) signal(SIGTERM);  // Nobody destroys this: the thread would be waited for.
    REQUIRE(ready);
  }
  ~ServeInThread() {
    if (thread_.joinable()) signal(SIGTERM);
  }
  void signal(int number) { pthread_kill(thread_.native_handle(), number); }
  /// @return its exit code.
  int wait() {
    thread_.join();
    return code_;
  }
  Answer get(std::string_view path) const { return Client(port_).ask(request_text("GET", path)); }
  Answer post(std::string_view path, std::string_view body) const {
    return Client(port_).ask(request_text("POST", path, body));
  }
  std::uint16_t port() const { return port_; }
  Client client() const { return Client(port_); }

 private:
  std::uint16_t port_ = 0;
  int code_ = -1;
  std::jthread thread_;
};

}  // namespace winnow::test
