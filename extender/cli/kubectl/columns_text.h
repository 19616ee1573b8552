// Rows of cells as columns, as kubectl prints them.
#pragma once

#include <string>
#include <vector>

namespace winnow {

/// Appends the rows, three blanks between columns. Cells are made safe for a terminal. A row may be shorter
/// than the others.
void append_columns(std::string& out, const std::vector<std::vector<std::string>>& rows);

}  // namespace winnow
