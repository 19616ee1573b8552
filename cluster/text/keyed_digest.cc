#include "cluster/text/keyed_digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <new>

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
