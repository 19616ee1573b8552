// What passes between the HTTP server and its handler, and the limits and counters of the server.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow::http {

/// One request that has arrived whole. The handler owns it for the call and may move the body out.
struct Request {
  std::string method;        ///< as sent, except that HEAD is given as GET (the server drops the body)
  std::string path;          ///< as sent, not percent-decoded; begins with '/' (or is "*")
  std::string query;         ///< what follows '?', as sent
  std::string content_type;  ///< as sent, empty when absent; the body is never parsed by it
  std::string body;          ///< chunked coding removed
  std::string remote;        ///< "127.0.0.1:1234" or "[::1]:1234"; not to be moved from
  /// When its last byte was read: what has passed since then it spent waiting for a worker.
  std::chrono::steady_clock::time_point arrived;
};

/// The answer. Content-Length, Date and Connection are the server's to write.
struct Response {
  int status = 200;
  std::string content_type = "application/json";  ///< left out when empty
  std::string body;
  /// Further header lines; one that holds a character which a header may not is left out.
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Runs on a server thread, up to Limits::workers at once. It must not throw: a throw is answered with an
/// empty 500 and counted. It must end: stop() waits for it.
using Handler = std::function<void(Request&, Response&)>;

/// Bounds that hold whatever a client does. All times are absolute: a byte now and then extends none.
struct Limits {
  std::size_t header_bytes = 16 * 1024;  ///< request line, headers and the empty line
  std::size_t header_fields = 64;
  std::size_t body_bytes = 128UL << 20;
  std::size_t buffered_bytes = 512UL << 20;  ///< requests and unsent responses, over all connections
  std::size_t connections = 4096;
  std::size_t workers = 2;                      ///< handlers that may run at once
  std::chrono::milliseconds header_time{5000};  ///< from a head's first byte to its last
  std::chrono::milliseconds body_time{10000};   ///< from the head's last byte to the body's
  std::chrono::milliseconds write_time{10000};  ///< for the whole response
  std::chrono::milliseconds idle_time{120000};  ///< between requests; Go's clients give up first, at 90 s
  std::chrono::milliseconds linger_time{1000};  ///< after a refusal, for the client to read it
};

/// Why the server did not let a request through, or gave up a connection.
enum class Cause : std::uint8_t {
  kMalformed,
  kUnsupported,
  kHeaderTooLarge,
  kHeaderSlow,
  kBodyTooLarge,
  kBodySlow,
  kConnections,
  kMemory,
  kWriteSlow,
};
inline constexpr std::size_t kCauses = 9;

/// A cause as a metric's label has it: "header_slow".
std::string_view to_string(Cause cause);

/// A snapshot. All but `open`, `idle` and `buffered_bytes` only grow.
struct Counters {
  std::uint64_t accepted = 0;  ///< connections
  std::uint64_t open = 0;
  std::uint64_t idle = 0;
  std::uint64_t buffered_bytes = 0;
  std::uint64_t requests = 0;  ///< handed to the handler
  std::uint64_t handler_threw = 0;
  std::uint64_t idle_expired = 0;                ///< closed after idle_time
  std::uint64_t evicted = 0;                     ///< closed to make room for another
  std::uint64_t client_gone = 0;                 ///< closed by the client within a request or its response
  std::array<std::uint64_t, kCauses> refused{};  ///< by Cause
};

}  // namespace winnow::http
