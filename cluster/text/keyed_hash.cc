#include "cluster/text/keyed_hash.h"

#include <random>

namespace winnow::hash_detail {

Key draw_key() {
  std::random_device source;
  Key key;
  for (std::uint64_t& part : key) part = std::uint64_t{source()} << 32 | source();
  return key;
}

}  // namespace winnow::hash_detail
