// The bounds of requests. They are far above what kube-scheduler sends, and keep a request's decoded form
// small enough for the container.
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow {

/// The nodes of one request. The largest clusters known have 130,000.
inline constexpr std::size_t kMaxNodes = 500'000;
inline constexpr std::string_view kMaxNodesText = "at most 500000 nodes";

}  // namespace winnow
