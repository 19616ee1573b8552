#include <sys/resource.h>

#include <exception>
#include <format>
#include <iostream>
#include <optional>
#include <string>

#include "cluster/memory_budget.h"
#include "extender/cli/commands.h"
#include "extender/cli/completion.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/cli/kubectl/kubectl_winnow.h"
#include "extender/service/log/log.h"

namespace {

/// Threads take the limit for their stacks, too.
constexpr rlim_t kLeastStack = rlim_t{1} << 20;

/// @return the error; "": the stack may become large enough.
std::string wrong_stack() {
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= kLeastStack) return "";
  return std::format("the stack may have {} KiB; expected {} KiB at least: ulimit -s {}",
                     limit.rlim_cur >> 10, kLeastStack >> 10, kLeastStack >> 10);
}

/// Not inlined: its frame, and those of what it calls, would be on the stack before that was looked at.
[[gnu::noinline]] int run(int argc, char** argv) {
  if (argc > 0 && winnow::is_kubectl_plugin(argv[0])) {
    winnow::log_init(-2);  // What fails is said once, in words for people.
    return winnow::kubectl_winnow(argc, argv);
  }
  const auto parsed = winnow::parse_flags(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  const auto& line = std::get<winnow::CommandLine>(parsed);
  winnow::log_init(line.common.verbosity, line.common.log_format);
  // The service's calls and readers have bounds of their own, and its cache must not be lost for one.
  std::optional<winnow::HeldToProcess> held;
  if (line.command != winnow::Command::kServe) held.emplace();
  switch (line.command) {
    case winnow::Command::kServe:
      return winnow::serve(line.common, line.serve);
    case winnow::Command::kExplain:
      return winnow::explain_pods(line.common, line.explain);
    case winnow::Command::kEval:
      return winnow::try_on_nodes(line.common, line.eval);
    case winnow::Command::kSimulate:
      return winnow::simulate(line.common, line.simulate);
    case winnow::Command::kCompare:
      return winnow::compare(line.common, line.compare);
    case winnow::Command::kCheck:
      return winnow::check_files(line.common, line.check);
    case winnow::Command::kConfigure:
      return winnow::configure_scheduler(line.common, line.configure);
    case winnow::Command::kDoctor:
      return winnow::examine(line.common, line.doctor);
    case winnow::Command::kWhy:
      return winnow::say_why(line.common, line.why);
    case winnow::Command::kReplay:
      return winnow::replay_recording(line.replay);
    case winnow::Command::kWithdraw:
      return winnow::withdraw(line.common.client, line.withdraw, "winnow withdraw");
    case winnow::Command::kCompletion:
      std::cout << winnow::completion_script(line.shell, "winnow");
      return winnow::kDone;
    case winnow::Command::kComplete:
      std::cout << winnow::complete_winnow(line.words);
      return winnow::kDone;
  }
  return winnow::kBadInput;
}

}  // namespace

int main(int argc, char** argv) {
  winnow::limit_heaps();
  try {
    if (const std::string wrong = wrong_stack(); !wrong.empty()) {
      winnow::stderr_line("winnow: " + wrong);
      return winnow::kBadInput;
    }
    return run(argc, argv);
  } catch (const winnow::MemoryExceeded& exceeded) {
    winnow::stderr_line("winnow: " + exceeded.text());
    return winnow::kBadInput;
  } catch (const std::exception& error) {  // Out of memory. No other exception is expected here.
    winnow::stderr_line(std::string("winnow: ") + error.what());
    return winnow::kBadInput;
  }
}
