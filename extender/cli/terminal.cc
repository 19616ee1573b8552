#include "extender/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "extender/explain/explanation_text.h"

namespace winnow {

int terminal_width() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int width = columns ? std::atoi(columns) : 0;
  return width > 0 ? width : 80;
}

bool takes_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* const value = std::getenv(name);
    if (!value || !*value) continue;
    std::string locale(value);
    std::ranges::transform(locale, locale.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    return locale.contains("utf-8") || locale.contains("utf8");
  }
  return true;
}

bool has_terminal() { return isatty(STDOUT_FILENO); }

bool has_terminal_for_errors() { return isatty(STDERR_FILENO); }

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) && term && std::string_view(term) != "dumb";
}

TableOptions table_options(std::optional<int> width, bool all_nodes) {
  return {.colour = wants_colour(), .width = width.value_or(terminal_width()), .all_nodes = all_nodes};
}

}  // namespace winnow
