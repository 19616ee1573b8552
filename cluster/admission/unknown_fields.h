// The fields of an object that the API does not know, and amounts that an API server warns of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

class Reader;

/// What kubectl's strict validation refuses of an object, and what an API server warns of, in their words:
/// `unknown field "spec.nodeselector" (did you mean "nodeSelector"?)`. A field is unknown that Kubernetes
/// 1.37 does not have. Objects of kinds that Winnow does not read have no such lines.
/// @param group  of the kind: "apps"; "" is the core's.
/// @param most  lines; a field below an unknown one has none.
/// Upstream: apimachinery v0.37.0 pkg/util/strictdecoding; pkg/api/pod/warnings.go v1.37.0.
std::vector<std::string> field_warnings(const Reader& object, std::string_view kind, std::string_view group,
                                        std::size_t most);

}  // namespace winnow
