#include "cluster/text/keyed_hash.h"

#include <random>

namespace winnow::hash_detail {
namespace {

/// From the machine's source of randomness.
Key draw_key() {
  std::random_device source;
  Key drawn;
  for (std::uint64_t& part : drawn) part = std::uint64_t{source()} << 32 | source();
  return drawn;
}

}  // namespace

// 101 is the first of the priorities that a program may use. Statics without one are made later.
[[gnu::init_priority(101)]] const Key key = draw_key();

}  // namespace winnow::hash_detail
