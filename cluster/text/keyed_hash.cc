#include "cluster/text/keyed_hash.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <new>
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

namespace winnow {

// OpenSSL fails here for lack of memory only. A digest that is none would make secrets equal.
KeyedDigest::KeyedDigest() {
  if (RAND_bytes(key_.data(), static_cast<int>(key_.size())) != 1) throw std::bad_alloc();
}

std::string KeyedDigest::operator()(std::string_view text) const {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size) == nullptr)
    throw std::bad_alloc();
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace winnow
