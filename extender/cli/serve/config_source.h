// The file of --config, read and checked; the configuration in force; and the reload of a changed one.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/config/extenders.h"
#include "extender/service/config_switch.h"
#include "extender/service/extender.h"
#include "extender/what_if/record/recorder.h"

namespace winnow {

class LiveMetrics;
struct ServeFlags;

/// The file, and the rules of a text of it. The flags must outlive it.
class ConfigSource {
 public:
  ConfigSource(const CommonFlags& common, const ServeFlags& flags) : common_(common), flags_(flags) {}

  const std::string& file() const { return common_.config; }
  /// Reads the file.
  ReadText read() const { return read_config(common_); }
  /// The file's text now; "" without a file, for standard input, or if it cannot be read.
  std::string text() const;

  /// The errors, a line each; at least one.
  using Errors = std::vector<std::string>;
  /// The rules of what read() has read, or those that --config names. With --answer=best, rules that lack a
  /// check which kube-scheduler-best.yaml leaves to Winnow are an error. With --allow-missing-rules they get
  /// warnings instead. So do rules of a live cluster that read what nobody measures.
  std::expected<LoadedRules, Errors> load(const ReadText& text) const;

 private:
  const CommonFlags& common_;
  const ServeFlags& flags_;
};

// The configuration in force: its fingerprint, its time, and the copy for --last-good-config.

/// A record of the configuration that was taken last. Used by one thread.
class ConfigInForce {
 public:
  using Now = std::function<std::chrono::system_clock::time_point()>;

  /// @param copy  --last-good-config; "": no copy is kept.
  explicit ConfigInForce(std::string copy, Now now = std::chrono::system_clock::now)
      : copy_(std::move(copy)), now_(std::move(now)) {}

  /// Notes that rules have come into force, and copies their file, if there is one, in one step. If the copy
  /// cannot be written, that is logged and the old copy stays.
  void taken(const LoadedRules& rules);

  /// The time of the last taken(), in UTC, as in RFC 3339.
  std::string since() const;
  /// The first 12 hexadecimal digits of the file's SHA-256; the name of the rules, as "1.37, default
  /// profile", without a file.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  const std::string copy_;
  const Now now_;
  std::chrono::system_clock::time_point since_;
  std::string fingerprint_;
};

/// The line about the copy for a start that has failed: its path, time and fingerprint. "" if there is no
/// copy.
std::string last_good_line(const std::string& copy);

/// Passes on what comes into force: to the copy of the configuration, the recording and the service.
class TakenConfig : public ConfigObserver {
 public:
  /// All arguments outlive this. @param recorder  null: nothing is recorded.
  TakenConfig(ConfigInForce& in_force, Recorder* recorder) : in_force_(in_force), recorder_(recorder) {}

  /// From now on the service gets each active configuration. It has the first one. @param service  outlives
  /// this.
  void serve_by(Extender& service);

  void on_rules(const LoadedRules& rules) override;
  void on_active(ActiveConfig active) override;

 private:
  ConfigInForce& in_force_;
  Recorder* const recorder_;
  Extender* service_ = nullptr;
};

// The reload of a changed configuration.

/// Loads --config again. Errors are logged and counted, and the old rules stay in force. They also stay while
/// the new rules wait for a cache; ConfigSwitch counts the reload when the cache is complete. Used by one
/// thread. All arguments must outlive it.
class Reloader {
 public:
  /// @param in_force  the configuration that ConfigSwitch has taken (ConfigSwitch::on_rules).
  /// @param text  the file's text of which the rules in force were loaded. A later change is loaded by
  /// look().
  Reloader(const ConfigSource& source, ConfigSwitch& config_switch, const ConfigInForce& in_force,
           LiveMetrics& metrics, std::string text);

  /// Loads the file if its text has changed. A file that is empty or gone is ignored: it is being written.
  void look();
  /// Loads the file in any case.
  void reload();

 private:
  void load(const ReadText& text);
  void take(LoadedRules rules);
  void refuse(const ConfigSource::Errors& errors);

  const ConfigSource& source_;
  ConfigSwitch& config_switch_;
  const ConfigInForce& in_force_;
  LiveMetrics& metrics_;
  std::string text_;
};

}  // namespace winnow
