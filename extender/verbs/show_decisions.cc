// The verb decisions: what was decided about pods, as it was decided.
#include "extender/decisions/decisions_json.h"
#include "extender/verbs/routes.h"

namespace winnow::verbs {

void show_decisions(VerbContext& context, Call& call, Reply& reply) {
  const auto asked = read_decisions_query(call.query);
  if (!asked) return reply.refuse(400, Result::kBadRequest, asked.error());
  DecisionLog* const log = context.options.decision_log.get();
  if (!log)
    return reply.refuse(404, Result::kNotFound, "no decisions are kept: Winnow runs with --keep-decisions=0");
  reply.response.headers.emplace_back("Cache-Control", "no-store");
  reply.response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  reply.response.body = decisions_json(*log, *asked);
}

}  // namespace winnow::verbs
