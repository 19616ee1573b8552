// Two JSON documents as YAML, line by line and side by side.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/text/json_reader.h"

namespace winnow {

enum class LineIn : std::uint8_t { kBoth, kOld, kNew };

struct DiffLine {
  LineIn in = LineIn::kBoth;
  std::string text;    ///< YAML, indented, without an end of line.
  std::string reason;  ///< Why it changes; "" for a line in both, and for an old value that is replaced.

  /// The text, and the reason as a comment behind it.
  std::string commented() const;
};

// The lines of two documents.
//
// The YAML is plain: block style, short collections in flow style, keys in the documents' order. A reader of
// YAML 1.1 or 1.2 reads back the same values.

/// @param path  of the line's value, without the places in lists: `profiles.plugins.filter.disabled`.
/// @param value  the line's value in flow style; "" if it goes on in the next lines.
/// @return why the line is no more, or is new.
using ReasonOf = FunctionRef<std::string(std::string_view path, LineIn in, std::string_view value)>;

/// The lines of both documents. Those in `old_one` and in both are its YAML, those in `new_one` and in both
/// that one's. Entries of lists are the same entry if they have the same name, schedulerName or urlPrefix, or
/// else are equal. A value that a new one replaces has no reason, for the new one has it.
std::vector<DiffLine> yaml_diff(const rapidjson::Value& old_one, const rapidjson::Value& new_one,
                                const ReasonOf& reason);

/// The new document: its lines, and the reasons as comments.
std::string new_yaml(const std::vector<DiffLine>& lines);

/// One document.
std::string to_yaml(const rapidjson::Value& document);

}  // namespace winnow
