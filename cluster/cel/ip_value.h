// IP addresses and networks as Kubernetes' CEL libraries ip and cidr read them.
// Upstream: k8s.io/apiserver v0.37.2, pkg/cel/library/{ip,cidr}.go, over Go's net/netip.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace winnow::cel {

/// An IPv4 or IPv6 address. Zones, and IPv4 addresses mapped into IPv6, are errors. No allocation but for
/// texts.
class IpValue {
 public:
  /// @return the address, or one line that says what is wrong.
  static std::expected<IpValue, std::string> parse(std::string_view text);

  /// 4 or 6.
  int family() const { return is_v4_ ? 4 : 6; }
  bool is_unspecified() const;
  bool is_loopback() const;
  bool is_link_local_multicast() const;
  bool is_link_local_unicast() const;
  bool is_global_unicast() const;

  /// The canonical text: an address whose text() is not what was written is not canonical.
  std::string text() const;
  /// The length in bytes: 4 or 16.
  std::size_t size() const { return is_v4_ ? 4 : 16; }

  bool operator==(const IpValue&) const = default;

 private:
  friend class CidrValue;
  friend bool is_v6_with_zone(std::string_view text);

  /// Go's netip.ParseAddr without a zone. Mapped addresses are taken.
  static std::expected<IpValue, std::string> read(std::string_view text);
  static std::expected<IpValue, std::string> read_v4(std::string_view text);
  static std::expected<IpValue, std::string> read_v6(std::string_view text);
  bool is_mapped() const;
  bool is_multicast() const;
  std::uint16_t group(std::size_t at) const;
  /// The address with all but the first `bits` bits cleared.
  IpValue masked(int bits) const;

  bool is_v4_ = true;
  std::array<std::uint8_t, 16> bytes_{};  ///< An IPv4 address has the first four.
};

/// A network: an address and the length of its prefix in bits. The bits behind the prefix are kept.
class CidrValue {
 public:
  /// Reads "192.168.0.0/16". @return the network, or one line that says what is wrong.
  static std::expected<CidrValue, std::string> parse(std::string_view text);

  const IpValue& ip() const { return ip_; }
  int prefix_length() const { return bits_; }
  CidrValue masked() const;
  bool contains(const IpValue& ip) const;
  bool contains(const CidrValue& other) const;

  std::string text() const;
  /// The length of the prefix in bytes, rounded up, as upstream counts a network's size.
  std::size_t size() const { return static_cast<std::size_t>(bits_ + 7) / 8; }

  bool operator==(const CidrValue&) const = default;

 private:
  IpValue ip_;
  int bits_ = 0;
};

/// Whether Go's netip.ParseAddr takes the text as an IPv6 address, with or without a zone. For hosts of URLs.
bool is_v6_with_zone(std::string_view text);

}  // namespace winnow::cel
