// The digest of a secret, with a key that is drawn for each object.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace winnow {

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
