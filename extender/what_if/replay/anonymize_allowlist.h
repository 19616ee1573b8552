// What is no name: the words of Kubernetes that a recording without names keeps, and the fields that it
// keeps.
//
// Everything here is a list of what stays. What is on no list goes, or is replaced.
#pragma once

#include <string_view>

namespace winnow {

/// Whether a rule, or a call, reads fields of this name. Go's decoder takes names in any case.
bool is_kept_field(std::string_view name);
/// Whether a value of a field stands in it as a word of the API: an operator, a type, a phase, a reason.
bool is_api_word(std::string_view text);
/// Whether it is a kind of Kubernetes, or of a disk.
bool is_kept_kind(std::string_view text);
/// Whether texts like this are in every cluster, wherever they stand.
bool is_common_text(std::string_view text);
/// Whether it is a domain of keys that rules know, or that every cluster has.
bool is_kept_domain(std::string_view domain);
/// Whether it is a key's name in the domains of Kubernetes. A node's role, say, may be any word.
bool is_kept_key_name(std::string_view name);
/// Whether a rule reads the annotation, as a text.
bool is_kept_annotation(std::string_view key);

}  // namespace winnow
