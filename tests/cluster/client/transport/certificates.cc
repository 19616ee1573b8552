#include "tests/cluster/client/transport/certificates.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <stdexcept>

namespace winnow::live::test {
namespace {

struct Free {
  void operator()(X509* object) const { X509_free(object); }
  void operator()(EVP_PKEY* object) const { EVP_PKEY_free(object); }
  void operator()(BIO* object) const { BIO_free(object); }
  void operator()(X509_EXTENSION* object) const { X509_EXTENSION_free(object); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

template <class Write>
std::string pem(const Write& write) {
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  write(bio.get());
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string certificate_pem(X509* certificate) {
  return pem([&](BIO* bio) { PEM_write_bio_X509(bio, certificate); });
}

std::string key_pem(EVP_PKEY* key) {
  return pem([&](BIO* bio) { PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

void extend(X509* certificate, int what, const std::string& text) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Owned<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, what, text.c_str()));
  if (extension == nullptr) throw std::runtime_error("no extension: " + text);
  X509_add_ext(certificate, extension.get(), -1);
}

std::string alternative_names(const CertificateSpec& spec) {
  std::string text;
  for (const std::string& name : spec.names) text += (text.empty() ? "DNS:" : ",DNS:") + name;
  for (const std::string& address : spec.addresses) text += (text.empty() ? "IP:" : ",IP:") + address;
  return text;
}

Owned<X509> make(const CertificateSpec& spec, EVP_PKEY* key, bool authority) {
  static std::atomic<long> serial = 1;
  Owned<X509> certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -3600L * (spec.valid_hours < 0 ? 48 : 1));
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600L * spec.valid_hours);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(spec.common_name.c_str()), -1, -1, 0);
  for (const std::string& name : spec.more_common_names)
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  extend(certificate.get(), NID_basic_constraints, authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  const std::string names = alternative_names(spec);
  if (!names.empty()) extend(certificate.get(), NID_subject_alt_name, names);
  return certificate;
}

void sign(X509* certificate, const X509_NAME* issuer, EVP_PKEY* key) {
  X509_set_issuer_name(certificate, issuer);
  X509_sign(certificate, key, EVP_sha256());
}

Owned<EVP_PKEY> new_key() { return Owned<EVP_PKEY>(EVP_EC_gen("P-256")); }

}  // namespace

struct Authority::Parts {
  Owned<EVP_PKEY> key = new_key();
  // Each authority has its own name. With equal names only the signatures would tell them apart.
  Owned<X509> certificate = make({"authority " + std::to_string(count++)}, key.get(), true);
  static inline std::atomic<int> count = 1;
  std::string text;
};

Authority::Authority() {
  auto parts = std::make_unique<Parts>();
  sign(parts->certificate.get(), X509_get_subject_name(parts->certificate.get()), parts->key.get());
  parts->text = certificate_pem(parts->certificate.get());
  parts_ = std::move(parts);
}
Authority::~Authority() = default;

const std::string& Authority::certificate() const { return parts_->text; }

Identity Authority::issue(const CertificateSpec& spec) const {
  const auto key = new_key();
  const auto certificate = make(spec, key.get(), false);
  sign(certificate.get(), X509_get_subject_name(parts_->certificate.get()), parts_->key.get());
  return {certificate_pem(certificate.get()), key_pem(key.get())};
}

Identity self_signed(const CertificateSpec& spec) {
  const auto key = new_key();
  const auto certificate = make(spec, key.get(), false);
  sign(certificate.get(), X509_get_subject_name(certificate.get()), key.get());
  return {certificate_pem(certificate.get()), key_pem(key.get())};
}

}  // namespace winnow::live::test
