#include "extender/engine/preemption/rebound_rules.h"

#include "extender/engine/nominated.h"

namespace winnow {

void ReboundRules::begin(NodeId node) {
  overlay_.return_to(unchanged_);
  has_nominated_ = false;
  node_name_ = View(overlay_.state(), &overlay_).node_name(node);
}

void ReboundRules::change(PodId pod, std::int32_t by) {
  const State& state = overlay_.state();
  const PodRecord& record = state.pod(pod);
  if (!record.assigned) {
    overlay_.add_nominated_pod(as_promised(state, pod, node_name_));
    has_nominated_ = true;
  } else if (by < 0) {
    overlay_.remove_pod(state.pod_namespace(record), record.name);
  } else {
    overlay_.restore_pod(state.pod_namespace(record), record.name);
  }
}

bool ReboundRules::fits() const {
  const View view(overlay_.state(), &overlay_);
  const NodeId node = view.find_node(node_name_);
  const Request request{.pod = pod_,
                        .view = view,
                        .nodes = {&node, 1},
                        .accounting = view.state().options().accounting,
                        .before = &before_};
  return engine_.passes_anew(begun_, rules_, request, has_nominated_);
}

}  // namespace winnow
