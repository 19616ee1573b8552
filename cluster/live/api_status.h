// What an API server says when it says no.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/live/transport.h"
#include "cluster/live/trouble.h"

namespace winnow::live {

/// metav1.Status, as far as a client needs it (apimachinery pkg/apis/meta/v1/types.go).
struct ApiStatus {
  struct Cause {
    std::string reason;
    std::string message;
  };
  int code = 0;
  std::string reason;  ///< "Expired", "NotFound", …
  std::string message;
  std::vector<Cause> causes;
  std::optional<int> retry_after_seconds;

  bool is_expired() const;
  /// As client-go tells it: by the cause ResourceVersionTooLarge, or by the words "Too large resource
  /// version" in a cause (1.17 to 1.18.5) or in the message (before) of a Timeout.
  bool is_too_large() const;
};

/// A Status object. Nothing where the text is none, as a proxy's page.
std::optional<ApiStatus> read_status(std::string_view json);

/// An ERROR event's object.
Failure failure_of(const ApiStatus& status);
/// An answer that is not the one asked for. The HTTP status counts where the body is no Status.
Failure failure_of(const ApiResponse& response);

/// What an operator is told of a request that was denied, in one line:
///     the API server refuses Winnow's credentials (401): no list or watch of nodes
///     the API server denies Winnow a right: 403 Forbidden: nodes is forbidden: User …
/// @param asked  what was asked for: "list or watch of nodes".  @param message  the API server's, as in
/// Failure.
std::string denial(int status, std::string_view asked, std::string_view message);

}  // namespace winnow::live
