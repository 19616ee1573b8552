// The health probes, and the version of the build.
#include "extender/verbs/routes.h"
#include "extender/version.h"

namespace winnow::verbs {

/// /livez and /healthz: 200 whenever the process answers.
void healthy(VerbContext&, Call&, Reply& reply) {
  reply.response.content_type = "text/plain; charset=utf-8";
  reply.response.body = "ok\n";
}

/// /readyz: 503 with the reason while calls should not come here.
void ready(VerbContext& context, Call& call, Reply& reply) {
  const std::string reason = context.options.not_ready ? context.options.not_ready() : "";
  if (reason.empty()) return healthy(context, call, reply);
  reply.refuse(503, Result::kInternal, "not ready: " + reason);
}

void version(VerbContext&, Call&, Reply& reply) { reply.response.body = version_json(); }

}  // namespace winnow::verbs
