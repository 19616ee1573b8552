// The life of one connection: read a request, have it answered, write the response, again.
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

/// A thread's own buffers. Connections hold none of their own while nothing of a request is there, so a
/// thousand idle ones weigh nothing.
struct Scratch {
  static constexpr std::size_t kSpareBytes = 1 << 20;
  std::array<char, 64 * 1024> bytes;
  std::string spare;  ///< an emptied body, its memory warm, for the next request
};

/// What the connection needs next.
enum class Next : std::uint8_t {
  kWaitRead,   ///< call on_ready() when the descriptor can be read
  kWaitWrite,  ///< or written
  kReady,      ///< request() has arrived whole: call respond()
  kClose,      ///< destroy it
};

/// No call blocks. Used by one thread at a time; the registry sees to that.
class Connection {
 public:
  /// @param limits, tally outlive the connection.
  Connection(std::unique_ptr<Transport> transport, std::string remote, const Limits& limits, Tally& tally);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  Next on_ready(Scratch& scratch);
  /// The deadline has passed.
  Next on_deadline(Scratch& scratch);
  /// Answers request(). @param keep false closes the connection after it.
  Next respond(Response response, bool keep, Scratch& scratch);

  /// Instead of on_ready(), for a connection for which there is no room.
  Next turn_away(Scratch& scratch);

  Request& request() { return request_; }
  int fd() const { return transport_->fd(); }
  /// Nothing of a request has come, and nothing of a response is left.
  bool idle() const { return phase_ == Phase::kHead && input_.empty(); }
  /// It has brought a whole request at least once.
  bool proven() const { return proven_; }
  /// kNever while the request is with the handler.
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
  std::size_t charged_ = 0;  // our share of tally_.buffered_bytes

  std::string input_;  // an incomplete head, or what came after the current request
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
