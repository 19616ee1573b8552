#include "extender/http/connection.h"

#include <algorithm>
#include <span>
#include <utility>

namespace winnow::http {
namespace {

// The most bytes that one event reads. A fast sender must not keep the thread from other connections.
constexpr std::size_t kReadPerEvent = 1 << 20;
// The most memory that is reserved for a Content-Length alone. More is reserved when so much has arrived.
constexpr std::size_t kTrustedLength = 1 << 20;
constexpr std::size_t kReadStep = 256 * 1024;

}  // namespace

Connection::Connection(std::unique_ptr<Transport> transport, std::string remote, const Limits& limits,
                       Tally& tally)
    : transport_(std::move(transport)),
      limits_(limits),
      tally_(tally),
      deadline_(Clock::now() + limits.idle_time),
      chunks_(limits.body_bytes, limits.header_bytes) {
  request_.remote = std::move(remote);
}

Connection::~Connection() { tally_.buffered_bytes.fetch_sub(charged_, std::memory_order_relaxed); }

Next Connection::on_ready(Scratch& scratch) {
  if (phase_ == Phase::kWriting) return flush(scratch);
  if (phase_ == Phase::kLinger) return discard(scratch);
  if (phase_ == Phase::kBody && !head_.chunked) return read_body(scratch);
  return read_some(scratch);
}

Next Connection::on_deadline(Scratch& scratch) {
  if (idle()) {
    Tally::add(tally_.idle_expired);
    return Next::kClose;
  }
  if (phase_ == Phase::kHead) return refuse({408, Cause::kHeaderSlow, "the header took too long"}, scratch);
  if (phase_ == Phase::kBody) return refuse({408, Cause::kBodySlow, "the body took too long"}, scratch);
  if (phase_ == Phase::kWriting) tally_.refuse(Cause::kWriteSlow);
  return Next::kClose;
}

Next Connection::turn_away(Scratch& scratch) {
  return refuse({503, Cause::kConnections, "too many connections"}, scratch);
}

Next Connection::wait_for(Io io) {
  if (io.kind == Io::Kind::kWantRead) return Next::kWaitRead;
  if (io.kind == Io::Kind::kWantWrite) return Next::kWaitWrite;
  if (!idle()) Tally::add(tally_.client_gone);
  return Next::kClose;
}

Next Connection::read_some(Scratch& scratch) {
  for (std::size_t total = 0; total < kReadPerEvent;) {
    const Io io = transport_->read(scratch.bytes);
    if (io.kind != Io::Kind::kDone) return wait_for(io);
    total += io.bytes;
    const Next next = consume({scratch.bytes.data(), io.bytes}, scratch);
    if (next != Next::kWaitRead || phase_ == Phase::kLinger) return next;
    if (phase_ == Phase::kBody && !head_.chunked) return read_body(scratch);
    if (io.drained) break;
  }
  return Next::kWaitRead;
}

// Reads a body of known length from the socket straight into the request's string, without a copy.
Next Connection::read_body(Scratch& scratch) {
  std::string& body = request_.body;
  for (std::size_t total = 0; total < kReadPerEvent;) {
    const std::size_t had = body.size();
    const bool trusted = had >= kTrustedLength;
    body.reserve(trusted ? body_length_ : std::min(body_length_, kTrustedLength));
    const std::size_t step = std::min({body_length_ - had, kReadStep, body.capacity() - had});
    Io io;
    body.resize_and_overwrite(had + step, [&](char* data, std::size_t) {
      io = transport_->read(std::span(data + had, step));
      return had + (io.kind == Io::Kind::kDone ? io.bytes : 0);
    });
    if (io.kind != Io::Kind::kDone) return wait_for(io);
    total += io.bytes;
    if (body.size() == body_length_) return request_complete(scratch);
    if (const Next next = buffered(Next::kWaitRead, scratch);
        next != Next::kWaitRead || phase_ != Phase::kBody)
      return next;
    if (io.drained) break;
  }
  return Next::kWaitRead;
}

// Reads and drops what a refused client still sends. Closing at once would reset the connection, and the
// client could lose the answer.
Next Connection::discard(Scratch& scratch) {
  for (std::size_t total = 0; total < kReadPerEvent;) {
    const Io io = transport_->read(scratch.bytes);
    if (io.kind == Io::Kind::kClosed) return Next::kClose;
    if (io.kind != Io::Kind::kDone) return wait_for(io);
    total += io.bytes;
  }
  return Next::kWaitRead;
}

Next Connection::consume(std::string_view bytes, Scratch& scratch) {
  if (phase_ == Phase::kBody) return consume_chunks(bytes, scratch);
  std::string joined;
  if (!input_.empty()) {
    joined = std::exchange(input_, {});
    joined.append(bytes);
    bytes = joined;
    input_.clear();
  } else {
    scanner_.reset();
    deadline_ = kNever;
  }
  const auto end = scanner_.scan(bytes, limits_);
  if (!end) return refuse(end.error(), scratch);
  if (*end == 0) return await_head(joined.empty() ? std::string(bytes) : std::move(joined), scratch);
  return begin_request(bytes.substr(0, *end), bytes.substr(*end), scratch);
}

Next Connection::await_head(std::string partial, Scratch& scratch) {
  input_ = std::move(partial);
  if (deadline_ == kNever) deadline_ = Clock::now() + limits_.header_time;
  return buffered(Next::kWaitRead, scratch);
}

Next Connection::begin_request(std::string_view head, std::string_view rest, Scratch& scratch) {
  auto parsed = parse_head(head, limits_);
  if (!parsed) return refuse(parsed.error(), scratch);
  head_ = std::move(*parsed);
  head_only_ = head_.method == "HEAD";
  request_.method = head_only_ ? "GET" : std::move(head_.method);
  request_.path = std::move(head_.path);
  request_.query = std::move(head_.query);
  request_.content_type = std::move(head_.content_type);
  request_.body = std::exchange(scratch.spare, {});
  request_.body.clear();
  if (head_.content_length.value_or(0) > limits_.body_bytes) {
    return refuse({413, Cause::kBodyTooLarge, "the body is too large"}, scratch);
  }
  phase_ = Phase::kBody;
  deadline_ = kNever;
  return begin_body(rest, scratch);
}

Next Connection::begin_body(std::string_view rest, Scratch& scratch) {
  body_length_ = static_cast<std::size_t>(head_.content_length.value_or(0));
  const bool awaits_body = head_.chunked || body_length_ > 0;
  if (head_.expect_continue && awaits_body && rest.empty()) {
    // The text always fits the socket's buffer, unless the client has stopped reading. Such a client is
    // dropped.
    const std::string_view text = kContinue;
    const Io io = transport_->write(text, {});
    if (io.kind != Io::Kind::kDone || io.bytes != text.size()) return Next::kClose;
  }
  if (head_.chunked) {
    chunks_ = ChunkDecoder(limits_.body_bytes, limits_.header_bytes);
    return consume_chunks(rest, scratch);
  }
  const std::size_t take = std::min(body_length_, rest.size());
  if (body_length_ <= kTrustedLength) request_.body.reserve(body_length_);
  request_.body.append(rest.substr(0, take));
  input_ = rest.substr(take);
  if (take == body_length_) return request_complete(scratch);
  deadline_ = Clock::now() + limits_.body_time;
  return buffered(Next::kWaitRead, scratch);
}

Next Connection::consume_chunks(std::string_view bytes, Scratch& scratch) {
  const auto used = chunks_.feed(bytes, request_.body);
  if (!used) return refuse(used.error(), scratch);
  if (chunks_.done()) {
    input_ = bytes.substr(*used);
    return request_complete(scratch);
  }
  if (deadline_ == kNever) deadline_ = Clock::now() + limits_.body_time;
  return buffered(Next::kWaitRead, scratch);
}

Next Connection::request_complete(Scratch& scratch) {
  phase_ = Phase::kServing;
  deadline_ = kNever;
  proven_ = true;
  request_.arrived = Clock::now();
  return buffered(Next::kReady, scratch);
}

Next Connection::respond(Response response, bool keep, Scratch& scratch) {
  recycle_body(scratch);
  const bool stay = keep && head_.keep_alive;
  const After kept = head_.http10 ? After::kKeepAliveSaid : After::kKeepAlive;
  out_head_ = render_head(response, stay ? kept : After::kClose);
  out_body_ = has_body(response.status) && !head_only_ ? std::move(response.body) : std::string();
  out_sent_ = 0;
  close_after_ = !stay;
  linger_after_ = head_.keep_alive;
  phase_ = Phase::kWriting;
  deadline_ = kNever;
  return flush(scratch);
}

Next Connection::refuse(const Refusal& refusal, Scratch& scratch) {
  tally_.refuse(refusal.cause);
  input_ = {};
  request_.body = {};
  Response response{refusal.status, "text/plain; charset=utf-8", std::string(refusal.text) + "\n", {}};
  out_head_ = render_head(response, After::kClose);
  out_body_ = std::move(response.body);
  out_sent_ = 0;
  close_after_ = linger_after_ = true;
  phase_ = Phase::kWriting;
  deadline_ = kNever;
  return flush(scratch);
}

Next Connection::flush(Scratch& scratch) {
  const std::size_t size = out_head_.size() + out_body_.size();
  while (out_sent_ < size) {
    const auto head = std::string_view(out_head_).substr(std::min(out_sent_, out_head_.size()));
    const auto body = std::string_view(out_body_).substr(out_sent_ - (out_head_.size() - head.size()));
    const Io io = transport_->write(head, body);
    if (io.kind != Io::Kind::kDone) {
      if (deadline_ == kNever) deadline_ = Clock::now() + limits_.write_time;
      charge();
      return wait_for(io);
    }
    out_sent_ += io.bytes;
  }
  out_head_.clear();
  out_body_ = {};
  return finish_response(scratch);
}

Next Connection::finish_response(Scratch& scratch) {
  if (close_after_) {
    if (!linger_after_) return Next::kClose;
    transport_->finish_writing();
    input_ = {};
    charge();
    phase_ = Phase::kLinger;
    deadline_ = Clock::now() + limits_.linger_time;
    return Next::kWaitRead;
  }
  phase_ = Phase::kHead;
  if (!input_.empty()) {
    const std::string rest = std::exchange(input_, {});
    return consume(rest, scratch);
  }
  charge();
  deadline_ = Clock::now() + limits_.idle_time;
  return Next::kWaitRead;
}

// Enforces Limits::buffered_bytes. The connection that grows past the bound is the one that is refused.
Next Connection::buffered(Next next, Scratch& scratch) {
  const std::size_t before = charged_;
  charge();
  if (charged_ > before && tally_.buffered_bytes.load(std::memory_order_relaxed) > limits_.buffered_bytes) {
    return refuse({503, Cause::kMemory, "too much is being received at once"}, scratch);
  }
  return next;
}

void Connection::charge() {
  const std::size_t held = input_.size() + request_.body.size() + out_head_.size() + out_body_.size();
  // Unsigned arithmetic: a negative difference wraps to the same sum.
  if (held != charged_) tally_.buffered_bytes.fetch_add(held - charged_, std::memory_order_relaxed);
  charged_ = held;
}

void Connection::recycle_body(Scratch& scratch) {
  const bool worth_it = request_.body.capacity() <= Scratch::kSpareBytes;
  if (worth_it && request_.body.capacity() > scratch.spare.capacity()) scratch.spare.swap(request_.body);
  request_.body = {};
}

}  // namespace winnow::http
