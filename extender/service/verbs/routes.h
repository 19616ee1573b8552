// The table of routes: path and method to verb.
//
// extender/service/verbs has a file for each verb of kube-scheduler: filter.cc, prioritize.cc, preempt.cc,
// bind.cc. explain.cc and page.cc serve people. zpages.cc has rules, probes, metrics and so on. A verb is a
// function that gets the VerbContext, a Call and its Reply (call.h). Data that verbs share
// between calls is in extender/service/scheduling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "cluster/rule/arguments.h"

namespace winnow {

struct Call;
struct Reply;
struct VerbContext;

/// A function that answers one call. May be called from any thread, and from several at once.
using VerbFunction = void(VerbContext& context, Call& call, Reply& reply);

/// The work of a route.
enum class Load : std::uint8_t {
  kComputes,  ///< Takes a permit (ComputeLimiter), if kube-scheduler calls it; has series of its passes and
              ///< nodes.
  kLight,     ///< Is short, or waits for other servers.
  kLong,      ///< Takes seconds, and little of a core; has slots of its own.
};

/// The listeners that have a route.
enum class Port : std::uint8_t {
  kMain,  ///< Only the listener for kube-scheduler's calls.
  kBoth,  ///< The health listener (--metrics-bind-address) too. Such a route changes nothing and shows no
          ///< pods.
};

/// The senders that a route answers (extender/service/recheck.h). On loopback all but probes want a
/// loopback `Host`: no page of another name may read what is there.
enum class From : std::uint8_t {
  kAnyHost,  ///< A probe, which tells nothing of the cluster.
  kAnyone,
  kOwnPage,    ///< It shows pods or nodes, to Winnow's own page too.
  kDecider,    ///< It chooses nodes. Where that is remembered (remembers_choices()), it is as kNoBrowser.
  kNoBrowser,  ///< The route changes something, so no web page may call it.
};

/// The body that a route takes. A verb gets none that is larger; what it makes of it is charged to its call
/// (cluster/memory_budget.h).
enum class Body : std::uint8_t {
  kEmpty,    ///< What a request has is dropped.
  kBinding,  ///< A few names: 64 KiB.
  kObject,   ///< One object: 3 MiB, which is what an API server takes of one.
  kArgs,     ///< kube-scheduler's, with thousands of nodes or victims: as much as the listener takes.
};
/// The bytes of the largest one.
std::size_t most_bytes(Body body);

/// Whether a bearer token opens a route (extender/service/authorization). One that changes something, or that
/// kube-scheduler calls, stays shut.
enum class ByToken : std::uint8_t { kShut, kOpen };

/// A row of the table.
struct Route {
  std::string_view path;
  std::string_view method;
  std::string_view label;  ///< The label `verb` of the metrics. Several routes may share one.
  Load load;
  Port port;
  From from;
  Required<Body> body;
  ByToken by_token;
  Required<VerbFunction*> answer;
};

/// Whether kube-scheduler calls it. Its calls have slots, permits and helpers of their own, and go before all
/// that reads.
constexpr bool is_kube_schedulers(const Route& route) { return route.by_token == ByToken::kShut; }

/// All routes, in the order in which messages list them.
std::span<const Route> routes();

}  // namespace winnow
