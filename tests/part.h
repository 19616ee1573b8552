#pragma once

namespace winnow::test {

/// Of long tests this build runs all, or a tenth where sanitizers or asserts slow it down.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
inline constexpr int kPart = 10;
#else
inline constexpr int kPart = 1;
#endif

/// How often a test repeats itself here, where all of it is `all` times. @return at least 1.
template <class Number>
constexpr Number part_of(Number all) {
  return all < Number{kPart} ? Number{1} : all / Number{kPart};
}

}  // namespace winnow::test
