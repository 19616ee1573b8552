#include "extender/calls/tape.h"

#include "extender/calls/picks/node_picker.h"

namespace winnow {

void recall_picks(Tape* tape, NodePicker& picker, std::string_view pod_key) {
  if (!tape) return;
  if (tape->mode == Tape::Mode::kReplays) {
    picker.repeat(pod_key, {tape->remembered.not_followed.begin(), tape->remembered.not_followed.end()});
    return;
  }
  const auto known = picker.not_followed(pod_key);
  tape->remembered.not_followed = {known.begin(), known.end()};
}

}  // namespace winnow
