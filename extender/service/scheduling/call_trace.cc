#include "extender/service/scheduling/call_trace.h"

#include "extender/service/scheduling/pick_history.h"

namespace winnow {

void recall_picks(CallTrace* trace, NodePicker& picker, std::string_view pod_key) {
  if (!trace) return;
  if (trace->mode == CallTrace::Mode::kReplays) {
    picker.repeat(pod_key, {trace->remembered.not_followed.begin(), trace->remembered.not_followed.end()});
    return;
  }
  const auto known = picker.not_followed(pod_key);
  trace->remembered.not_followed = {known.begin(), known.end()};
}

}  // namespace winnow
