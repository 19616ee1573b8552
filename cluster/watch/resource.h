// A resource that is listed and watched.
#pragma once

#include <string>

namespace winnow::live {

/// What to list and watch.
struct Resource {
  std::string name;            ///< "pods"
  std::string path;            ///< "/api/v1/pods"
  std::string kind;            ///< "Pod": a list's kind is this and "List".
  std::string field_selector;  ///< "" for every object.
};

}  // namespace winnow::live
