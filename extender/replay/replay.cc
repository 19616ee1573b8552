#include "extender/replay/replay.h"

#include <format>
#include <optional>
#include <utility>

#include "extender/replay/difference.h"
#include "extender/replay/player.h"

namespace winnow {
namespace {

constexpr std::size_t kMostLines = 5;

void count(ReplayResult& result, PlayedCall& call, const RecordingReader& recording, std::size_t most) {
  ++result.calls;
  if (!call.at.empty()) {
    if (result.first.empty()) result.first = call.at;
    result.last = call.at;
  }
  if (!call.why_not.empty()) {
    ++result.not_compared[call.why_not];
    return;
  }
  if (!call.differs()) {
    ++result.equal;
    return;
  }
  if (++result.different > most) return;
  DifferentAnswer one{.call = call.number,
                      .file = recording.file_name(),
                      .line = recording.line_number(),
                      .path = std::move(call.path),
                      .at = std::move(call.at),
                      .pod = std::move(call.pod),
                      .lines = find_differences(call.recorded.body, call.now->body, kMostLines)};
  if (call.recorded.status != call.now->status)
    one.lines.insert(one.lines.begin(),
                     std::format("status: {}, now {}", call.recorded.status, call.now->status));
  result.differences.push_back(std::move(one));
}

}  // namespace

ReplayResult replay(RecordingReader& recording, Workers& workers, const ReplayOptions& options) {
  ReplayResult result;
  Player player(workers);
  std::optional<std::size_t> file;
  for (;;) {
    const auto line = recording.next();
    if (!line) {
      result.error = line.error();
      break;
    }
    if (!*line) break;
    if (file != recording.file_index()) {  // The head has been read.
      file = recording.file_index();
      ++result.files;
      player.begin_file(recording.head());
      if (result.version.empty()) {
        result.version = recording.head().version;
        result.revision = recording.head().revision;
      }
      continue;
    }
    auto played = player.play(**line);
    if (!played) {
      result.error = std::format("{}: {}", recording.where(), played.error());
      break;
    }
    if (*played) count(result, **played, recording, options.most_differences);
    result.changes = player.changes();
    if (options.go_on && !options.go_on(result)) {
      result.stopped = true;
      break;
    }
  }
  result.notes = recording.notes();
  return result;
}

}  // namespace winnow
