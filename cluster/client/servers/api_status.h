// Failures that API servers report: of lists and watches, as Status objects, and why writes are denied.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/clock.h"
#include "cluster/mutex.h"

namespace winnow::live {

struct ApiResponse;
struct TransportError;

/// The reason for which a list or a watch ended.
enum class WatchError : std::uint8_t {
  kUnreachable,  ///< No connection.
  kBroken,       ///< The stream or the answer was cut.
  kTimeout,      ///< No answer in time, or a silent stream.
  kOversized,    ///< An answer larger than what is taken in.
  kExpired,      ///< 410, or an ERROR event that says so: the history is gone.
  kTooLarge,     ///< "Too large resource version": the server is behind.
  kThrottled,    ///< 429, or 5xx that says when to come again.
  kDenied,       ///< 401 or 403.
  kRefused,      ///< Any other status, or ERROR event.
  kMalformed,    ///< Not what an API server says.
  kShortWatch,   ///< Closed at once without an event.
  kOlder,        ///< Older than what is known: refused.
  kNoMemory,     ///< Memory was short: what had begun is dropped, and the objects are listed again.
};
inline constexpr std::size_t kWatchErrors = 13;
std::string_view to_string(WatchError watch_error);  ///< "unreachable", …, as a metric's label has it.

struct Failure {
  WatchError watch_error = WatchError::kRefused;
  std::string message;  ///< One line for people, nothing secret.
  int status = 0;       ///< The HTTP status that said so; 0: none did.
};

Failure failure_of(const TransportError& error);

// The Status objects with which API servers report failures.

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

// The memory of why API servers deny writes of one kind.

/// Keeps the last denial of writes of one kind, until one is let through. Thread-safe.
class Denials {
 public:
  /// The time after which a denial is too old to be reported.
  static constexpr std::chrono::seconds kReportedFor{60};

  /// @param write  what is denied, in words: "binding of pods".
  /// @param right  the words of a 403 about the right itself: `cannot create resource "pods/binding"`. Any
  ///     other 403 may be about one pod alone, as one of an admission plugin is.
  /// Both point to texts that outlive this, as does the clock.
  Denials(Clock& clock, std::string_view write, std::string_view right)
      : clock_(clock), write_(write), right_(right) {}

  void let_through() { note({}); }
  /// A final answer other than success. One that denies no right counts as let through.
  void refused(const ApiResponse& answer);

  /// The reason why all of these writes are denied, in one line (see denial()). "" if the last one was not
  /// denied, or was denied for its pod alone, or is longer ago than kReportedFor.
  std::string why() const;

 private:
  void note(std::string why);

  Clock& clock_;
  const std::string_view write_;
  const std::string_view right_;
  mutable Mutex mutex_;
  std::string why_ WINNOW_GUARDED_BY(mutex_);
  Clock::Time noted_at_ WINNOW_GUARDED_BY(mutex_){};
};

}  // namespace winnow::live
