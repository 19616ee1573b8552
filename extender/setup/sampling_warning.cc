#include "extender/setup/sampling_warning.h"

#include "extender/log/log.h"

namespace winnow {

void SamplingWarning::look_at(std::span<const NodeId> shown, std::size_t nodes, LiveMetrics& metrics) {
  if (!sampling_.notice(shown, nodes)) return;
  metrics.on_sampled_call();
  if (warned_.exchange(true)) return;
  log_warn(
      "kube-scheduler shows a part of the nodes only, others each time: a pod that fits on none of them "
      "stays pending; write this line into its configuration",
      {{"line", "percentageOfNodesToScore: 100"}, {"shown", shown.size()}, {"nodes", nodes}});
}

}  // namespace winnow
