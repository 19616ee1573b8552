// The flags of `winnow why` and `winnow withdraw`, and flags with their values, for people (/flagz).
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "extender/cli/flags/common_flags.h"

namespace winnow {

struct WhyFlags {
  std::string pod;           ///< See parse_pod_name().
  bool now = false;          ///< --now: how things stand, in place of what was decided.
  ServerFlags server;        ///< The Winnow that is asked.
  std::uint32_t limit = 10;  ///< The decisions that are shown, the newest.
  bool json = false;
  std::optional<int> width;  ///< Of lines; 0: no limit, and nodes have their whole names.
};

void add_why(CLI::App& app, WhyFlags& flags, CommonFlags& common);

/// The error for flags of why that contradict each other, or lack one another; "": none.
std::string wrong_why_flags(const CommonFlags& common, const WhyFlags& flags);

// The flags of `winnow withdraw` and `kubectl winnow withdraw`.

struct WithdrawFlags {
  std::string gate;                   ///< --nominate-gate: a scheduling gate that is removed too; "": none.
  bool dry_run = false;               ///< --dry-run: nothing is written.
  bool force = false;                 ///< --force: also while a Winnow nominates.
  std::chrono::milliseconds wait{0};  ///< --wait: how long nominators may take to end.
  std::string lease_name = "winnow-nominator";  ///< --leader-elect-resource-name
  std::string lease_namespace;                  ///< --leader-elect-resource-namespace; "": as serve finds it.
  bool json = false;
};

/// Adds `winnow withdraw`.
void add_withdraw(CLI::App& app, WithdrawFlags& flags, CommonFlags& common);
/// Adds what `kubectl winnow withdraw` has of these, but for the form of the answer.
void add_withdraw_choices(CLI::App* app, WithdrawFlags& flags);
/// What is wrong with the flags, in one line; "": nothing.
std::string wrong_withdraw_flags(const WithdrawFlags& flags);

// The flags of a command with their values, for people: /flagz.

/// Each flag of a command that was parsed, without its dashes, and its value. One that was not given has the
/// default that the end of its help tells in brackets, which may be words: "random". Without such it is
/// empty; a switch is "false".
std::map<std::string, std::string> shown_flags(const CLI::App& command);

}  // namespace winnow
