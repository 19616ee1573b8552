#include "cluster/client/transport/wire.h"

#include <algorithm>
#include <cstdint>

#include "cluster/client/transport/transport.h"

namespace winnow::live {
namespace {

constexpr std::size_t kMaxHeadLine = 4096;

}  // namespace

ssize_t Wire::write(const char* bytes, std::size_t size) {
  unsent_.append(bytes, size);
  return static_cast<ssize_t>(size);
}

ssize_t Wire::read(char* into, std::size_t size) {
  if (!unsent_.empty()) send_request();
  if (!asked_) return -1;  // The library has refused to write the request.
  if (at_ == filled_ && !fill()) return fault_ == Connection::Fault::kEnd ? 0 : -1;
  const std::size_t bytes = std::min(size, filled_ - at_);
  std::copy_n(buffer_ + at_, bytes, into);
  at_ += bytes;
  if (in_head_ && !is_short_line({into, bytes})) return -1;
  return static_cast<ssize_t>(bytes);
}

void Wire::renew_by(std::chrono::milliseconds idle) {
  idle_ = idle;
  deadline_.set_until(std::chrono::steady_clock::now() + idle);
}

void Wire::send_request() {
  // The library decodes and encodes queries: "%3B" would become ";", and Go drops parameters that have one.
  unsent_.replace(0, unsent_.find("\r\n"), request_line_);
  const std::uint64_t before = connection_->bytes_sent();
  const auto written = connection_->write(unsent_, deadline_);
  unsent_.clear();
  asked_ = true;
  written_ = written.has_value();
  sent_ = connection_->bytes_sent() != before;
  // A server that refuses a request may say so and close before it has read it all.
  if (!written && written.error() != Connection::Fault::kBroken) fault_ = written.error();
}

bool Wire::fill() {
  if (fault_) return false;
  const auto got = connection_->read(buffer_, sizeof buffer_, deadline_);
  if (!got) {
    fault_ = got.error();
    return false;
  }
  heard_ = true;
  at_ = 0;
  filled_ = *got;
  if (idle_) renew_by(*idle_);
  return true;
}

// The library matches status lines by a regular expression that recurses for each character: a line of 30,000
// bytes would end the process.
bool Wire::is_short_line(std::string_view bytes) {
  for (const char byte : bytes) line_ = byte == '\n' ? 0 : line_ + 1;
  return line_ <= kMaxHeadLine;
}

}  // namespace winnow::live
