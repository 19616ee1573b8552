// A pod that nobody has made, to be explained: the page's Try.
#pragma once

#include <string>
#include <vector>

#include "cluster/admission/field_errors.h"
#include "cluster/api/pod.h"
#include "cluster/expand/workload_reader.h"

namespace winnow {

struct Call;
struct Reply;
struct VerbContext;

/// A pod that a workload would make.
struct TriedPod {
  Pod pod;
  PodClasses classes;
  std::vector<FieldError> refused;      ///< What the API server would refuse of it.
  std::vector<std::string> not_judged;  ///< Added to the explanation's.
  std::string about;                    ///< JSON, the answer's member "tried".
};

namespace verbs {
/// As explain, about this pod. The call's body is not read.
void explain_tried(VerbContext& context, Call& call, Reply& reply, TriedPod tried);
}  // namespace verbs

}  // namespace winnow
