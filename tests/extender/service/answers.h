// Answers of the service, read as kube-scheduler reads them (and more strictly: every key must be there).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow::test {

/// ExtenderFilterResult.
struct FilterResult {
  /// JSON, an object, with exactly upstream's five keys, each of its type.
  bool valid = false;
  bool names_are_null = false, nodes_are_null = false;
  std::vector<std::string> fit;  ///< The names, or the names of the items.
  std::map<std::string, std::string> failed, unresolvable;
  std::size_t entries = 0;  ///< Of both maps, repeated keys counted.
  std::string error;
};
FilterResult read_filter(std::string_view body);

/// HostPriorityList, in the order of the answer; nothing where it is not one, or a score is not an integer.
using HostScores = std::vector<std::pair<std::string, std::int64_t>>;
std::optional<HostScores> read_scores(std::string_view body);

/// Whether the text is one JSON value, in valid UTF-8.
bool is_json(std::string_view text);

/// A value of a JSON text by its path ("nodes.0.name"), rendered as JSON; "" where there is none.
std::string json_at(std::string_view text, std::string_view path);
/// How many elements an array has, by its path.
std::size_t json_size(std::string_view text, std::string_view path);

}  // namespace winnow::test
