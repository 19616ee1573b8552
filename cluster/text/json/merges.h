// Which keys of a YAML map may be there again.
#pragma once

#include <cstdint>

namespace winnow {

/// Whether "<<" may bring a key that the map already has. kKubectl: yes, and the merged value is ignored.
/// kStrict: it is an error, as in the strict readers of configurations. kTwice: as kKubectl, and a key that
/// is there twice makes two members; else that is an error.
enum class Merges : std::uint8_t { kKubectl, kStrict, kTwice };

}  // namespace winnow
