// The bytes of a response.
#pragma once

#include <string>

#include "extender/http/message.h"

namespace winnow::http {

/// How a response ends: what the Connection header says.
enum class After { kKeepAlive, kKeepAliveSaid, kClose };

/// The status line and the headers with the empty line. The length told is that of `response.body`.
std::string render_head(const Response& response, After after);

/// 1xx, 204 and 304 have no body and no length.
bool has_body(int status);

inline constexpr const char* kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace winnow::http
