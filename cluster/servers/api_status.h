// The Status objects with which API servers report failures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/servers/watch_error.h"
#include "cluster/transport/transport.h"

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

  bool is_expired() const;
  /// Recognized as by client-go: the cause ResourceVersionTooLarge, or the words "Too large resource version"
  /// in a Timeout, within a cause (servers of 1.17 to 1.18.5) or in the message (older servers).
  bool is_too_large() const;
};

/// Parses a Status object. Nothing if the text is something else, such as a proxy's page.
std::optional<ApiStatus> read_status(std::string_view json);

/// The failure that an ERROR event's object reports.
Failure failure_of(const ApiStatus& status);
/// The failure that an answer reports. If the body is no Status, the HTTP status counts.
Failure failure_of(const ApiResponse& response);

/// The line for the operator about a request that was denied:
///     the API server refuses Winnow's credentials (401): no list or watch of nodes
///     the API server denies Winnow a right: 403 Forbidden: nodes is forbidden: User …
/// @param asked  the request in words: "list or watch of nodes".
/// @param message  the API server's, as in Failure.
std::string denial(int status, std::string_view asked, std::string_view message);
/// Whether the line has what denial() writes.
bool tells_of_denial(std::string_view line);

}  // namespace winnow::live
