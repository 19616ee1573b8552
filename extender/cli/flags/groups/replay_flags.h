// The flags of `winnow replay`.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace winnow {

struct ReplayFlags {
  std::string recording;  ///< A directory, or one of its files.
  std::string anonymize;  ///< The directory for a recording without names; "": it is only played.
  bool json = false;
};

void add_replay(CLI::App& app, ReplayFlags& flags);

}  // namespace winnow
