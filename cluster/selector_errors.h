// What is wrong with selectors that do not parse, as today's upstream says it: every fault, with its path.
// (selector.h tells whether they parse, which is the same in both generations, and what v1.16 says.)
// Upstream: component-helpers v0.37.0, scheduling/corev1/nodeaffinity/nodeaffinity.go; apimachinery v0.37.0,
// pkg/labels/selector.go NewRequirement, pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector,
// pkg/util/validation/field and pkg/util/errors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/model/pod.h"

namespace winnow {

/// Of a node selector's terms; empty terms are passed over. @param path  of the selector; "" is none.
std::vector<std::string> node_selector_errors(const NodeSelector& selector, std::string_view path = "");
/// Of preferred terms; empty ones, and those of weight 0, are passed over. @param path  of their list.
std::vector<std::string> preferred_terms_errors(std::span<const PreferredSchedulingTerm> terms,
                                                std::string_view path = "");
/// Of a label selector: the first part that does not parse; "" if all do.
std::string label_selector_error(const LabelSelector& selector);

/// Several errors in one text, each once: "[one, other]"; one alone stands bare, none is "".
std::string aggregate(const std::vector<std::string>& errors);

}  // namespace winnow
