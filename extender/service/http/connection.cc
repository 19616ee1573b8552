#include "extender/service/http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cluster/function_ref.h"
#include "cluster/text/characters.h"
#include "extender/service/http/request_id.h"

namespace winnow::http {
namespace {

// The most bytes that one event reads. A fast sender must not keep the thread from other connections.
constexpr std::size_t kReadPerEvent = 1 << 20;
// The most memory that is reserved for a Content-Length alone. More is reserved when so much has arrived.
constexpr std::size_t kTrustedLength = 1 << 20;
// The most bytes of one read: where the request's end is not known yet, and where it is.
constexpr std::size_t kReadAhead = 64 * 1024;
constexpr std::size_t kReadStep = 256 * 1024;
// Input from this size on stays where it is, whatever else its buffer could hold.
constexpr std::size_t kWorthMoving = 32 * 1024;
// The rest of an answer that is long: the socket's buffer has taken as much of it as it could.
constexpr std::size_t kLongRest = 1 << 20;
// An unused rest of a buffer that is not worth a copy.
constexpr std::size_t kSmall = 1024;

// Whether the peer has closed its side. Unlike a peek it sees that behind unread bytes too.
bool is_closed_by_peer(int fd) {
  pollfd asked{fd, POLLRDHUP, 0};
  return ::poll(&asked, 1, 0) == 1 && (asked.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

// Assigning nothing to a string keeps its memory.
void free_memory(std::string& text) { std::string().swap(text); }

// What the kernel still holds for a peer that does not read goes with the connection, and not minutes later.
void drop_unsent(int fd) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

void recharge(std::atomic<std::size_t>& sum, std::size_t& charged, std::size_t held) {
  // Unsigned arithmetic: a negative difference wraps to the same sum.
  if (held != charged) sum.fetch_add(held - charged, std::memory_order_relaxed);
  charged = held;
}

}  // namespace

Connection::Connection(std::unique_ptr<Transport> transport, std::string remote, const Limits& limits,
                       Tally& tally, const Guard* guard)
    : transport_(std::move(transport)),
      remote_(std::move(remote)),
      limits_(limits),
      tally_(tally),
      guard_(guard),
      established_(transport_->established()),
      deadline_(Clock::now() + (established_ ? limits.idle_time : limits.header_time)),
      chunks_(limits.body_bytes, limits.header_bytes) {}

Connection::~Connection() {
  recharge(tally_.buffered_bytes, charged_, 0);
  recharge(tally_.stranger_bytes, charged_to_strangers_, 0);
}

Next Connection::on_ready(Scratch& scratch) {
  if (phase_ == Phase::kWriting) return flush(scratch);
  if (phase_ == Phase::kLinger) return discard(scratch);
  return receive(scratch);
}

Next Connection::on_deadline(Scratch& scratch) {
  if (idle() && established_) Tally::add(tally_.idle_expired);
  if (idle() && !established_) tally_.refuse(Cause::kHandshake);
  if (idle()) return Next::kClose;
  if (phase_ == Phase::kHead) return refuse({408, Cause::kHeaderSlow, "the header took too long"}, scratch);
  if (phase_ == Phase::kBody) return refuse({408, Cause::kBodySlow, "the body took too long"}, scratch);
  if (phase_ != Phase::kWriting) return Next::kClose;
  tally_.refuse(Cause::kWriteSlow);
  drop_unsent(fd());
  return Next::kClose;
}

Next Connection::turn_away(Scratch& scratch) {
  return refuse({503, Cause::kConnections, "too many connections"}, scratch);
}

Next Connection::wait_for(Io io) {
  if (io.kind == Io::Kind::kWantRead) return Next::kWaitRead;
  if (io.kind == Io::Kind::kWantWrite) return Next::kWaitWrite;
  if (io.kind == Io::Kind::kRefused) {
    tally_.refuse(Cause::kHandshake);
    return Next::kClose;
  }
  if (!idle()) Tally::add(tally_.client_gone);
  return Next::kClose;
}

Next Connection::receive(Scratch& scratch) {
  borrow_buffer(scratch);
  const Next next = read_on(scratch);
  give_back_buffer(scratch);
  return next;
}

Next Connection::read_on(Scratch& scratch) {
  for (std::size_t total = 0; total < kReadPerEvent || transport_->has_pending();) {
    const bool begins = idle();
    const Io io = read_more();
    if (!established_ && transport_->established()) establish();
    if (io.kind != Io::Kind::kDone) return wait_for(io);
    if (begins) deadline_ = kNever;
    total += io.bytes;
    const Next next = advance(scratch);
    if (next != Next::kWaitRead || (phase_ != Phase::kHead && phase_ != Phase::kBody)) return next;
    if (io.drained) break;
  }
  return Next::kWaitRead;
}

// The handshake is over. What follows has the deadlines of any connection.
void Connection::establish() {
  established_ = true;
  client_names_ = transport_->client_names();
  client_certificate_end_ = transport_->client_certificate_end();
  if (idle()) deadline_ = Clock::now() + limits_.idle_time;
}

// Reads from the socket straight to the place in which the library finds the bytes. Where the request's end
// is known, no byte behind it is read.
Io Connection::read_more() {
  const std::size_t had = input_.size();
  std::size_t step = kReadAhead;
  if (phase_ == Phase::kBody && !framing_.chunked) {
    const bool trusted = had - head_end_ >= kTrustedLength;
    input_.reserve(trusted ? end_ : std::min(end_, head_end_ + kTrustedLength));
    step = std::min({end_ - had, kReadStep, input_.capacity() - had});
  }
  Io io;
  input_.resize_and_overwrite(had + step, [&](char* data, std::size_t) {
    io = transport_->read(std::span(data + had, step));
    return had + (io.kind == Io::Kind::kDone ? io.bytes : 0);
  });
  return io;
}

// Reads and drops what a refused client still sends. Closing at once would reset the connection, and the
// client could lose the answer.
Next Connection::discard(Scratch& scratch) {
  for (std::size_t total = 0; total < kReadPerEvent;) {
    const Io io = transport_->read(scratch.bytes);
    if (io.kind == Io::Kind::kClosed || io.kind == Io::Kind::kRefused) return Next::kClose;
    if (io.kind != Io::Kind::kDone) return wait_for(io);
    total += io.bytes;
  }
  return Next::kWaitRead;
}

// Looks at the bytes that have come since the last time.
Next Connection::advance(Scratch& scratch) {
  if (phase_ == Phase::kHead) return advance_head(scratch);
  if (framing_.chunked) return advance_chunks(scratch);
  if (input_.size() >= end_) return request_complete(scratch);
  if (deadline_ == kNever) deadline_ = Clock::now() + limits_.body_time;
  return buffered(Next::kWaitRead, scratch);
}

Next Connection::advance_head(Scratch& scratch) {
  const std::string_view bytes = std::string_view(input_).substr(begin_);
  const auto length = scanner_.scan(bytes, limits_);
  if (!length) return refuse(length.error(), scratch);
  if (*length == 0) {
    if (deadline_ == kNever) deadline_ = Clock::now() + limits_.header_time;
    return buffered(Next::kWaitRead, scratch);
  }
  const auto framing = check_head(bytes.substr(0, *length), limits_, passed_head_);
  if (!framing) return refuse(framing.error(), scratch);
  framing_ = *framing;
  if (framing_.request_id.empty()) framing_.request_id = new_request_id();
  if (framing_.content_length.value_or(0) > limits_.body_bytes)
    return refuse({413, Cause::kBodyTooLarge, "the body is too large"}, scratch);
  head_end_ = end_ = begin_ + *length;
  is_undecided_ = false;
  if (awaits_body())
    if (const auto refused = refused_by_guard())
      return refuse({refused->status, Cause::kDenied, trim(refused->body, "\n")}, scratch);
  return begin_body(scratch);
}

// Whether a part of the body has yet to come. A chunked body's end is not known yet.
bool Connection::awaits_body() const {
  return framing_.chunked || input_.size() - head_end_ < framing_.content_length.value_or(0);
}

// Who may not call has no body read. The guard is asked again when the request is whole, and has the last
// word.
std::optional<Response> Connection::refused_by_guard() {
  if (guard_ == nullptr || !*guard_) return std::nullopt;
  Request request = request_of(passed_head_);
  request.remote = remote_;
  request.client_names = client_names_;
  request.id = framing_.request_id;
  Response response;
  const Admission admission = (*guard_)(request, response, nullptr);
  is_undecided_ = admission == Admission::kLater;
  if (admission == Admission::kRefused) return response;
  return std::nullopt;
}

Next Connection::begin_body(Scratch& scratch) {
  const auto length = static_cast<std::size_t>(framing_.content_length.value_or(0));
  const bool awaits_body = framing_.chunked || length > 0;
  if (framing_.expect_continue && awaits_body && input_.size() == head_end_) {
    // The text always fits the socket's buffer, unless the client has stopped reading. Such a client is
    // dropped.
    const Io io = transport_->write(kContinue);
    if (io.kind != Io::Kind::kDone || io.bytes != kContinue.size()) return Next::kClose;
  }
  phase_ = Phase::kBody;
  deadline_ = kNever;
  if (framing_.chunked)
    chunks_ = ChunkFraming(limits_.body_bytes, limits_.header_bytes);
  else
    end_ = head_end_ + length;
  return advance(scratch);
}

Next Connection::advance_chunks(Scratch& scratch) {
  const auto used = chunks_.feed(std::string_view(input_).substr(end_));
  if (!used) return refuse(used.error(), scratch);
  end_ += *used;
  if (chunks_.done()) return request_complete(scratch);
  if (deadline_ == kNever) deadline_ = Clock::now() + limits_.body_time;
  return buffered(Next::kWaitRead, scratch);
}

Next Connection::request_complete(Scratch& scratch) {
  phase_ = Phase::kServing;
  deadline_ = kNever;
  proven_ = true;
  arrived_ = Clock::now();
  return buffered(Next::kReady, scratch);
}

/// The connection, as the router sees it.
class Connection::Sender final : public Requester {
 public:
  Sender(Connection& connection, const Ending& ending) : connection_(connection), ending_(ending) {}

  bool is_kept() override {
    connection_.close_after_ = connection_.close_after_ || ending_.draining;
    return !connection_.close_after_;
  }
  void on_read() override { connection_.drop_request(); }
  bool send(std::string_view bytes) override { return connection_.send(bytes); }

 private:
  Connection& connection_;
  const Ending& ending_;
};

Exchange Connection::exchange(Requester& requester, const Ending& ending) {
  const std::string_view bytes = input_;
  Exchange exchange{.requester = requester,
                    .head = passed_head_,
                    .body = bytes.substr(head_end_, end_ - head_end_),
                    .request = {.remote = remote_,
                                .arrived = arrived_,
                                .client_names = client_names_,
                                .client_certificate_end = client_certificate_end_,
                                .id = framing_.request_id},
                    .http10 = framing_.http10};
  exchange.request.client_gone = [fd = fd(), &ending] { return ending.drained || is_closed_by_peer(fd); };
  return exchange;
}

Next Connection::answer(const Router& router, const Ending& ending, Scratch& scratch,
                        FunctionRef<Admit()> later) {
  close_after_ = !framing_.keep_alive;
  linger_after_ = framing_.keep_alive;
  Sender sender(*this, ending);
  Exchange one = exchange(sender, ending);
  one.decision = std::exchange(decision_, std::nullopt);
  one.later = later;
  const Outcome outcome = router.answer(one);
  if (outcome == Outcome::kLater) return Next::kDecision;
  if (outcome == Outcome::kDisagreed)
    return refuse({400, Cause::kMalformed, "the request can be read in two ways"}, scratch);
  if (outcome == Outcome::kNoMemory)
    return refuse({503, Cause::kMemory, "too little memory is left for the request"}, scratch);
  if (crowded_) tally_.refuse(Cause::kMemory);
  if (outcome == Outcome::kGone && !crowded_) Tally::add(tally_.client_gone);
  if (outcome != Outcome::kAnswered) return Next::kClose;
  drop_request();
  phase_ = Phase::kWriting;
  deadline_ = kNever;
  const Next next = flush(scratch);
  give_back_buffer(scratch);
  return next;
}

void Connection::decide(std::optional<Response> refusal) {
  decision_ = Decision{std::move(refusal)};
  arrived_ = Clock::now();
}

// Called from within the library, perhaps more than once for one answer. What the socket does not take waits,
// and counts in Limits::buffered_bytes. The connection whose answer would go past it is cut: a part is sent.
// A long rest is a slow reader's. It may fill half of the bound, so that short ones find room beside it.
bool Connection::send(std::string_view bytes) {
  while (output_.empty() && !bytes.empty()) {
    const Io io = transport_->write(bytes);
    if (io.kind == Io::Kind::kClosed || io.kind == Io::Kind::kRefused) return false;
    if (io.kind != Io::Kind::kDone) break;
    bytes.remove_prefix(io.bytes);
  }
  const std::size_t most = bytes.size() > kLongRest ? limits_.answer_bytes() : limits_.buffered_bytes;
  crowded_ = !bytes.empty() && tally_.buffered_bytes.load(std::memory_order_relaxed) + bytes.size() > most;
  if (crowded_) {
    drop_unsent(fd());
    return false;
  }
  output_.append(bytes);
  charge();
  return true;
}

Next Connection::refuse(const Refusal& refusal, Scratch& scratch) {
  tally_.refuse(refusal.cause);
  free_memory(input_);
  begin_ = head_end_ = end_ = 0;
  output_ = render(refusal, framing_.request_id);
  sent_ = 0;
  close_after_ = linger_after_ = true;
  phase_ = Phase::kWriting;
  deadline_ = kNever;
  return flush(scratch);
}

Next Connection::flush(Scratch& scratch) {
  while (sent_ < output_.size()) {
    const Io io = transport_->write(std::string_view(output_).substr(sent_));
    if (io.kind != Io::Kind::kDone) {
      if (deadline_ == kNever) deadline_ = Clock::now() + limits_.write_time;
      charge();
      return wait_for(io);
    }
    sent_ += io.bytes;
  }
  free_memory(output_);
  sent_ = 0;
  return finish_answer(scratch);
}

Next Connection::finish_answer(Scratch& scratch) {
  if (close_after_) {
    if (!linger_after_) return Next::kClose;
    transport_->finish_writing();
    free_memory(input_);
    begin_ = head_end_ = end_ = 0;
    charge();
    phase_ = Phase::kLinger;
    deadline_ = Clock::now() + limits_.linger_time;
    return Next::kWaitRead;
  }
  phase_ = Phase::kHead;
  scanner_.reset();
  framing_.request_id.clear();
  deadline_ = kNever;
  if (passed_head_.capacity() > kSmall) free_memory(passed_head_);
  if (!input_.empty()) return advance(scratch);
  // What the transport has taken from the socket already makes no event.
  if (transport_->has_pending()) return receive(scratch);
  charge();
  deadline_ = Clock::now() + limits_.idle_time;
  return Next::kWaitRead;
}

// Enforces Limits::buffered_bytes. The connection that grows past the bound is the one that is refused.
Next Connection::buffered(Next next, Scratch& scratch) {
  const std::size_t before = charged_;
  charge();
  if (charged_ > before && is_over_bound())
    return refuse({503, Cause::kMemory, "too much is being received at once"}, scratch);
  return next;
}

void Connection::charge() {
  // A complete head is not counted: it is bounded, and mostly gone with the next event.
  const std::size_t held = input_.size() - head_end_ + output_.size();
  recharge(tally_.buffered_bytes, charged_, held);
  recharge(tally_.stranger_bytes, charged_to_strangers_, is_stranger() ? held : 0);
}

// What strangers send cannot take the room of those who are known.
bool Connection::is_over_bound() const {
  if (tally_.buffered_bytes.load(std::memory_order_relaxed) > limits_.buffered_bytes) return true;
  return limits_.stranger_bytes > 0 && charged_to_strangers_ > 0 &&
         tally_.stranger_bytes.load(std::memory_order_relaxed) > limits_.stranger_bytes;
}

// Takes the thread's buffer for what is about to be read. What is held already is moved to its front.
void Connection::borrow_buffer(Scratch& scratch) {
  if (begin_ > 0) {
    input_.erase(0, begin_);
    head_end_ -= begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (input_.size() >= kWorthMoving || scratch.spare.capacity() <= input_.capacity()) return;
  scratch.spare.assign(input_);
  input_.swap(scratch.spare);
  scratch.spare.clear();
}

// Gives the buffer back, and keeps no more memory than the connection's bytes need. A waiting connection may
// have to wait long.
void Connection::give_back_buffer(Scratch& scratch) {
  if (input_.size() >= kWorthMoving || input_.capacity() <= 2 * input_.size() + kSmall) return;
  std::string held(input_);
  input_.swap(held);
  if (held.capacity() > Scratch::kSpareBytes || held.capacity() <= scratch.spare.capacity()) return;
  held.clear();
  scratch.spare = std::move(held);
}

// Forgets the current request. Bytes behind it stay, as the begin of the next.
void Connection::drop_request() {
  is_undecided_ = false;
  begin_ = end_;
  if (input_.capacity() > Scratch::kSpareBytes) {
    input_ = input_.substr(begin_);
    begin_ = 0;
  } else if (begin_ == input_.size()) {
    input_.clear();
    begin_ = 0;
  }
  head_end_ = end_ = begin_;
}

}  // namespace winnow::http
