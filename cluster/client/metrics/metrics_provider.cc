#include "cluster/client/metrics/metrics_provider.h"

#include <utility>

#include "cluster/client/servers/api_status.h"

namespace winnow::live {

std::string_view to_string(PollResult result) {
  switch (result) {
    case PollResult::kGood:
      return "good";
    case PollResult::kPartly:
      return "partly";
    case PollResult::kDenied:
      return "denied";
    case PollResult::kMissing:
      return "missing";
    case PollResult::kFailed:
      break;
  }
  return "failed";
}

Polled failed_poll(const Failure& failure) {
  Polled polled;
  polled.result = failure.watch_error == WatchError::kDenied ? PollResult::kDenied
                  : failure.status == 404                    ? PollResult::kMissing
                                                             : PollResult::kFailed;
  polled.error = failure.message;
  while (polled.error.ends_with(' ')) polled.error.pop_back();  // A line's end, of a text that is no Status.
  return polled;
}

}  // namespace winnow::live
