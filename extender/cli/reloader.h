// A changed configuration.
#pragma once

#include <string>

#include "extender/cli/flags.h"
#include "extender/live/worlds.h"

namespace winnow {

/// Loads --config anew. What is wrong with it is logged and counted, and the rules before stay in force. For
/// one thread; all it is given outlives it.
class Reloader {
 public:
  Reloader(const CommonFlags& common, Worlds& worlds, LiveMetrics& metrics);

  /// Loads it if the file's text has changed. A file that is empty or gone is one that is being written.
  void look();
  void reload();

 private:
  std::string read() const;

  const CommonFlags& common_;
  Worlds& worlds_;
  LiveMetrics& metrics_;
  std::string text_;
};

}  // namespace winnow
