// The flags of `winnow withdraw` and `kubectl winnow withdraw`.
#pragma once

#include <chrono>
#include <string>

#include "extender/cli/flags/groups/common_flags.h"

namespace winnow {

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

}  // namespace winnow
