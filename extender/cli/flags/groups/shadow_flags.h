// The flags of `winnow serve --shadow`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace winnow {

struct ShadowFlags {
  bool shadow = false;
  std::vector<std::string> schedulers;  ///< schedulerNames of the pods; empty: those of --config's profiles.
};

/// Adds the flags to `winnow serve`. In its help only --shadow shows; --help-shadow shows the other.
void add_shadow(CLI::App& serve, ShadowFlags& flags);

/// The error for flags that contradict each other; "": none. @param live  of a live cluster.
/// @param nominate, binds  Winnow is to write.
std::string wrong_shadow_flags(const ShadowFlags& flags, bool live, bool nominate, bool binds);

}  // namespace winnow
