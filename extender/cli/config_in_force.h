// Which configuration is in force, since when, and the copy of it that is kept for worse days.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "extender/config/rules.h"

namespace winnow {

/// Remembers what was taken last. For one thread.
class ConfigInForce {
 public:
  using Now = std::function<std::chrono::system_clock::time_point()>;

  /// @param copy  --last-good-config; "": no copy is kept.
  explicit ConfigInForce(std::string copy, Now now = std::chrono::system_clock::now)
      : copy_(std::move(copy)), now_(std::move(now)) {}

  /// Rules have come into force. Their file is copied, in one step, where there is one; a copy that cannot be
  /// written is logged, and the one before stays.
  void taken(const LoadedRules& rules);

  /// When that was, in UTC, as RFC 3339 writes it.
  std::string since() const;
  /// The beginning of the file's SHA-256, as `sha256sum` shows it; "default provider" without a file.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  const std::string copy_;
  const Now now_;
  std::chrono::system_clock::time_point since_;
  std::string fingerprint_;
};

/// What a start that failed may say of the copy: where it is, when it was taken, and its fingerprint; ""
/// where there is none.
std::string last_good_line(const std::string& copy);

}  // namespace winnow
