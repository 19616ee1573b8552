// The state that all verbs share.
#pragma once

#include <chrono>
#include <utility>

#include "extender/calls/decisions.h"
#include "extender/calls/named_victims.h"
#include "extender/calls/options.h"
#include "extender/calls/picks/node_picker.h"
#include "extender/calls/picks/promised_nodes.h"
#include "extender/calls/turns.h"
#include "extender/catch_up/holds.h"
#include "extender/metrics/metrics.h"
#include "extender/page/waiting.h"
#include "extender/protocol/node_order.h"
#include "extender/setup/sampling_warning.h"
#include "extender/setup/setup_notes.h"
#include "extender/setup/setup_warnings.h"

namespace winnow {

/// The options, and the memory between calls. Each member is thread-safe by itself. The metrics must outlive
/// it.
struct VerbContext {
  VerbContext(Serving serving, Metrics& shown, ExtenderOptions given)
      : options(std::move(given)),
        metrics(shown),
        turns(options.computing),
        decisions(std::move(serving), options),
        holds(options.catch_up, std::chrono::steady_clock::now()),
        picker(options.seed, options.drawn),
        setup(setup_flags(options)) {}

  const ExtenderOptions options;
  const std::chrono::system_clock::time_point started = std::chrono::system_clock::now();
  Metrics& metrics;
  Turns turns;
  Decisions decisions;
  Holds holds;
  NodePicker picker;
  NamedVictims named_victims;
  PromisedNodes promised_nodes;
  SamplingWarning sampling;
  SetupNotes setup;
  NodeOrder node_order;
  WaitingGroups waiting;
};

}  // namespace winnow
