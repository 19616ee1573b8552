#include "extender/service/scheduling/options.h"

#include <format>
#include <utility>

#include "cluster/api/meta.h"

namespace winnow {

std::string too_large(std::string_view object) {
  if (object.size() <= kMostObjectBytes) return {};
  return std::format("has {} bytes; at most {} are read, for an API server stores at most 1.5 MB",
                     object.size(), kMostObjectBytes);
}

std::string too_long(const ObjectMeta& metadata) {
  const std::pair<const char*, const std::string*> texts[] = {{"metadata.name", &metadata.name},
                                                              {"metadata.namespace", &metadata.namespace_},
                                                              {"metadata.uid", &metadata.uid}};
  for (const auto& [field, text] : texts)
    if (text->size() > kLongestName)
      return std::format("{}: has {} bytes; expected at most {}", field, text->size(), kLongestName);
  return {};
}

}  // namespace winnow
