// The terminal that a command prints to.
#pragma once

#include <optional>

namespace winnow {

struct TableOptions;

/// The terminal's width, or COLUMNS, or 80.
int terminal_width();
/// Whether what is written there is read as UTF-8: LC_ALL, LC_CTYPE or LANG says so, or none of them is set.
bool takes_utf8();
/// Whether standard output is a terminal.
bool has_terminal();
/// Whether standard error is a terminal.
bool has_terminal_for_errors();
/// Whether standard output takes colours: it is a terminal, and neither NO_COLOR nor TERM is against it.
bool wants_colour();
/// The options of a table that is printed there. @param width  as a flag says; nothing: the terminal's.
TableOptions table_options(std::optional<int> width, bool all_nodes);

}  // namespace winnow
