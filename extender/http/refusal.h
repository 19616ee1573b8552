// Answers that the server gives without the library: requests that it refuses, and 100 Continue.
#pragma once

#include <string>
#include <string_view>

#include "extender/http/message.h"

namespace winnow::http {

/// A request that does not reach the library. `text` is one line, and points to constant storage.
struct Refusal {
  int status;
  Cause cause;
  std::string_view text;
};

/// The whole response to a refused request. It says that the connection is closed.
std::string render(const Refusal& refusal);

/// The value of a Date header, for now.
const std::string& date_now();

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace winnow::http
