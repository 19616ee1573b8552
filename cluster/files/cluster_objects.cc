#include "cluster/files/cluster_objects.h"

#include <format>

namespace winnow {

void ClusterObjects::note_repeated(std::string_view kind, std::string_view name) {
  if (++repeated == 1) first_repeated = std::format("{} {}", kind, name);
}

}  // namespace winnow
