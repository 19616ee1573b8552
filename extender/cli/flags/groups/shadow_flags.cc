#include "extender/cli/flags/groups/shadow_flags.h"

#include <CLI/CLI.hpp>

#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {
namespace {

void add_rarer_shadow(CLI::App& app, ShadowFlags& flags) {
  add_list(&app, "--shadow-schedulers", flags.schedulers, "A,B",
           "schedulerNames of the pods [those of --config's profiles]");
}

}  // namespace

void add_shadow(CLI::App& serve, ShadowFlags& flags) {
  CLI::Option* const shadow = serve.add_flag("--shadow", flags.shadow,
                                             "Decide beside kube-scheduler, and compare; see --help-shadow");
  const std::vector<CLI::Option*> own =
      add_with_own_help(serve, flags, add_rarer_shadow,
                        {"--help-shadow", "Decide beside a kube-scheduler, answer nobody, and compare",
                         "winnow serve --shadow"});
  for (CLI::Option* option : own) option->needs(shadow);
}

std::string wrong_shadow_flags(const ShadowFlags& flags, bool live, bool nominate, bool binds) {
  if (!flags.shadow) return {};
  if (!live) return "--shadow needs a live cluster, and --cluster is not one";
  if (nominate) return "--shadow writes nothing: it does not go with --nominate";
  if (binds) return "--shadow writes nothing: it does not go with --enable-bind";
  return {};
}

}  // namespace winnow
