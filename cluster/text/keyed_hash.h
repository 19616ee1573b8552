// A hash of texts and numbers, and the digest of a secret, with keys that are drawn by the process.
//
// Containers are keyed by texts that clients choose: names of nodes and pods, labels, UIDs. With a hash that
// everybody can compute, a client can send thousands of texts with one hash. Each look-up among them is then
// a walk over all of them. Nobody outside the process knows the key, so nobody can find such texts.
//
// The results differ from process to process. Nothing that is shown or kept may depend on them, or on the
// order of a container that uses them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace winnow {

namespace hash_detail {

__extension__ using Product = unsigned __int128;

using Key = std::array<std::uint64_t, 4>;
/// The key of the process. It is drawn before the statics of any file are made, and never changes. A static
/// of a function would cost a test of its guard at each use.
extern const Key key;

/// The two halves of a product, as one number. With a secret in a factor nobody can foresee it.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  const Product product = Product{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Number>
std::uint64_t load(const char* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

inline std::uint64_t byte(const char* at) { return static_cast<unsigned char>(*at); }

}  // namespace hash_detail

/// Mixes a value into a hash.
inline std::size_t hash_mix(std::size_t seed, std::size_t value) {
  const hash_detail::Key& key = hash_detail::key;
  return hash_detail::fold(seed ^ key[0], value ^ key[1]) + key[2];
}

/// The hash of a text. Sixteen bytes cost one multiplication.
struct TextHash {
  using is_transparent = void;

  std::size_t operator()(std::string_view text) const {
    using hash_detail::byte;
    using hash_detail::fold;
    using hash_detail::load;
    const hash_detail::Key& key = hash_detail::key;
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t hash = key[0] + left * 0x9e3779b97f4a7c15ull;
    for (; left > 16; at += 16, left -= 16)
      hash = fold(load<std::uint64_t>(at) ^ key[1], load<std::uint64_t>(at + 8) ^ hash);
    // The last bytes as two numbers, which may overlap.
    std::uint64_t first = 0, second = 0;
    if (left >= 8) {
      first = load<std::uint64_t>(at);
      second = load<std::uint64_t>(at + left - 8);
    } else if (left >= 4) {
      first = load<std::uint32_t>(at);
      second = load<std::uint32_t>(at + left - 4);
    } else if (left > 0) {
      first = byte(at) << 16 | byte(at + left / 2) << 8 | byte(at + left - 1);
    }
    return fold(fold(first ^ key[2], second ^ hash) ^ key[3], key[1] | 1);
  }
};

/// Containers of texts that clients choose.
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;

// The digest of a secret, with a key that is drawn for each object.

/// HMAC-SHA-256. Memory that holds a secret's digest in its place tells nothing of the secret, and nobody can
/// find a second text of the same digest. Where only speed against crafted keys matters, keyed_hash.h does.
/// Upstream: keyFunc of k8s.io/apiserver pkg/authentication/token/cache v0.37.0. Any thread.
class KeyedDigest {
 public:
  KeyedDigest();
  /// @return 32 bytes.
  std::string operator()(std::string_view text) const;

 private:
  std::array<unsigned char, 32> key_{};
};

}  // namespace winnow
