// winnow replay: plays a recording, and says where an answer is another now.
#include <algorithm>
#include <format>
#include <iostream>
#include <thread>

#include "extender/cli/commands.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/simulate_inputs.h"
#include "extender/engine/workers.h"
#include "extender/explain/explanation_text.h"
#include "extender/service/log/log.h"
#include "extender/what_if/replay/anonymize.h"
#include "extender/what_if/replay/recording_reader.h"
#include "extender/what_if/replay/replay.h"

namespace winnow {
namespace {

int replay_fails(const std::string& line) {
  stderr_line("winnow replay: " + line);
  return kBadInput;
}

std::string how_far(const ReplayResult& so_far, const RecordingReader& recording) {
  return std::format("file {} of {}, {} changes, {} calls", so_far.files, recording.file_count(),
                     with_thousands(so_far.changes), with_thousands(so_far.calls));
}

unsigned helper_threads() { return std::max(1u, std::thread::hardware_concurrency()) - 1; }

int end(const ReplayResult& result, bool is_good) {
  std::cout.flush();
  if (!std::cout) return replay_fails("standard output cannot be written");
  stderr_lines("note: ", result.notes);
  if (!result.error.empty()) return replay_fails(result.error);
  if (result.stopped) return kInterrupted;
  return is_good ? kDone : kAnswerIsNo;
}

int play(RecordingReader& recording, Workers& workers, const ReplayFlags& flags) {
  ReplayResult result;
  {
    SimulateProgress progress;
    const auto go_on = [&](const ReplayResult& so_far) {
      return progress.tell([&] { return how_far(so_far, recording); });
    };
    result = replay(recording, workers, {.go_on = go_on});
  }
  // Where nothing could be read there is nothing to tell but the error.
  if (result.error.empty() || result.calls > 0 || result.changes > 0) {
    std::string out;
    if (flags.json)
      append_json(out, result);
    else
      append_report(out, result);
    std::cout << out << (flags.json ? "\n" : "");
  }
  return end(result, result.different == 0);
}

int make_anonymous(RecordingReader& recording, Workers& workers, const ReplayFlags& flags) {
  Anonymized result;
  {
    SimulateProgress progress;
    result = anonymize(flags.recording, recording, flags.anonymize, workers, [&](const ReplayResult& so_far) {
      return progress.tell([&] { return how_far(so_far, recording); });
    });
  }
  if (result.replay.error.empty() || result.replay.calls > 0) {
    std::string out;
    append_anonymized(out, result, flags.json);
    std::cout << out;
  }
  return end(result.replay, result.changed_choices == 0);
}

}  // namespace

int replay_recording(const ReplayFlags& flags) {
  log_init(-2);  // What calls would log has been logged before.
  auto recording = RecordingReader::open(flags.recording);
  if (!recording) return replay_fails(recording.error());
  Workers workers(helper_threads());
  return flags.anonymize.empty() ? play(*recording, workers, flags)
                                 : make_anonymous(*recording, workers, flags);
}

}  // namespace winnow
