// A recording without the names of its cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/function_ref.h"
#include "extender/what_if/replay/replay.h"

namespace winnow {

class RecordingReader;
class Workers;

struct Anonymized {
  ReplayResult replay;  ///< Files, changes and calls; `equal` has the calls with the same choice.
  std::size_t names = 0;
  std::uint64_t changed_choices = 0;  ///< Calls whose choice is another node than the renamed one.
  std::vector<std::string> changed;   ///< The first ones, a line each.
};

/// Reads the recording twice: to collect its names, and to write it anew. Answers are made anew of what is
/// written, so a replay of the result finds no difference. See Renaming for what stays.
/// @param path  what `recording` was opened with. @param to  a directory without a recording.
/// @param go_on  asked now and then. May be null.
Anonymized anonymize(const std::string& path, RecordingReader& recording, const std::string& to,
                     Workers& workers, FunctionRef<bool(const ReplayResult&)> go_on);

/// In words, or as JSON on one line.
void append_anonymized(std::string& out, const Anonymized& result, bool json);

}  // namespace winnow
