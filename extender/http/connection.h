// The state machine of one connection: it reads a request, writes the response, and begins again.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "extender/http/chunked.h"
#include "extender/http/head.h"
#include "extender/http/message.h"
#include "extender/http/reply.h"
#include "extender/http/tally.h"
#include "extender/http/transport.h"

namespace winnow::http {

using Clock = std::chrono::steady_clock;
inline constexpr Clock::time_point kNever = Clock::time_point::max();

/// The buffers of one thread. An idle connection holds no buffer, so that thousands of them cost little.
struct Scratch {
  static constexpr std::size_t kSpareBytes = 1 << 20;
  std::array<char, 64 * 1024> bytes;
  std::string spare;  ///< an empty string that has kept its memory, for the next request's body
};

/// The next step that the caller owes a connection.
enum class Next : std::uint8_t {
  kWaitRead,   ///< call on_ready() when the descriptor can be read
  kWaitWrite,  ///< call on_ready() when the descriptor can be written
  kReady,      ///< request() has arrived whole: call respond()
  kClose,      ///< destroy the connection
};

/// One accepted connection. No call blocks. One thread at a time uses it; the registry guarantees that.
class Connection {
 public:
  /// @param limits, tally outlive the connection.
  Connection(std::unique_ptr<Transport> transport, std::string remote, const Limits& limits, Tally& tally);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Reads or writes as far as possible. Called when the descriptor is ready.
  Next on_ready(Scratch& scratch);
  /// Called when deadline() has passed: answers 408, or closes.
  Next on_deadline(Scratch& scratch);
  /// Answers request(). @param keep false: the connection is closed after the response.
  Next respond(Response response, bool keep, Scratch& scratch);

  /// Answers 503. Called instead of on_ready() for a new connection for which there is no room.
  Next turn_away(Scratch& scratch);

  Request& request() { return request_; }
  int fd() const { return transport_->fd(); }
  /// Whether no byte of a request has come, and no byte of a response is left to write.
  bool idle() const { return phase_ == Phase::kHead && input_.empty(); }
  /// Whether a whole request has come at least once.
  bool proven() const { return proven_; }
  /// The moment for on_deadline(); kNever while the handler has the request.
  Clock::time_point deadline() const { return deadline_; }

 private:
  enum class Phase : std::uint8_t { kHead, kBody, kServing, kWriting, kLinger };

  Next read_some(Scratch& scratch);
  Next read_body(Scratch& scratch);
  Next discard(Scratch& scratch);
  Next consume(std::string_view bytes, Scratch& scratch);
  Next await_head(std::string partial, Scratch& scratch);
  Next begin_request(std::string_view head, std::string_view rest, Scratch& scratch);
  Next begin_body(std::string_view rest, Scratch& scratch);
  Next consume_chunks(std::string_view bytes, Scratch& scratch);
  Next request_complete(Scratch& scratch);
  Next flush(Scratch& scratch);
  Next finish_response(Scratch& scratch);
  Next wait_for(Io io);
  Next refuse(const Refusal& refusal, Scratch& scratch);
  Next buffered(Next next, Scratch& scratch);
  void charge();
  void recycle_body(Scratch& scratch);

  std::unique_ptr<Transport> transport_;
  const Limits& limits_;
  Tally& tally_;
  Phase phase_ = Phase::kHead;
  Clock::time_point deadline_;
  std::size_t charged_ = 0;  // this connection's share of tally_.buffered_bytes

  std::string input_;  // an incomplete head, or bytes that came after the current request
  HeadScanner scanner_;
  Head head_;
  Request request_;
  std::size_t body_length_ = 0;
  ChunkDecoder chunks_;
  bool head_only_ = false;
  bool proven_ = false;

  std::string out_head_;
  std::string out_body_;
  std::size_t out_sent_ = 0;
  bool close_after_ = false;
  bool linger_after_ = false;
};

}  // namespace winnow::http
