// A changed configuration.
#pragma once

#include <string>

#include "extender/cli/flags.h"
#include "extender/live/worlds.h"

namespace winnow {

/// Loads --config anew. What is wrong with it is logged and counted, and the rules before stay in force; so
/// they do as long as the new ones wait for a picture, which Worlds counts when it has come. For one thread;
/// all it is given outlives it.
class Reloader {
 public:
  /// The file's text; "" where there is no file to look at.
  static std::string text_of(const CommonFlags& common);
  /// @param text  the file's, read before the rules that are in force: what has changed since is loaded.
  Reloader(const CommonFlags& common, Worlds& worlds, LiveMetrics& metrics, std::string text);

  /// Loads it if the file's text has changed. A file that is empty or gone is one that is being written.
  void look();
  /// Loads it in any case.
  void reload();

 private:
  void load();

  const CommonFlags& common_;
  Worlds& worlds_;
  LiveMetrics& metrics_;
  std::string text_;
};

}  // namespace winnow
