// Ends the run when a test has not ended after five minutes, and names the test: one that waits for ever
// prints nothing.
#include <doctest/doctest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace {

constexpr unsigned kSeconds = 300;
const char* volatile running = "";

/// In a handler of signals little is allowed: write() is, and abort().
void say(const char* text) { static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text))); }

void on_alarm(int) {
  say("\nnot ended after 300 s: ");
  say(running);
  say("\n");
  std::abort();
}

struct Hangs final : doctest::IReporter {
  explicit Hangs(const doctest::ContextOptions&) { std::signal(SIGALRM, on_alarm); }
  void test_case_start(const doctest::TestCaseData& test) override {
    running = test.m_name;
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
