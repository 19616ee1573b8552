#include "priorities/share_lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace winnow::priorities {
namespace {

/// Reads from arrays where it can: a Column's test for each node keeps loads from overlapping.
template <class Numbers>
bool read_amounts(const Numbers& allocatable, const Numbers& requested, std::span<const NodeId> nodes,
                  AmountBlock& block) {
  std::int64_t bits = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int64_t has = allocatable[nodes[i]], asked = requested[nodes[i]];
    block.allocatable[i] = has;
    block.requested[i] = asked;
    bits |= (has - 1) | asked;  // An allocatable of 0 gives a negative number.
  }
  return is_plain(bits);
}

/// Whole numbers from 0 to 2^52 become doubles by their bits: the baseline has no instruction for it.
[[gnu::always_inline]] inline double to_double(std::int64_t number) {
  return std::bit_cast<double>(number | 0x4330'0000'0000'0000) - 0x1p52;
}

[[gnu::always_inline]] inline double truncated(double number) {
  return static_cast<double>(static_cast<std::int32_t>(number));
}

[[gnu::always_inline]] inline double at_most(double number, double most) {
  return number < most ? number : most;
}

// The loops themselves. Each is inlined into a function for each set of instructions.

[[gnu::always_inline]] inline void add_free(const AmountBlock& block, double pod, double weight,
                                            std::size_t nodes, SumBlock& to) {
  for (std::size_t i = 0; i < nodes; ++i) {
    const double has = to_double(block.allocatable[i]);
    const double left = has - (to_double(block.requested[i]) + pod);
    to.sums[i] += weight * truncated((left > 0 ? left : 0) * 100 / has);
  }
}

[[gnu::always_inline]] inline void add_used(const AmountBlock& block, double pod, double weight,
                                            std::size_t nodes, SumBlock& to) {
  for (std::size_t i = 0; i < nodes; ++i) {
    const double has = to_double(block.allocatable[i]);
    to.sums[i] += weight * truncated(at_most(to_double(block.requested[i]) + pod, has) * 100 / has);
  }
}

[[gnu::always_inline]] inline void divide(const SumBlock& sums, double by, std::size_t nodes,
                                          std::int64_t* out) {
  // The product with the inverse of a power of two is the quotient.
  int exponent = 0;
  if (std::frexp(by, &exponent) == 0.5) {
    const double inverse = 1 / by;
    for (std::size_t i = 0; i < nodes; ++i) out[i] = static_cast<std::int32_t>(sums.sums[i] * inverse);
  } else {
    for (std::size_t i = 0; i < nodes; ++i) out[i] = static_cast<std::int32_t>(sums.sums[i] / by);
  }
}

[[gnu::always_inline]] inline std::int32_t balance_of(double first, double second) {
  const double deviation = std::fabs((second - first) / 2);
  return static_cast<std::int32_t>((1 - deviation) * 100);
}

[[gnu::always_inline]] inline void balance(const AmountBlock& first, double first_pod,
                                           const AmountBlock& second, double second_pod, std::size_t nodes,
                                           std::int64_t* out) {
  for (std::size_t i = 0; i < nodes; ++i) {
    const double first_has = to_double(first.allocatable[i]), first_asked = to_double(first.requested[i]);
    const double second_has = to_double(second.allocatable[i]), second_asked = to_double(second.requested[i]);
    const std::int32_t with = balance_of(at_most((first_asked + first_pod) / first_has, 1),
                                         at_most((second_asked + second_pod) / second_has, 1));
    const std::int32_t without =
        balance_of(at_most(first_asked / first_has, 1), at_most(second_asked / second_has, 1));
    out[i] = 50 + ((50 + with - without) >> 1);
  }
}

// The same four for a set of instructions.
#define WINNOW_SHARE_LANES(ATTRIBUTE)                                                                        \
  struct Lanes {                                                                                             \
    ATTRIBUTE static void free(const AmountBlock& block, double pod, double weight, std::size_t nodes,       \
                               SumBlock& to) {                                                               \
      add_free(block, pod, weight, nodes, to);                                                               \
    }                                                                                                        \
    ATTRIBUTE static void used(const AmountBlock& block, double pod, double weight, std::size_t nodes,       \
                               SumBlock& to) {                                                               \
      add_used(block, pod, weight, nodes, to);                                                               \
    }                                                                                                        \
    ATTRIBUTE static void quotients(const SumBlock& sums, double by, std::size_t nodes, std::int64_t* out) { \
      divide(sums, by, nodes, out);                                                                          \
    }                                                                                                        \
    ATTRIBUTE static void balances(const AmountBlock& first, double first_pod, const AmountBlock& second,    \
                                   double second_pod, std::size_t nodes, std::int64_t* out) {                \
      balance(first, first_pod, second, second_pod, nodes, out);                                             \
    }                                                                                                        \
    static constexpr ShareLanes all() { return {free, used, quotients, balances}; }                          \
  };

namespace baseline {
WINNOW_SHARE_LANES()
}  // namespace baseline
#ifdef __x86_64__
namespace wide {
WINNOW_SHARE_LANES([[gnu::target("avx2")]])
}  // namespace wide
constexpr ShareLanes kAll[] = {baseline::Lanes::all(), wide::Lanes::all()};

std::size_t usable() { return __builtin_cpu_supports("avx2") ? 2 : 1; }
#else
constexpr ShareLanes kAll[] = {baseline::Lanes::all()};

std::size_t usable() { return 1; }
#endif
#undef WINNOW_SHARE_LANES

}  // namespace

bool AmountBlock::read(const ResourceUse& use, std::span<const NodeId> nodes) {
  const std::int64_t* const has = use.node.allocatable.flat();
  const std::int64_t* const asked = use.node.requested.flat();
  return has && asked ? read_amounts(has, asked, nodes, *this)
                      : read_amounts(use.node.allocatable, use.node.requested, nodes, *this);
}

std::span<const ShareLanes> all_share_lanes() { return std::span(kAll).first(usable()); }

const ShareLanes& share_lanes() {
  static const ShareLanes& widest = all_share_lanes().back();
  return widest;
}

}  // namespace winnow::priorities
