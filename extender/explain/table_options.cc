#include "extender/explain/table_options.h"

#include <algorithm>

namespace winnow {

std::size_t line_width(const TableOptions& options) {
  return options.width <= 0 ? 0 : std::max<std::size_t>(40, static_cast<std::size_t>(options.width));
}

}  // namespace winnow
