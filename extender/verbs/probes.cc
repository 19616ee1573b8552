// The health probes, and the version of the build.
#include "extender/verbs/routes.h"
#include "extender/version.h"

namespace winnow::verbs {

/// /livez and /healthz: 200 whenever the process answers.
void healthy(VerbContext&, Call&, Reply& reply) {
  reply.response.content_type = "text/plain; charset=utf-8";
  reply.response.body = "ok\n";
}

/// /readyz: 503 with the reason while calls should not come here. Behind "ok" is what Winnow does without.
void ready(VerbContext& context, Call& call, Reply& reply) {
  const std::string reason = context.options.not_ready ? context.options.not_ready() : "";
  if (!reason.empty()) return reply.refuse(503, Result::kInternal, "not ready: " + reason);
  healthy(context, call, reply);
  const std::string missing = context.options.missing_rights ? context.options.missing_rights() : "";
  if (!missing.empty()) reply.response.body += missing + '\n';
}

void version(VerbContext&, Call&, Reply& reply) { reply.response.body = version_json(); }

}  // namespace winnow::verbs
