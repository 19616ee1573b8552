// One request and its answer over a connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string_view>

#include "cluster/transport/connection.h"
#include "cluster/transport/deadline.h"
#include "cluster/transport/transport.h"

namespace winnow::live {

/// The receiver of an answer that comes in pieces.
struct Streaming {
  const ApiTransport::OnPiece& on_piece;
  std::chrono::milliseconds idle;  ///< The deadline is renewed to this with each piece.
};

struct Exchange {
  std::expected<ApiResponse, TransportError> answer;
  bool heard = false;     ///< A byte of the answer has come.
  bool reusable = false;  ///< The connection can be used again.
};

/// Sends the request's bytes as they are (head and body) and reads the answer, which cpp-httplib parses.
/// Redirects are answers like any other.
/// @param most  the longest body in bytes, except that of a stream answered 200, which is not kept.
/// @param streaming  null: the answer is wanted whole.
Exchange exchange(Connection& connection, std::string_view request, std::size_t most,
                  const Streaming* streaming, Deadline& deadline);

}  // namespace winnow::live
