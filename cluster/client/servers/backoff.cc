#include "cluster/client/servers/backoff.h"

#include <algorithm>

#include "cluster/client/servers/api_status.h"
#include "cluster/client/transport/transport.h"
#include "cluster/function_ref.h"

namespace winnow::live {

Clock::Duration Backoff::next(Clock::Time now) {
  if (until_ != Clock::Time::min() && now - until_ > kReset) base_ = kFirst;
  const auto jitter = std::chrono::milliseconds(
      static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(base_.count())));
  const auto wait = base_ + jitter;
  base_ = std::min(base_ * 2, kCap);
  until_ = now + wait;
  return wait;
}

namespace {

bool asks_to_wait(const RetryAfter::Answer& answer) {
  if (!answer || !answer->retry_after || (answer->status != 429 && answer->status / 100 != 5)) return false;
  // "Too large resource version" also has "Retry-After: 1" (apiserver's
  // endpoints/handlers/responsewriters/errors.go). The server has waited for its cache before that answer.
  const auto status = read_status(answer->body);
  return !status || !status->is_too_large();
}

}  // namespace

RetryAfter::Answer RetryAfter::ask(FunctionRef<Answer()> send, const std::stop_token& stop) const {
  Answer answer = send();
  const int retries = servers_() > 1 ? kRetriesOfSeveral : kRetries;
  for (int retry = 0; retry < retries && asks_to_wait(answer); ++retry) {
    on_wait_(*answer);
    if (!clock_.sleep(std::clamp(*answer->retry_after, kShortest, kLongest), stop))
      return std::unexpected(TransportError{TransportError::Kind::kStopped, "stopped"});
    answer = send();
  }
  return answer;
}

}  // namespace winnow::live
