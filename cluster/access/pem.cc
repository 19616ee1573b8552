#include "cluster/access/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <format>
#include <memory>

namespace winnow::live {
namespace {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;

Bio reader_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// Without this OpenSSL would ask for a password at the terminal.
int no_password(char*, int, int, void*) { return -1; }

Certificate next_certificate(const Bio& bio) {
  return Certificate(PEM_read_bio_X509_AUX(bio.get(), nullptr, no_password, nullptr));
}

/// Whether reading ended at the end of the text, and not at an error.
bool at_end() {
  const bool end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return end;
}

}  // namespace

std::expected<std::size_t, std::string> for_each_certificate(const std::string& text, std::string_view what,
                                                             const std::function<void(X509*)>& take) {
  const Bio bio = reader_of(text);
  std::size_t count = 0;
  for (; const Certificate certificate = next_certificate(bio); ++count) take(certificate.get());
  if (!at_end()) return std::unexpected(std::format("{} holds a certificate that cannot be read", what));
  return count;
}

std::expected<void, std::string> present(SSL_CTX* context, const std::string& certificate,
                                         const std::string& key, std::string_view whose) {
  const auto error = [&](std::string_view text) { return std::unexpected(std::format("{}{}", whose, text)); };
  const Bio bio = reader_of(certificate);
  const Certificate own = next_certificate(bio);
  if (own == nullptr) return error("certificate is not a certificate in PEM");
  if (SSL_CTX_use_certificate(context, own.get()) != 1)
    return error("certificate cannot be used: is its key too short?");
  while (Certificate link = next_certificate(bio))
    if (SSL_CTX_add0_chain_cert(context, link.get()) == 1) static_cast<void>(link.release());
  if (!at_end()) return error("certificate's chain cannot be read");
  const Bio key_bio = reader_of(key);
  const Key read(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, no_password, nullptr));
  if (read == nullptr) return error("key is not a private key in PEM without a password");
  if (SSL_CTX_use_PrivateKey(context, read.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return error(std::format("certificate and {}key do not belong together", whose));
  return {};
}

}  // namespace winnow::live
