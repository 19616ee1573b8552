// The output of SetupNotes: warnings in the log, and metrics.
#pragma once

#include "cluster/state/picture.h"
#include "extender/calls/options.h"
#include "extender/metrics/live_metrics.h"
#include "extender/setup/setup_notes.h"

namespace winnow {

/// The options that SetupNotes compares calls with.
SetupNotes::Flags setup_flags(const ExtenderOptions& options);
/// Logs the problem as a warning, if there is one.
void warn_of(SetupNotes::Noticed problem);
/// If pods may have been bound without a bind call: counts the assumed pods that were confirmed, and warns.
/// Locks the picture for reading.
void warn_of_arrivals(SetupNotes& notes, const Picture& picture);
/// Sets the series of all problems, for a scrape.
void show(const SetupNotes& notes, LiveMetrics& metrics);

}  // namespace winnow
