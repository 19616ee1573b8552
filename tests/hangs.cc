// Ends the run when a test hangs, and names the test: one that waits for ever prints nothing.
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

// A test waits for ever if the process computes next to nothing for five minutes. On a busy machine a test
// may take longer than that; it computes then, and may do so for five minutes of processor time.
constexpr unsigned kSeconds = 300;
constexpr std::time_t kIdle = 3;

const char* volatile running = "";
std::time_t begun = 0, looked = 0;  ///< Processor time: as the test began, and at the last look.

/// In seconds. Allowed in a handler of signals, as are write() and abort().
std::time_t processor_time() {
  std::timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec;
}

void say(const char* text) { static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text))); }

void on_alarm(int) {
  const std::time_t now = processor_time();
  if (now - looked > kIdle && now - begun < std::time_t{kSeconds}) {
    looked = now;
    alarm(kSeconds);
    return;
  }
  say("\nnot ended after 300 s: ");
  say(running);
  say("\n");
  std::abort();
}

struct Hangs final : doctest::IReporter {
  explicit Hangs(const doctest::ContextOptions&) { std::signal(SIGALRM, on_alarm); }
  void test_case_start(const doctest::TestCaseData& test) override {
    running = test.m_name;
    begun = looked = processor_time();
    alarm(kSeconds);
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override { alarm(0); }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
};

REGISTER_LISTENER("hangs", 1, Hangs);

}  // namespace
