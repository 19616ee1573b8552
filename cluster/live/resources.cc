#include "cluster/live/resources.h"

namespace winnow::live {
namespace {

constexpr const char* kNotEnded = "status.phase!=Succeeded,status.phase!=Failed";

}  // namespace

Resource resource_of(ResourceKind kind) {
  const KindInfo& info = info_of(kind);
  const bool core = group_of(info.api_version).empty();
  const std::string folder = (core ? "/api/" : "/apis/") + std::string(info.api_version) + '/';
  return {std::string(info.resource), folder + std::string(info.resource), std::string(info.kind),
          kind == kind_of<Pod> ? kNotEnded : "", info.presence == kOptional};
}

}  // namespace winnow::live
