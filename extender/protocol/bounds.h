// The bound of a request's nodes. It is far above what kube-scheduler sends. It keeps the decoded form and
// the answer small enough for the container.
#pragma once

#include <cstddef>
#include <string_view>

namespace winnow {

/// The nodes of one request. The largest clusters known have 130,000.
inline constexpr std::size_t kMaxNodes = 500'000;
inline constexpr std::string_view kMaxNodesText = "at most 500000 nodes";

}  // namespace winnow
