// The table of what is answered on which path.
//
// extender/verbs has one file a verb: filter.cc, prioritize.cc, preempt.cc, bind.cc, explain.cc, rules.cc,
// probes.cc, show_metrics.cc. Each is a function that gets the VerbContext (verb_context.h), a Call and its
// Reply (call.h). What the verbs share between calls is in extender/calls.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "extender/verbs/call.h"
#include "extender/verbs/verb_context.h"

namespace winnow {

/// Answers one call. Any thread.
using VerbFunction = void(VerbContext& context, Call& call, Reply& reply);

enum class Load : std::uint8_t {
  kComputes,  ///< Takes one of the Turns; has series of its passes and nodes.
  kLight,     ///< Is short, or waits for others.
};

enum class Port : std::uint8_t {
  kMain,  ///< The port for kube-scheduler's calls alone.
  kBoth,  ///< The health port (--metrics-bind-address) too: it changes nothing, and shows no pods.
};

struct Route {
  std::string_view path;
  std::string_view method;
  std::string_view label;  ///< The label `verb` of the metrics. Several routes may share one.
  Load load;
  Port port;
  VerbFunction* answer;
};

/// All of them, in the order in which people are told of them.
std::span<const Route> routes();

}  // namespace winnow
