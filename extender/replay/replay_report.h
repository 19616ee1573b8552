// What a replay has found, in words or as JSON.
#pragma once

#include <string>

#include "extender/replay/replay.h"

namespace winnow {

/// Some lines of text.
void append_report(std::string& out, const ReplayResult& result);
/// One object, on one line.
void append_json(std::string& out, const ReplayResult& result);

}  // namespace winnow
