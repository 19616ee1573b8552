// The recording of a service, as its flags want it.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "extender/cli/flags/flags.h"
#include "extender/record/recorder.h"

namespace winnow {

/// Null without --record. @param live  whether the picture is a live cluster's. @return an error of one line.
std::expected<std::unique_ptr<Recorder>, std::string> open_recorder(const CommonFlags& common,
                                                                    const ServeFlags& flags, bool live);

/// The nodes that failed, in the answer's list that the flags or their default want.
FailedNodes failed_nodes_of(const ServeFlags& flags, bool live);

}  // namespace winnow
