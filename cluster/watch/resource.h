// A resource of the API that is listed and watched.
#pragma once

#include <string>

namespace winnow::live {

/// The names of a resource for requests and answers.
struct Resource {
  std::string name;            ///< "pods"
  std::string path;            ///< "/api/v1/pods"
  std::string kind;            ///< "Pod"; a list's kind has "List" behind it.
  std::string field_selector;  ///< "" for all objects.
  bool optional = false;       ///< API servers may not serve it, or deny it: it counts as empty then.
};

}  // namespace winnow::live
