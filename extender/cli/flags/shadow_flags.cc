#include "extender/cli/flags/shadow_flags.h"

#include <CLI/CLI.hpp>

#include "extender/cli/flags/flag_kinds.h"

namespace winnow {

void add_shadow(CLI::App& serve, ShadowFlags& flags) {
  CLI::Option* const shadow =
      serve.add_flag("--shadow", flags.shadow, "Decide beside a kube-scheduler, answer nobody, and compare");
  add_list(&serve, "--shadow-schedulers", flags.schedulers, "A,B",
           "Of pods with these schedulerNames [those of --config]")
      ->needs(shadow);
}

std::string wrong_shadow_flags(const ShadowFlags& flags, bool live, bool nominate, bool binds) {
  if (!flags.shadow) return {};
  if (!live) return "--shadow needs a live cluster, and --cluster is not one";
  if (nominate) return "--shadow writes nothing: it does not go with --nominate";
  if (binds) return "--shadow writes nothing: it does not go with --enable-bind";
  return {};
}

}  // namespace winnow
