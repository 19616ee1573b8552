// The terminal that a command prints to.
#pragma once

namespace winnow {

/// The terminal's width, or COLUMNS, or 80.
int terminal_width();
/// Whether standard output takes colours: it is a terminal, and neither NO_COLOR nor TERM is against it.
bool wants_colour();

}  // namespace winnow
