// The files of the page, which are compiled in. CMake makes the definitions of assets/ (assets.cc.in).
#pragma once

#include <span>
#include <string_view>

namespace winnow {

struct Asset {
  std::string_view path;  ///< "/", or "/page/overview.js"
  std::string_view content_type;
  std::string_view text;
};

/// All of them. The first is the page itself.
std::span<const Asset> assets();

}  // namespace winnow
