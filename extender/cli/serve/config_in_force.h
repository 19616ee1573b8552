// The configuration in force: its fingerprint, its time, and the copy for --last-good-config.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "extender/config/rules.h"

namespace winnow {

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
  /// The first 12 hexadecimal digits of the file's SHA-256; "default provider" without a file.
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

}  // namespace winnow
