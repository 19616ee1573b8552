// The verbs that show Winnow itself: /statusz, /flagz, probes, version, decisions, metrics, profile and
// rules. Upstream of the first two: apiserver/pkg/server/statusz/textserializer.go, flagz/textserializer.go
// v1.37.0.
#include <algorithm>
#include <charconv>
#include <format>
#include <optional>
#include <set>

#include "cluster/rule/device_totals.h"
#include "cluster/state/state.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "extender/config/rules_summary.h"
#include "extender/engine/engines.h"
#include "extender/explain/decision_log.h"
#include "extender/explain/decisions_json.h"
#include "extender/service/http/server.h"
#include "extender/service/metrics/figures.h"
#include "extender/service/metrics/live_metrics.h"
#include "extender/service/metrics/metrics.h"
#include "extender/service/profiler.h"
#include "extender/service/verbs/call.h"
#include "extender/service/verbs/routes.h"
#include "extender/version.h"

namespace winnow {

namespace {

constexpr std::string_view kWarning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees "
    "and is for debugging purposes only.";

/// What the pages begin with. @param page  "statusz"
std::string header(std::string_view page) { return std::format("\nwinnow {}\n{}\n", page, kWarning); }

/// "26 hr 03 min 09 sec"
std::string uptime(std::chrono::system_clock::duration time) {
  const auto seconds = std::max<std::int64_t>(0, std::chrono::floor<std::chrono::seconds>(time).count());
  return std::format("{} hr {:02} min {:02} sec", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/// The paths that only read, by the alphabet, but for the page's own files and data.
std::string paths_that_read() {
  std::set<std::string_view> paths;
  for (const Route& route : routes())
    if (route.method == "GET" && !route.path.starts_with("/page/")) paths.insert(route.path);
  std::string text;
  for (const std::string_view path : paths) (text += text.empty() ? "" : " ") += path;
  return text;
}

void answer(Reply& reply, std::string text) {
  reply.response.content_type = "text/plain; charset=utf-8";
  reply.response.body = std::move(text);
}

}  // namespace

namespace verbs {

void show_status(VerbContext& context, Call&, Reply& reply) {
  const auto now = std::chrono::system_clock::now();
  const BuildInfo& build = build_info();
  answer(reply,
         header("statusz") + std::format("\nStarted: {:%a %b %e %H:%M:%S UTC %Y}\nUp: {}\nCompiler: {}\n"
                                         "Binary version: {} ({})\n\nPaths: {}\n",
                                         std::chrono::floor<std::chrono::seconds>(context.started),
                                         uptime(now - context.started), build.compiler, build.version,
                                         build.revision, paths_that_read()));
}

void show_flags(VerbContext& context, Call&, Reply& reply) {
  std::string text = header("flagz");
  for (const auto& [name, value] : context.options.flags) text += name + '=' + value + '\n';
  answer(reply, std::move(text));
}

}  // namespace verbs

}  // namespace winnow

namespace winnow::verbs {

// The health probes, and the version of the build.

/// /livez and /healthz: 200 whenever the process answers.
void healthy(VerbContext&, Call&, Reply& reply) {
  reply.response.content_type = "text/plain; charset=utf-8";
  reply.response.body = "ok\n";
}

/// As API servers write it: "[+]bind on", "[ ]nominate off", "[-]bind degraded: 403 Forbidden …". Upstream:
/// apiserver/pkg/server/healthz/healthz.go v1.37.0.
std::string line_of(const ReadyItem& item) {
  switch (item.state) {
    case ReadyItem::State::kOn:
      return item.why.empty() ? std::format("[+]{} on\n", item.name)
                              : std::format("[+]{} on: {}\n", item.name, item.why);
    case ReadyItem::State::kOff:
      return std::format("[ ]{} off\n", item.name);
    case ReadyItem::State::kDegraded:
      break;
  }
  return std::format("[-]{} degraded: {}\n", item.name, item.why);
}

/// /readyz?verbose: a line for each thing that is on, off or degraded.
void ready_verbose(VerbContext& context, Reply& reply) {
  const std::string reason = context.services.cluster->not_ready();
  std::string text;
  for (const ReadyItem& item : context.services.cluster->ready_items()) text += line_of(item);
  if (!reason.empty()) {
    reply.refuse(503, Result::kInternal, "not ready: " + reason);
    reply.response.body.insert(0, text);
    return;
  }
  reply.response.content_type = "text/plain; charset=utf-8";
  reply.response.body = text + "readyz check passed\n";
}

/// /readyz: 503 with the reason while calls should not come here. Behind "ok" is what Winnow does without.
void ready(VerbContext& context, Call& call, Reply& reply) {
  if (call.query == "verbose" || call.query.starts_with("verbose=") || call.query.starts_with("verbose&"))
    return ready_verbose(context, reply);
  const std::string reason = context.services.cluster->not_ready();
  if (!reason.empty()) return reply.refuse(503, Result::kInternal, "not ready: " + reason);
  healthy(context, call, reply);
  const std::string missing = context.services.cluster->missing_rights();
  if (!missing.empty()) reply.response.body += missing + '\n';
}

void version(VerbContext&, Call&, Reply& reply) { reply.response.body = version_json(); }

// The verb decisions: what was decided about pods, as it was decided.

void show_decisions(VerbContext& context, Call& call, Reply& reply) {
  const auto asked = read_decisions_query(call.query);
  if (!asked) return reply.refuse(400, Result::kBadRequest, asked.error());
  DecisionLog* const log = context.services.decision_log.get();
  if (!log)
    return reply.refuse(404, Result::kNotFound, "no decisions are kept: Winnow runs with --keep-decisions=0");
  reply.response.headers.emplace_back("Cache-Control", "no-store");
  reply.response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.response.body = decisions_json(*log, *asked, call.sees_pods);
}

}  // namespace winnow::verbs

namespace winnow {

// The verb metrics: updates the gauges whose values are kept elsewhere, and renders the page.

namespace {

double seconds(auto duration) { return std::chrono::duration<double>(duration).count(); }

// A gauge that is left out would be shown as 0.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"

void show_cache(const ClusterCache& cache, Metrics& metrics) {
  const ClusterCache::ReadGuard state = cache.read();
  const auto age = std::chrono::steady_clock::now() - state.changed();
  metrics.set_state({.nodes = state->node_count(),
                     .pods = state->pod_count() - state->pending_count(),
                     .pending_pods = state->pending_count(),
                     .groups = state->groups.groups(),
                     .classes = state->groups.classes(),
                     .age_seconds = seconds(age)});
  constexpr std::size_t kMostEvaluations = 50'000;
  std::vector<DeviceFigures> devices;
  for (ClassDevices& one : count_by_class(*state, kMostEvaluations))
    devices.push_back({.device_class = std::move(one.name),
                       .allocated = one.allocated,
                       .tainted = one.tainted,
                       .free = one.free});
  metrics.set_devices(devices);
  const AssumedPods& assumed = state.assumed();
  metrics.live().set_assumed({.pods = assumed.size(),
                              .oldest_seconds = seconds(assumed.oldest(std::chrono::steady_clock::now())),
                              .outcomes = assumed.outcomes(),
                              .overdue_total = assumed.overdue_count()});
  const HeldFigures held = held_figures(*state, assumed, HeldClocks{});
  metrics.live().set_places({.nominations = held.nominations,
                             .other_nominations = held.other_nominations,
                             .assumptions = held.assumptions,
                             .untried_seconds = held.untried_seconds});
}

void show_refusals(RefusalHolds& holds, LiveMetrics& metrics) {
  const auto now = std::chrono::steady_clock::now();
  metrics.set_refusals({.pods = holds.refusals().size(),
                        .would_fit = holds.refusals().would_fit(now, std::chrono::seconds(1)),
                        .told_total = holds.refusals().told_count(),
                        .doubts_total = holds.late_remarks().told(),
                        .lateness_seconds = seconds(holds.recency().lateness())});
}

#pragma GCC diagnostic pop

}  // namespace

namespace verbs {

void show_metrics(VerbContext& context, Call& call, Reply& reply) {
  context.services.cluster->before_scrape();
  show(context.setup, context.metrics.live());
  show_cache(*call.active.cache, context.metrics);
  show_refusals(context.earlier.holds, context.metrics.live());
  if (DecisionLog* const log = context.services.decision_log.get(); log != nullptr)
    context.metrics.live().set_decisions(log->figures());
  context.metrics.live().set_reuse(call.active.engines->reuse_counts());
  if (const http::Server* const server = context.server; server != nullptr)
    context.metrics.set_http(server->counters());
  reply.response.content_type = kMetricsContentType;
  reply.response.body = context.metrics.render();
}

}  // namespace verbs

}  // namespace winnow

namespace winnow::verbs {

// The verb profile: where the process spends its time.

namespace {

/// The seconds that are asked for; nothing: they are wrong.
std::optional<std::chrono::seconds> asked_seconds(std::string_view query) {
  const std::string text = query_value(query, "seconds");
  if (text.empty()) return Profiler::kUsual;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool good = error == std::errc() && end == text.data() + text.size() && seconds >= 1 &&
                    seconds <= Profiler::kMost.count();
  return good ? std::optional(std::chrono::seconds(seconds)) : std::nullopt;
}

void refuse_profile(NoProfile why, Reply& reply) {
  switch (why) {
    case NoProfile::kBusy:
      return reply.refuse(409, Result::kBadRequest, "another profile is being taken: one at a time");
    case NoProfile::kStopped:
      return reply.refuse(503, Result::kShed, "the profile has ended early: the service is being stopped");
    case NoProfile::kFailed:
      return reply.refuse(500, Result::kInternal, "the profile could not be taken");
  }
}

}  // namespace

void show_profile(VerbContext& context, Call& call, Reply& reply) {
  Profiler* const profiler = context.services.profiler;
  if (profiler == nullptr)
    return reply.refuse(404, Result::kNotFound,
                        "no profile is taken: Winnow runs without --enable-profiling");
  const auto seconds = asked_seconds(call.query);
  if (!seconds)
    return reply.refuse(400, Result::kBadRequest,
                        std::format("seconds: {} is not a whole number from 1 to {}",
                                    go_quote(query_value(call.query, "seconds")), Profiler::kMost.count()));
  auto profile = profiler->take(*seconds, [&] { return call.client_gone && call.client_gone(); });
  if (!profile) return refuse_profile(profile.error(), reply);
  reply.response.headers.emplace_back("Cache-Control", "no-store");
  reply.response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.response.headers.emplace_back("Content-Disposition", R"(attachment; filename="profile")");
  reply.response.content_type = "application/octet-stream";
  reply.response.body = *std::move(profile);
}

// The verb rules: the rules in force, as JSON.

void rules(VerbContext&, Call& call, Reply& reply) {
  append_json(reply.response.body, summarize(call.active.engines->sets()));
  reply.response.body += '\n';
}

}  // namespace winnow::verbs
