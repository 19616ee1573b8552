#include "cluster/text/keyed_hash.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

namespace winnow {
namespace {

// The standard library hashes blocks of eight bytes: block * kFactor, its upper bits folded, * kFactor. Each
// step can be undone, so a second block can undo what a first one did.
constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
constexpr std::uint64_t inverse_of_factor() {
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kFactor * inverse;
  return inverse;
}
static_assert(inverse_of_factor() * kFactor == 1);

std::uint64_t fold_up(std::uint64_t bits) { return bits ^ bits >> 47; }

/// Texts of 16 bytes that have one hash in the standard library, whatever the first eight of them are.
std::vector<std::string> colliding_texts(std::size_t count) {
  constexpr std::uint64_t kStart = 0xc70f6907 ^ (16 * kFactor);
  std::vector<std::string> texts;
  for (std::uint64_t first = 1; first <= count; ++first) {
    const std::uint64_t mixed = (kStart ^ fold_up(first * kFactor) * kFactor) * kFactor;
    const std::uint64_t second = fold_up(mixed * inverse_of_factor()) * inverse_of_factor();
    std::string text(16, '\0');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST_CASE("texts that collide in the standard library's hash do not collide") {
  const std::vector<std::string> texts = colliding_texts(20'000);
  std::set<std::size_t> known, own;
  for (const std::string& text : texts) {
    known.insert(std::hash<std::string>{}(text));
    own.insert(TextHash{}(text));
  }
  CHECK(known.size() == 1);
  CHECK(own.size() == texts.size());

  const TextSet set(texts.begin(), texts.end());
  std::size_t longest = 0;
  for (std::size_t bucket = 0; bucket < set.bucket_count(); ++bucket)
    longest = std::max(longest, set.bucket_size(bucket));
  CHECK(longest < 32);
}

TEST_CASE("every byte and the length of a text count") {
  std::set<std::size_t> hashes;
  std::size_t texts = 0;
  for (std::size_t length = 0; length <= 70; ++length) {
    std::string text(length, 'a');
    hashes.insert(TextHash{}(text));
    ++texts;
    for (char& c : text) {
      c = 'b';
      hashes.insert(TextHash{}(text));
      c = 'a';
      ++texts;
    }
  }
  CHECK(hashes.size() == texts);
  CHECK(TextHash{}("abc") == TextHash{}(std::string("abc")));
}

TEST_CASE("numbers are mixed with a secret: one cannot undo another") {
  // With a mix that everybody can compute these pairs would have one hash.
  std::set<std::size_t> hashes;
  for (std::uint64_t i = 0; i < 20'000; ++i) hashes.insert(hash_mix(hash_mix(0, i), ~i + 1));
  CHECK(hashes.size() == 20'000);
  // Few bits differ, and all bits of the result do.
  int bits = 0;
  for (int i = 0; i < 64; ++i) bits += std::popcount(hash_mix(7, 1) ^ hash_mix(7, 1 ^ std::uint64_t{1} << i));
  CHECK(bits > 64 * 24);
}

}  // namespace
}  // namespace winnow
