// The verb rules: the rules in force, as JSON.
#include "extender/config/rules_summary.h"
#include "extender/verbs/routes.h"

namespace winnow::verbs {

void rules(VerbContext&, Call& call, Reply& reply) {
  append_json(reply.response.body, summarize(call.serving.engines->sets()));
  reply.response.body += '\n';
}

}  // namespace winnow::verbs
