#include "cluster/live/retry_after.h"

#include <algorithm>

namespace winnow::live {
namespace {

bool asks_to_wait(const RetryAfter::Answer& answer) {
  return answer && answer->retry_after && (answer->status == 429 || answer->status / 100 == 5);
}

}  // namespace

RetryAfter::Answer RetryAfter::ask(const std::function<Answer()>& send, const std::stop_token& stop) const {
  Answer answer = send();
  for (int retry = 0; retry < kRetries && asks_to_wait(answer); ++retry) {
    on_wait_(*answer);
    if (!clock_.sleep(std::clamp(*answer->retry_after, kShortest, kLongest), stop))
      return std::unexpected(TransportError{TransportError::Kind::kStopped, "stopped"});
    answer = send();
  }
  return answer;
}

}  // namespace winnow::live
