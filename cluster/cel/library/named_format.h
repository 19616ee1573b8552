// Kubernetes' named formats of texts: a DNS label, a qualified name, a date.
// Upstream: k8s.io/apiserver v0.37.0 pkg/cel/library/format.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cel/value.h"

namespace winnow::cel {

struct NamedFormat {
  /// By which `format.named` and `format.NAME` find it.
  std::string_view name;
  /// By which formats are compared.
  std::string_view title;
  /// What is wrong with a text; empty if nothing is.
  std::vector<std::string> (*validate)(std::string_view text) = nullptr;
  /// For the cost: the size of the regular expression, or of one that would do.
  std::uint32_t regex_size = 0;
};

/// The format that the value is; null if it is none.
const NamedFormat* as_named_format(const Value& value);

}  // namespace winnow::cel
