// Whether the cache may be decided on.
#pragma once

#include <string>

namespace winnow {

/// Asked before each decision that no call asks for. Thread-safe.
class CacheStatus {
 public:
  virtual ~CacheStatus() = default;
  /// Why the cache may not be used now, in one line; "" if it may.
  virtual std::string unusable() const = 0;
};

}  // namespace winnow
