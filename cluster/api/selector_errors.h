// The errors of invalid selectors in the wording of today's upstream: all errors, with their field paths.
// Whether a selector parses is the same in both generations. selector.h decides it, and has v1.16's errors.
// Upstream: component-helpers v0.37.0, scheduling/corev1/nodeaffinity/nodeaffinity.go; apimachinery v0.37.0,
// pkg/labels/selector.go NewRequirement, pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector,
// pkg/util/validation/field and pkg/util/errors.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace winnow {

struct LabelSelector;
struct NodeSelector;
struct PreferredSchedulingTerm;

/// The errors of a node selector's terms. An empty term has none.
/// @param path  the path of the selector, or "".
std::vector<std::string> node_selector_errors(const NodeSelector& selector, std::string_view path = "");
/// The errors of preferred terms. An empty term, or one of weight 0, has none.
/// @param path  the path of the list, or "".
std::vector<std::string> preferred_terms_errors(std::span<const PreferredSchedulingTerm> terms,
                                                std::string_view path = "");
/// The errors of the first invalid part of a label selector; "" if all parts are valid.
std::string label_selector_error(const LabelSelector& selector);

/// The errors joined as by upstream, each once: "[one, other]". A single error has no brackets; none give "".
std::string aggregate(const std::vector<std::string>& errors);

}  // namespace winnow
