// The part of the server that is cpp-httplib: it parses a whole request, finds its route, decodes its body,
// and writes the answer.
//
// httplib::Server's own listener is not used: it would keep a thread for each connection, for as long as a
// client takes. Its process_request() is called for each request, over bytes in memory. What it is not asked
// to do, such as ranges, compression, forms, files and WebSockets, is taken out of its sight first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "cluster/function_ref.h"
#include "extender/service/http/message.h"

namespace winnow::http {

/// What was decided on a request that has waited for its guard.
struct Decision {
  std::optional<Response> refusal;  ///< Absent: it goes on to its handler.
};

/// Who has sent the request of an exchange.
class Requester {
 public:
  virtual ~Requester() = default;
  /// Whether the connection is kept after the answer. Asked once, when the handler is done.
  virtual bool is_kept() = 0;
  /// The library has read the request to its end: head and body are not used any more.
  virtual void on_read() = 0;
  /// Sends bytes of the answer, or keeps them for later. @return false: the client is gone.
  virtual bool send(std::string_view bytes) = 0;
};

/// One request on its way through the library.
struct Exchange {
  Requester& requester;
  std::string_view head;  ///< as check_head() passed it on
  std::string_view body;  ///< as sent, with chunked coding
  Request request;        ///< the caller sets remote, arrived and client_gone, and the router the rest
  bool http10 = false;
  /// Set where the guard was asked before and said kLater: what has been decided since.
  std::optional<Decision> decision;
  /// Gives the request's Admit to the guard.
  FunctionRef<Admit()> later = nullptr;
};

/// What became of an exchange.
enum class Outcome : std::uint8_t {
  kAnswered,
  kGone,       ///< send() has said that the client is gone
  kLater,      ///< the guard decides later: nothing has been sent, and head and body are still needed
  kDisagreed,  ///< the library did not read exactly head and body; nothing has been sent
  kNoMemory,   ///< out of memory; nothing has been sent
  kFailed,     ///< out of memory; an answer may have been sent in part
};

/// The routes of a server, and the library. answer() is thread-safe once the routes are there. The library
/// has the whole process ignore SIGPIPE.
class Router {
 public:
  /// @param otherwise answers what no route takes, by path or by method.
  /// @param limits its body_bytes and handler_bytes.
  /// @param tally outlives the router.
  Router(Handler otherwise, const Limits& limits, Tally& tally);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// @param method "GET", which takes HEAD too, or "POST".
  /// @param path compared as sent, without percent-decoding; begins with '/'.
  void add(std::string_view method, std::string_view path, Handler handler, Share share = Share::kHalf);

  /// Sets the prefix behind which the routes are. Called before answer().
  void set_prefix(PathPrefix prefix);

  /// Sets who is asked before each handler. Called before answer().
  void set_guard(Guard guard);

  /// Answers one request. The calling thread runs the handler. All that it allocates meanwhile is charged,
  /// from the copy of the body to that of the answer.
  Outcome answer(Exchange& exchange) const;

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace winnow::http
