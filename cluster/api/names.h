// The syntax of labels, and of the names of pods, nodes and namespaces, with upstream's error texts.
// Upstream: apimachinery v0.16.15, pkg/util/validation/validation.go; v0.37.0, pkg/api/validate/content. Both
// accept the same texts and differ only in the wording of errors.
#pragma once

#include <string>
#include <string_view>

#include "cluster/api/generation.h"
#include "cluster/api/meta.h"

namespace winnow {

/// The errors of a label key, joined by "; "; empty if it is valid.
std::string label_key_errors(std::string_view key, Generation generation = Generation::kClassic);
/// The errors of a label value, joined in the same way.
std::string label_value_errors(std::string_view value, Generation generation = Generation::kClassic);

// The syntax of the names of pods, nodes and namespaces, with upstream's error texts.
// Upstream: apimachinery v0.37.0, pkg/api/validate/content/dns.go.

/// Whether the text has the characters of a DNS label. The length is not checked.
bool is_dns_label(std::string_view text);
/// Whether the text is DNS labels with dots between them. The length is not checked.
bool is_dns_subdomain(std::string_view text);

/// The errors of the name of a pod or node, joined by "; "; empty if it is valid.
std::string object_name_errors(std::string_view name);
/// The errors of the name of a namespace, joined in the same way.
std::string namespace_name_errors(std::string_view name);

}  // namespace winnow
