// The kinds of causes, and of facts, as docs/explain.md has them.
#pragma once

#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/cause.h"

namespace winnow::test {

/// The fields of each kind, in order.
using KindsWithFields = std::map<std::string, std::vector<std::string>>;

inline KindsWithFields kinds_of(std::span<const CauseKind> kinds) {
  KindsWithFields all;
  for (const CauseKind& kind : kinds)
    all[std::string(kind.name)] = std::vector<std::string>(kind.fields.begin(), kind.fields.end());
  return all;
}

/// The words in backquotes.
inline std::vector<std::string> in_backquotes(const std::string& cell) {
  std::vector<std::string> found;
  for (std::size_t at = cell.find('`'); at != std::string::npos; at = cell.find('`', at)) {
    const std::size_t end = cell.find('`', at + 1);
    found.push_back(cell.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return found;
}

/// The table below a heading: its first column has kinds, its second their fields.
inline KindsWithFields documented_kinds(std::string_view heading) {
  std::ifstream file(std::string(WINNOW_ROOT) + "/docs/explain.md");
  KindsWithFields kinds;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("### ")) inside = line == heading;
    if (!inside || !line.starts_with("| `")) continue;
    std::istringstream cells(line.substr(1));
    std::string kind, fields;
    std::getline(cells, kind, '|');
    std::getline(cells, fields, '|');
    kinds[in_backquotes(kind).front()] = in_backquotes(fields);
  }
  return kinds;
}

}  // namespace winnow::test
