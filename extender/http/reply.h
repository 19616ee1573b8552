// The head of a response, as bytes.
#pragma once

#include <string>

#include "extender/http/message.h"

namespace winnow::http {

/// The fate of the connection after a response. kKeepAliveSaid writes "Connection: keep-alive", which
/// HTTP/1.0 clients need; kKeepAlive writes no Connection header.
enum class After { kKeepAlive, kKeepAliveSaid, kClose };

/// The status line, the headers and the empty line. Content-Length is the size of `response.body`.
std::string render_head(const Response& response, After after);

/// Whether a response with this status has a body: 1xx, 204 and 304 have no body and no Content-Length.
bool has_body(int status);

inline constexpr const char* kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace winnow::http
