// A changed configuration.
#pragma once

#include <string>

#include "extender/cli/config_in_force.h"
#include "extender/cli/config_source.h"
#include "extender/run/config_switch.h"

namespace winnow {

/// Loads --config anew. What is wrong with it is logged and counted, and the rules before stay in force; so
/// they do as long as the new ones wait for a picture, which ConfigSwitch counts when it has come. For one
/// thread; all it is given outlives it.
class Reloader {
 public:
  /// @param in_force  what ConfigSwitch has taken (see ConfigSwitch::on_rules).
  /// @param text  the file's, read before the rules that are in force: what has changed since is loaded.
  Reloader(const ConfigSource& source, ConfigSwitch& config_switch, const ConfigInForce& in_force,
           LiveMetrics& metrics, std::string text);

  /// Loads it if the file's text has changed. A file that is empty or gone is one that is being written.
  void look();
  /// Loads it in any case.
  void reload();

 private:
  void load();
  void take(LoadedRules rules);
  void refuse(const ConfigSource::Errors& errors);

  const ConfigSource& source_;
  ConfigSwitch& config_switch_;
  const ConfigInForce& in_force_;
  LiveMetrics& metrics_;
  std::string text_;
};

}  // namespace winnow
