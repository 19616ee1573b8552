// The reload of a changed configuration.
#pragma once

#include <string>

#include "extender/cli/serve/config_in_force.h"
#include "extender/cli/serve/config_source.h"
#include "extender/run/config_switch.h"

namespace winnow {

/// Loads --config again. Errors are logged and counted, and the old rules stay in force. They also stay while
/// the new rules wait for a picture; ConfigSwitch counts the reload when the picture is complete. Used by one
/// thread. All arguments must outlive it.
class Reloader {
 public:
  /// @param in_force  the configuration that ConfigSwitch has taken (ConfigSwitch::on_rules).
  /// @param text  the file's text, read before the rules in force were loaded. A later change is loaded by
  ///   look().
  Reloader(const ConfigSource& source, ConfigSwitch& config_switch, const ConfigInForce& in_force,
           LiveMetrics& metrics, std::string text);

  /// Loads the file if its text has changed. A file that is empty or gone is ignored: it is being written.
  void look();
  /// Loads the file in any case.
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
