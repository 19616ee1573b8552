// Internal: certificates and keys in PEM, for OpenSSL contexts. Only .cc files include this.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstddef>
#include <expected>
#include <functional>
#include <string>
#include <string_view>

namespace winnow::live {

/// Calls `take` with each certificate of the text, in order.
/// @return how many there are, or an error: "`what` holds a certificate that cannot be read".
std::expected<std::size_t, std::string> for_each_certificate(const std::string& text, std::string_view what,
                                                             const std::function<void(X509*)>& take);

/// Has the context present the certificate, its chain and its key. @param whose  begins the errors: "the
/// client " or "the ". The errors have no part of the texts.
std::expected<void, std::string> present(SSL_CTX* context, const std::string& certificate,
                                         const std::string& key, std::string_view whose);

}  // namespace winnow::live
