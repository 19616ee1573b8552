// One pod of each workload of a text, to be asked about: where would the pods of it go? Nothing is made.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/files/object_reader.h"

namespace winnow {

/// A pod as its controller and the API server's defaults would make it. No cluster was asked: the classes
/// are not applied, and it may have the name of a pod that is there.
struct ModelPod {
  std::string source;          ///< "Deployment shop/web"
  bool is_daemon_set = false;  ///< The pod is not restricted to a node, as the controller would do.
  Pod pod;
  PodClasses classes;
  std::vector<FieldError> refused;  ///< What the API server would refuse that `pod` does not hold.
  /// What of it is not judged: the claims that come with it, which are left out.
  std::vector<std::string> not_judged;
};

/// Reads a text as read_new_objects_text() does, and takes its kinds. A pod that has a node is one without.
/// @return the pods in the order of the text; or an error, also where there is no workload.
std::expected<std::vector<ModelPod>, FileError> read_model_pods(std::string_view name, std::string text);

}  // namespace winnow
