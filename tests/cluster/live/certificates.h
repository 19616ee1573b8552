// Certificates made on the spot.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace winnow::live::test {

/// PEM.
struct Identity {
  std::string certificate, key;
};

struct CertificateSpec {
  std::string common_name = "test";
  std::vector<std::string> names;      ///< Subject alternative names: DNS
  std::vector<std::string> addresses;  ///< and IP.
  int valid_hours = 24;                ///< From an hour ago… ended, if negative.
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

/// Signed by itself, an authority for nobody.
Identity self_signed(const CertificateSpec& spec);

}  // namespace winnow::live::test
