#include "cluster/validation/admit.h"

#include "cluster/defaults/defaults.h"
#include "cluster/defaults/pod_creation.h"
#include "cluster/validation/pod_errors.h"

namespace winnow {

std::vector<FieldError> admit(Pod& pod) {
  const bool is_new = pod.metadata.uid.empty();
  set_defaults(pod);
  if (is_new) prepare_for_create(pod);
  return pod_errors(pod, is_new ? Stored::kNo : Stored::kYes);
}

}  // namespace winnow
