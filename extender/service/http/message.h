// The requests, responses, limits and counters of the HTTP server, and its answers without the library.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/function_ref.h"
#include "extender/service/http/transport.h"

namespace winnow::http {

/// The paths of a server that is reached behind a prefix: `/scheduler/filter` is its `/filter`.
struct PathPrefix {
  std::string prefix;                      ///< "/scheduler"; "": none.
  std::vector<std::string> anywhere = {};  ///< Paths that are served without it, too.

  /// The path as handlers and guards know it; nothing: it is not served here.
  std::optional<std::string_view> served(std::string_view path) const;
};

/// A request that has arrived whole. The handler has it for the call, and may move the body out.
///
/// Of header fields it has those that handlers read. A further one needs a line in framing.cc (kPassed) and
/// one in router.cc. The library percent-decodes their values, but for the id's.
struct Request {
  std::string method;  ///< as sent, except that HEAD is given as GET (the server drops the body)
  /// as sent, but without the server's prefix; not percent-decoded; begins with '/' (or is "*")
  std::string path;
  std::string query;         ///< the part after '?', as sent
  std::string content_type;  ///< empty when absent; the server does not interpret it
  std::string body;          ///< chunked coding removed
  std::string remote;        ///< "127.0.0.1:1234" or "[::1]:1234"
  /// The time at which the last byte was read. After that the request waits for a handler slot.
  std::chrono::steady_clock::time_point arrived;
  std::string host;            ///< the value of Host; empty when absent, as HTTP/1.0 allows
  std::string origin;          ///< the value of Origin; empty when absent
  std::string sec_fetch_site;  ///< the value of Sec-Fetch-Site; empty when absent
  /// The value of Authorization, a secret. Empty when absent, when there is more than one, and when it has a
  /// percent sign, which the library would decode.
  std::string authorization;
  ClientNames client_names = {};               ///< of a certificate that was verified
  CertificateEnd client_certificate_end = {};  ///< when that certificate expires
  bool outside = false;  ///< the server has a prefix, and the path does not begin with it
  std::string id = {};   ///< X-Request-ID, as sent or made (request_id.h); the answer has it, too
  /// Whether the answer is of no use any more: the client has closed its side, or the drain of
  /// Server::stop() is over. One system call. Any thread may call it, but only during the handler's call.
  std::function<bool()> client_gone = [] { return false; };
};

/// A response of the handler. The server adds Content-Length, Date and Connection.
struct Response {
  int status = 200;
  std::string content_type = "application/json";  ///< left out when empty
  std::string body;
  /// Further header fields. A field with a character that headers must not have is left out.
  std::vector<std::pair<std::string, std::string>> headers;
  /// Called when the connection has sent what its socket took of the answer, or the client has gone; not
  /// where memory has run out. On the handler's thread, whose slot waits for it: it must end soon. An
  /// exception is counted as the handler's. Null: nothing is left to do.
  std::function<void()> afterwards = nullptr;
};

/// Takes the prefix off the request's path, or marks the request as one outside of it.
void enter(Request& request, const PathPrefix& prefix);

/// An answer of one line of text. @param line  without its line end.
Response line_response(int status, std::string line);

/// Answers a request. Runs on a server thread, up to Limits::workers at once. It must not throw: an
/// exception is counted, and answered with an empty 500. It must end, because stop() waits for it; one that
/// may take long asks Request::client_gone now and then.
using Handler = std::function<void(Request&, Response&)>;

/// What a guard says of a request.
enum class Admission : std::uint8_t {
  kPass,     ///< It goes on to its handler.
  kRefused,  ///< The response is the guard's.
  kLater,    ///< The guard has taken an Admit, and will call it.
};

/// Decides on a request that waits: it goes on to its handler, or the refusal is its answer. Called once, by
/// any thread, at any time: also before the guard has returned, and after the server has ended. Until then
/// the connection waits, without a thread, a slot or a deadline of its own.
using Admit = std::function<void(std::optional<Response> refusal)>;

/// Decides whether a request goes on to its handler. Called before each handler, on its thread; it must not
/// block. A request that was admitted later is not asked about again.
///
/// It is called before that too, when a head has come whose body has not: who is refused has no body read.
/// @param later  gives the request's Admit. Called by a guard that says kLater, once. Null while the body has
/// not come: a guard that would decide later says so, and does nothing else.
using Guard = std::function<Admission(const Request&, Response&, FunctionRef<Admit()> later)>;

/// How much of Limits::handler_bytes the requests of a route may take. An allocation past it throws
/// MemoryExceeded (cluster/memory_budget.h).
enum class Share : std::uint8_t {
  kHalf,  ///< They and all others of this kind: so that something is left for those that matter more.
  kAll,
};

/// The bounds of the server. They hold whatever clients do: a byte now and then extends no deadline.
struct Limits {
  std::size_t header_bytes = 16 * 1024;  ///< request line, headers and the empty line
  std::size_t header_fields = 64;
  std::size_t body_bytes = 128UL << 20;
  std::size_t buffered_bytes = 512UL << 20;  ///< requests and unsent responses of all connections together
  /// What all handlers together take while they run, with bodies and responses. See Share.
  std::size_t handler_bytes = 2048UL << 20;
  /// Of these, those of strangers: connections without a client certificate, where these are asked for, and
  /// requests on which the guard decides later. 0: nobody is one.
  std::size_t stranger_bytes = 0;
  bool asks_certificates = false;
  std::size_t connections = 4096;
  std::size_t workers = 2;                      ///< handlers of Cost::kSlot that may run at once
  std::size_t readers = 1;                      ///< handlers of Cost::kRead that may run at once
  std::chrono::milliseconds header_time{5000};  ///< from a head's first byte to its last; for a handshake
  std::chrono::milliseconds body_time{10000};   ///< from the head's last byte to the body's
  std::chrono::milliseconds write_time{10000};  ///< for the whole response
  std::chrono::milliseconds idle_time{120000};  ///< without a request; Go's clients close earlier, after 90 s
  std::chrono::milliseconds linger_time{1000};  ///< after a refusal, so that the client can read it

  /// The most bytes of one answer. What a client has not read yet of its answer may take so much.
  std::size_t answer_bytes() const { return buffered_bytes / 2; }

  /// These, with bounds on memory that follow from the memory limit (cluster/memory_budget.h).
  static Limits of_memory();
};

/// The reason for which the server refused a request or gave up a connection.
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
  kHandshake,  ///< The TLS handshake failed, or took too long.
  kDenied,     ///< The guard refused the request.
};
inline constexpr std::size_t kCauses = 11;

/// The cause's text in a metric's label: "header_slow".
std::string_view to_string(Cause cause);

/// The server's counters at one moment. `open`, `idle` and `buffered_bytes` are gauges.
struct Counters {
  std::uint64_t accepted = 0;  ///< connections accepted
  std::uint64_t open = 0;      ///< connections open
  std::uint64_t idle = 0;      ///< connections between requests
  std::uint64_t buffered_bytes = 0;
  std::uint64_t requests = 0;  ///< requests handed to the handler
  std::uint64_t handler_threw = 0;
  std::uint64_t idle_expired = 0;                ///< closed after idle_time
  std::uint64_t evicted = 0;                     ///< closed to make room for new connections
  std::uint64_t client_gone = 0;                 ///< closed by the client during a request or its response
  std::array<std::uint64_t, kCauses> refused{};  ///< by Cause
};

// Answers that the server gives without the library: requests that it refuses, and 100 Continue.

/// A request that does not reach the library. `text` is one line, and points to constant storage.
struct Refusal {
  int status;
  Cause cause;
  std::string_view text;
};

/// The whole response to a refused request. It says that the connection is closed.
/// @param request_id  "": its head was not read.
std::string render(const Refusal& refusal, std::string_view request_id = {});

/// The value of a Date header, for now.
const std::string& date_now();

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// The counters that all connections of one server share.

/// Any thread writes. No other data depends on the numbers, so relaxed memory order is enough.
struct Tally {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> handler_threw{0};
  std::atomic<std::uint64_t> idle_expired{0};
  std::atomic<std::uint64_t> evicted{0};
  std::atomic<std::uint64_t> client_gone{0};
  std::array<std::atomic<std::uint64_t>, kCauses> refused{};
  std::atomic<std::size_t> buffered_bytes{0};  ///< held by connections for requests and unsent responses
  std::atomic<std::size_t> stranger_bytes{0};  ///< those of them that are strangers'; see Limits

  static void add(std::atomic<std::uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }
  void refuse(Cause cause) { add(refused[static_cast<std::size_t>(cause)]); }
};

}  // namespace winnow::http
