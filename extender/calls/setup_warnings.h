// Tells people what SetupNotes notices: in the log, and in the metrics.
#pragma once

#include "cluster/state/picture.h"
#include "extender/calls/options.h"
#include "extender/calls/setup_notes.h"
#include "extender/metrics/live_metrics.h"

namespace winnow {

/// What SetupNotes must know of the options.
SetupNotes::Flags setup_flags(const ExtenderOptions& options);
/// Logs a problem that was noticed now, if one was.
void warn_of(SetupNotes::Noticed problem);
/// Where pods may have been bound without a call: looks how many have gone where Winnow said.
void warn_of_arrivals(SetupNotes& notes, const Picture& picture);
/// For a scrape.
void show(const SetupNotes& notes, LiveMetrics& metrics);

}  // namespace winnow
