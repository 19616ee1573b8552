#include "priorities/rules.h"

namespace winnow::priorities {

UsedShare::UsedShare(const Request& request)
    : allocatable_cpu_(request.view.column(&NodeTable::allocatable_cpu)),
      allocatable_memory_(request.view.column(&NodeTable::allocatable_memory)),
      nonzero_cpu_(request.view.column(&NodeTable::nonzero_cpu)),
      nonzero_memory_(request.view.column(&NodeTable::nonzero_memory)) {
  const PodRequests requests = pod_requests(request.pod, request.accounting, /*with_status=*/false);
  pod_cpu_ = requests.nonzero_milli_cpu;
  pod_memory_ = requests.nonzero_memory;
}

}  // namespace winnow::priorities
