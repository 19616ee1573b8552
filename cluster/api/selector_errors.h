// The errors of invalid selectors in the words of today's upstream: every error, with its field path.
// selector.h says whether a selector parses, which is the same in both generations, and gives v1.16's errors.
// Upstream: component-helpers v0.37.0, scheduling/corev1/nodeaffinity/nodeaffinity.go; apimachinery v0.37.0,
// pkg/labels/selector.go NewRequirement, pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector,
// pkg/util/validation/field and pkg/util/errors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/pod.h"

namespace winnow {

/// The errors of a node selector's terms. Empty terms have none.
/// @param path  the selector's, or "".
std::vector<std::string> node_selector_errors(const NodeSelector& selector, std::string_view path = "");
/// The errors of preferred terms. Empty terms, and terms of weight 0, have none.
/// @param path  the list's.
std::vector<std::string> preferred_terms_errors(std::span<const PreferredSchedulingTerm> terms,
                                                std::string_view path = "");
/// The errors of the first part of a label selector that does not parse; "" if all parts do.
std::string label_selector_error(const LabelSelector& selector);

/// Joins errors as upstream does, each once: "[one, other]". A single error has no brackets; none give "".
std::string aggregate(const std::vector<std::string>& errors);

}  // namespace winnow
