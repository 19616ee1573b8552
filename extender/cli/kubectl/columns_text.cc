#include "extender/cli/kubectl/columns_text.h"

#include <algorithm>
#include <cstddef>

#include "cluster/text/printable.h"
#include "extender/explain/terminal_width.h"

namespace winnow {

void append_columns(std::string& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(printable(row[i])));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = printable(row[i]);
      line += cell;
      if (i + 1 < row.size()) line.append(widths[i] - columns(cell) + 3, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

}  // namespace winnow
