// The verb metrics: updates the gauges whose values are kept elsewhere, and renders the page.
#include "extender/verbs/routes.h"

namespace winnow {
namespace {

double seconds(auto duration) { return std::chrono::duration<double>(duration).count(); }

// A gauge that is left out would be shown as 0.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"

void show_picture(const Picture& picture, Metrics& metrics) {
  const Picture::Reader state = picture.read();
  const auto age = std::chrono::steady_clock::now() - state.changed();
  metrics.set_state({.nodes = state->node_count(),
                     .pods = state->pod_count() - state->pending_count(),
                     .pending_pods = state->pending_count(),
                     .groups = state->groups.groups(),
                     .classes = state->groups.classes(),
                     .age_seconds = seconds(age)});
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

void show_refusals(Holds& holds, LiveMetrics& metrics) {
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
  if (context.options.before_scrape) context.options.before_scrape();
  show(context.setup, context.metrics.live());
  show_picture(*call.serving.picture, context.metrics);
  show_refusals(context.holds, context.metrics.live());
  if (context.options.decision_log)
    context.metrics.live().set_decisions(context.options.decision_log->figures());
  if (context.options.http_counters) context.metrics.set_http(context.options.http_counters());
  reply.response.content_type = kMetricsContentType;
  reply.response.body = context.metrics.render();
}

}  // namespace verbs

}  // namespace winnow
