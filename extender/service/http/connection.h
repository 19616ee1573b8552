// The state machine of one connection: it reads a request, writes the response, and begins again.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/function_ref.h"
#include "extender/service/http/framing.h"
#include "extender/service/http/message.h"
#include "extender/service/http/router.h"
#include "extender/service/http/transport.h"

namespace winnow::http {

using Clock = std::chrono::steady_clock;
inline constexpr Clock::time_point kNever = Clock::time_point::max();

/// The buffers of one thread. An idle connection holds no buffer, so that thousands of them cost little.
struct Scratch {
  static constexpr std::size_t kSpareBytes = 1 << 20;
  std::array<char, 16 * 1024> bytes;  ///< for input that is dropped
  std::string spare;                  ///< an empty string that has kept its memory, for a connection's input
};

/// How far the server's end has come. It goes from one to the next, and never back.
struct Ending {
  std::atomic<bool> draining{false};  ///< answers close their connections
  std::atomic<bool> drained{false};   ///< Request::client_gone says so to handlers
};

/// The next step that the caller owes a connection.
enum class Next : std::uint8_t {
  kWaitRead,   ///< call on_ready() when the descriptor can be read
  kWaitWrite,  ///< call on_ready() when the descriptor can be written
  kReady,      ///< a request has arrived whole: call answer()
  kDecision,   ///< the guard decides later: call decide() then, and answer()
  kClose,      ///< destroy the connection
};

/// One accepted connection. No call blocks. One thread at a time uses it; the registry guarantees that.
class Connection {
 public:
  /// @param limits, tally, guard  outlive the connection.  @param guard  null: nobody is refused for his
  /// name.
  Connection(std::unique_ptr<Transport> transport, std::string remote, const Limits& limits, Tally& tally,
             const Guard* guard = nullptr);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Reads or writes as far as possible. Called when the descriptor is ready.
  Next on_ready(Scratch& scratch);
  /// Called when deadline() has passed: answers 408, or closes.
  Next on_deadline(Scratch& scratch);
  /// Answers the request that has arrived, and sends as much of the answer as the socket takes.
  /// @param later  gives the guard the Admit of this request.
  Next answer(const Router& router, const Ending& ending, Scratch& scratch,
              FunctionRef<Admit()> later = nullptr);
  /// Tells what was decided, after kDecision. The request counts as arrived now.
  void decide(std::optional<Response> refusal);

  /// Answers 503. Called instead of on_ready() for a new connection for which there is no room.
  Next turn_away(Scratch& scratch);

  /// The request line and what follows it, while a request is ready. Valid until answer().
  std::string_view ready() const { return std::string_view(input_).substr(begin_); }
  int fd() const { return transport_->fd(); }
  /// Whether no byte of a request has come, and no byte of a response is left to write.
  bool idle() const { return phase_ == Phase::kHead && input_.empty(); }
  /// Whether a whole request has come at least once.
  bool proven() const { return proven_; }
  /// The moment for on_deadline(); kNever while the handler has the request.
  Clock::time_point deadline() const { return deadline_; }

 private:
  class Sender;

  enum class Phase : std::uint8_t { kHead, kBody, kServing, kWriting, kLinger };

  Next receive(Scratch& scratch);
  Next read_on(Scratch& scratch);
  Io read_more();
  void establish();
  Next discard(Scratch& scratch);
  Next advance(Scratch& scratch);
  Next advance_head(Scratch& scratch);
  Next advance_chunks(Scratch& scratch);
  Next begin_body(Scratch& scratch);
  bool awaits_body() const;
  std::optional<Response> refused_by_guard();
  Next request_complete(Scratch& scratch);
  Exchange exchange(Requester& requester, const Ending& ending);
  bool send(std::string_view bytes);
  Next flush(Scratch& scratch);
  Next finish_answer(Scratch& scratch);
  Next wait_for(Io io);
  Next refuse(const Refusal& refusal, Scratch& scratch);
  Next buffered(Next next, Scratch& scratch);
  void charge();
  bool is_stranger() const { return is_undecided_ || (limits_.asks_certificates && !client_names_); }
  bool is_over_bound() const;
  void borrow_buffer(Scratch& scratch);
  void give_back_buffer(Scratch& scratch);
  void drop_request();

  std::unique_ptr<Transport> transport_;
  const std::string remote_;
  const Limits& limits_;
  Tally& tally_;
  const Guard* const guard_;
  Phase phase_ = Phase::kHead;
  bool established_;
  ClientNames client_names_;
  CertificateEnd client_certificate_end_;
  Clock::time_point deadline_;
  std::size_t charged_ = 0;               // this connection's share of tally_.buffered_bytes
  std::size_t charged_to_strangers_ = 0;  // and of tally_.stranger_bytes
  bool is_undecided_ = false;             // the guard decides on the current request when its body has come
  bool proven_ = false;

  // The bytes of the current request, as sent, and those that came after it. Offsets are in input_.
  std::string input_;
  std::size_t begin_ = 0;     // of the request's first byte
  std::size_t head_end_ = 0;  // of the body's first byte; begin_ while the head is not complete
  std::size_t end_ = 0;       // of the first byte after the request, as far as that is known
  HeadScanner scanner_;
  std::string passed_head_;
  Framing framing_;
  ChunkFraming chunks_;
  Clock::time_point arrived_;
  std::optional<Decision> decision_;  // on the request that has waited for its guard

  std::string output_;    // what the socket has not taken yet
  std::size_t sent_ = 0;  // of output_
  bool crowded_ = false;  // it could not be kept
  bool close_after_ = false;
  bool linger_after_ = false;
};

}  // namespace winnow::http
