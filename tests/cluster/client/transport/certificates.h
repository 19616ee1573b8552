// Certificates for tests, made when a test runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace winnow::live::test {

/// A certificate and its key, in PEM.
struct Identity {
  std::string certificate, key;
};

struct CertificateSpec {
  std::string common_name = "test";
  std::vector<std::string> more_common_names = {};  ///< Behind the first one.
  std::vector<std::string> names;                   ///< Subject alternative names of type DNS.
  std::vector<std::string> addresses;               ///< Subject alternative names of type IP.
  int valid_hours = 24;                             ///< Hours until it expires; negative: it has expired.
};

/// A certificate authority. Thread-safe.
class Authority {
 public:
  Authority();
  ~Authority();
  const std::string& certificate() const;  ///< PEM.
  Identity issue(const CertificateSpec& spec) const;

 private:
  struct Parts;
  std::unique_ptr<const Parts> parts_;
};

/// A certificate that is signed by itself, and that no authority has issued.
Identity self_signed(const CertificateSpec& spec);

}  // namespace winnow::live::test
