// Who may be told the names of a namespace's pods.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/service/http/message.h"

namespace winnow {

class TokenAccess;

/// Whether the sender of a request that came by a token may `get` pods, as the API servers say. Thread-safe.
class PodSight {
 public:
  using Time = std::chrono::steady_clock::time_point;
  /// Whether the sender may be told the names of the namespace's pods. Used by one thread.
  using Sees = std::function<bool(std::string_view ns)>;
  /// So many namespaces are asked about for one request. Of the others no name is told.
  static constexpr std::size_t kMostAsked = 64;

  /// @param access  outlives this.  @param anonymous  paths that no token is asked for: see token_guard().
  PodSight(TokenAccess& access, std::vector<std::string> anonymous)
      : access_(access), anonymous_(std::move(anonymous)) {}

  /// The answer waits for an API server, but not beyond the deadline. What is not known by then is "no".
  /// @return null: the sender is told all, for it has shown a certificate, or the path is open to everybody.
  Sees of(const http::Request& request, Time deadline) const;

 private:
  TokenAccess& access_;
  const std::vector<std::string> anonymous_;
};

}  // namespace winnow
