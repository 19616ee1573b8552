// The flags of `winnow why`.
#pragma once

#include <cstdint>
#include <string>

#include "extender/cli/flags/groups/common_flags.h"

namespace winnow {

struct WhyFlags {
  std::string pod;           ///< "namespace/name", or a name in "default".
  ServerFlags server;        ///< The Winnow that is asked.
  std::uint32_t limit = 10;  ///< The decisions that are shown, the newest.
  bool json = false;
};

void add_why(CLI::App& app, WhyFlags& flags);

}  // namespace winnow
