#include "cluster/cel/ip_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"

namespace winnow::cel {
namespace {

constexpr std::size_t kIpBytes = 16;

/// Reads four decimal fields. @return nothing, or what is wrong.
std::optional<std::string_view> read_v4_fields(std::string_view text, std::span<std::uint8_t, 4> fields) {
  int value = 0;
  int digits = 0;
  std::size_t field = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_digit(c)) {
      if (digits == 1 && value == 0) return "IPv4 field has octet with leading zero";
      value = value * 10 + (c - '0');
      ++digits;
      if (value > 255) return "IPv4 field has value >255";
    } else if (c == '.') {
      if (i == 0 || i == text.size() - 1 || text[i - 1] == '.') {
        return "IPv4 field must have at least one digit";
      }
      if (field == 3) return "IPv4 address too long";
      fields[field++] = static_cast<std::uint8_t>(value);
      value = 0;
      digits = 0;
    } else {
      return "unexpected character";
    }
  }
  if (field < 3) return "IPv4 address too short";
  fields[3] = static_cast<std::uint8_t>(value);
  return std::nullopt;
}

/// Reads the groups of an IPv6 address into bytes, and remembers where "::" stands.
class GroupReader {
 public:
  GroupReader(std::string_view text, std::span<std::uint8_t, kIpBytes> bytes) : rest_(text), bytes_(bytes) {}

  /// @return nothing, or what is wrong.
  std::optional<std::string_view> read() {
    if (rest_.starts_with("::")) {
      ellipsis_ = 0;
      rest_.remove_prefix(2);
    }
    // "::" alone ends here; any other text has a group.
    if (ellipsis_ != 0 || !rest_.empty()) {
      while (at_ < kIpBytes && !ended_) {
        if (auto wrong = read_group()) return wrong;
      }
      if (!rest_.empty()) return "trailing garbage after address";
    }
    return expand();
  }

 private:
  std::optional<std::string_view> read_group() {
    unsigned value = 0;
    std::size_t length = 0;
    while (length < rest_.size() && hex_digit(rest_[length]) >= 0) {
      if (length > 3) return "each group must have 4 or less digits";
      value = value * 16 + static_cast<unsigned>(hex_digit(rest_[length++]));
    }
    if (length == 0) return "each colon-separated field must have at least one digit";
    if (length < rest_.size() && rest_[length] == '.') return read_embedded();
    bytes_[at_] = static_cast<std::uint8_t>(value >> 8);
    bytes_[at_ + 1] = static_cast<std::uint8_t>(value & 0xff);
    at_ += 2;
    rest_.remove_prefix(length);
    return read_colon();
  }

  std::optional<std::string_view> read_colon() {
    if (rest_.empty()) return end();
    if (rest_[0] != ':') return "unexpected character, want colon";
    if (rest_.size() == 1) return "colon must be followed by more characters";
    rest_.remove_prefix(1);
    if (rest_[0] != ':') return std::nullopt;
    if (ellipsis_) return "multiple :: in address";
    ellipsis_ = at_;
    rest_.remove_prefix(1);
    return rest_.empty() ? end() : std::nullopt;
  }

  std::optional<std::string_view> read_embedded() {
    if (!ellipsis_ && at_ != 12) {
      return "embedded IPv4 address must replace the final 2 fields of the address";
    }
    if (at_ + 4 > kIpBytes) return "too many hex fields to fit an embedded IPv4 at the end of the address";
    if (auto wrong = read_v4_fields(rest_, bytes_.subspan(at_).first<4>())) return wrong;
    rest_ = {};
    at_ += 4;
    return end();
  }

  std::optional<std::string_view> end() {
    ended_ = true;
    return std::nullopt;
  }

  std::optional<std::string_view> expand() {
    if (at_ == kIpBytes) {
      if (ellipsis_) return "the :: must expand to at least one field of zeros";
      return std::nullopt;
    }
    if (!ellipsis_) return "address string too short";
    const auto tail = bytes_.subspan(*ellipsis_, at_ - *ellipsis_);
    std::ranges::move_backward(tail, bytes_.end());
    std::ranges::fill(bytes_.subspan(*ellipsis_, kIpBytes - at_), std::uint8_t{0});
    return std::nullopt;
  }

  std::string_view rest_;
  std::span<std::uint8_t, kIpBytes> bytes_;
  std::size_t at_ = 0;
  std::optional<std::size_t> ellipsis_;
  bool ended_ = false;
};

}  // namespace

std::expected<IpValue, std::string> IpValue::read_v4(std::string_view text) {
  IpValue ip;
  const std::span<std::uint8_t, kIpBytes> bytes(ip.bytes_);
  if (const auto wrong = read_v4_fields(text, bytes.first<4>())) return std::unexpected(std::string(*wrong));
  return ip;
}

std::expected<IpValue, std::string> IpValue::read_v6(std::string_view text) {
  IpValue ip;
  ip.is_v4_ = false;
  if (const auto wrong = GroupReader(text, ip.bytes_).read()) return std::unexpected(std::string(*wrong));
  return ip;
}

std::expected<IpValue, std::string> IpValue::read(std::string_view text) {
  const std::size_t mark = text.find_first_of(".:%");
  if (mark == std::string_view::npos) return std::unexpected("unable to parse IP");
  if (text[mark] == '.') return read_v4(text);
  if (text[mark] == '%') return std::unexpected("missing IPv6 address");
  if (text.contains('%')) return std::unexpected("zone value is not allowed");
  return read_v6(text);
}

std::expected<IpValue, std::string> IpValue::parse(std::string_view text) {
  const auto told = [text](std::string_view why) {
    return std::unexpected("IP Address " + go_quote(text) +
                           " parse error during conversion from string: " + std::string(why));
  };
  auto ip = read(text);
  if (!ip) return told(ip.error());
  if (ip->is_mapped()) return told("IPv4-mapped IPv6 address is not allowed");
  return ip;
}

bool is_v6_with_zone(std::string_view text) {
  const std::size_t zone = text.find('%');
  if (zone != std::string_view::npos && zone + 1 == text.size()) return false;
  const std::string_view address = text.substr(0, zone);
  const std::size_t mark = address.find_first_of(".:");
  if (mark == std::string_view::npos || address[mark] == '.') return false;
  return IpValue::read_v6(address).has_value();
}

std::uint16_t IpValue::group(std::size_t at) const {
  return static_cast<std::uint16_t>(bytes_[at * 2] << 8 | bytes_[at * 2 + 1]);
}

bool IpValue::is_mapped() const {
  if (is_v4_ || group(5) != 0xffff) return false;
  return std::ranges::all_of(std::span(bytes_).first<10>(), [](std::uint8_t byte) { return byte == 0; });
}

bool IpValue::is_unspecified() const {
  return std::ranges::all_of(bytes_, [](std::uint8_t byte) { return byte == 0; });
}

bool IpValue::is_loopback() const {
  if (is_v4_) return bytes_[0] == 127;
  IpValue one;
  one.is_v4_ = false;
  one.bytes_[15] = 1;
  return *this == one;
}

bool IpValue::is_multicast() const { return is_v4_ ? (bytes_[0] & 0xf0) == 0xe0 : bytes_[0] == 0xff; }

bool IpValue::is_link_local_multicast() const {
  if (is_v4_) return bytes_[0] == 224 && bytes_[1] == 0 && bytes_[2] == 0;
  return (group(0) & 0xff0f) == 0xff02;
}

bool IpValue::is_link_local_unicast() const {
  if (is_v4_) return bytes_[0] == 169 && bytes_[1] == 254;
  return (group(0) & 0xffc0) == 0xfe80;
}

bool IpValue::is_global_unicast() const {
  const bool is_broadcast = is_v4_ && std::ranges::all_of(std::span(bytes_).first<4>(),
                                                          [](std::uint8_t byte) { return byte == 255; });
  return !is_broadcast && !is_unspecified() && !is_loopback() && !is_multicast() && !is_link_local_unicast();
}

IpValue IpValue::masked(int bits) const {
  IpValue result = *this;
  for (std::size_t i = 0; i < kIpBytes; ++i) {
    const int kept = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
    result.bytes_[i] = static_cast<std::uint8_t>(result.bytes_[i] & (0xff00 >> kept));
  }
  return result;
}

namespace {

/// The first longest run of at least two groups of zeros. @return where it begins and ends; equal if none.
std::pair<std::size_t, std::size_t> longest_zeros(const std::array<std::uint16_t, 8>& groups) {
  std::pair<std::size_t, std::size_t> longest{groups.size(), groups.size()};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t end = i;
    while (end < groups.size() && groups[end] == 0) ++end;
    if (end - i >= 2 && end - i > longest.second - longest.first) longest = {i, end};
  }
  return longest;
}

void append_hex(std::string& text, std::uint16_t group) {
  std::array<char, 4> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), group, 16).ptr;
  text.append(digits.data(), end);
}

}  // namespace

std::string IpValue::text() const {
  std::string text;
  if (is_v4_) {
    for (std::size_t i = 0; i < 4; ++i) text += (i == 0 ? "" : ".") + std::to_string(bytes_[i]);
    return text;
  }
  std::array<std::uint16_t, 8> groups{};
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = group(i);
  const auto [zeros, end] = longest_zeros(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i == zeros && end > zeros) {
      text += "::";
      i = end;
      if (i == groups.size()) break;
    } else if (i > 0) {
      text += ':';
    }
    append_hex(text, groups[i]);
  }
  return text;
}

std::expected<CidrValue, std::string> CidrValue::parse(std::string_view text) {
  const auto told = [text](std::string_view why) {
    return std::unexpected("network address parse error during conversion from string: " + go_quote(text) +
                           ": " + std::string(why));
  };
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return told("no '/'");
  const auto ip = IpValue::read(text.substr(0, slash));
  if (!ip) return told(ip.error());
  const std::string_view bits_text = text.substr(slash + 1);
  int bits = 0;
  const bool is_number = !bits_text.empty() && std::ranges::all_of(bits_text, is_digit);
  if (!is_number || (bits_text.size() > 1 && bits_text[0] == '0')) return told("bad bits after slash");
  std::from_chars(bits_text.data(), bits_text.data() + bits_text.size(), bits);
  if (bits_text.size() > 3 || bits > static_cast<int>(ip->size()) * 8)
    return told("prefix length out of range");
  if (ip->is_mapped()) return told("IPv4-mapped IPv6 address is not allowed");
  CidrValue cidr;
  cidr.ip_ = *ip;
  cidr.bits_ = bits;
  return cidr;
}

CidrValue CidrValue::masked() const {
  CidrValue result = *this;
  result.ip_ = ip_.masked(bits_);
  return result;
}

bool CidrValue::contains(const IpValue& ip) const {
  return ip.is_v4_ == ip_.is_v4_ && ip.masked(bits_) == ip_.masked(bits_);
}

bool CidrValue::contains(const CidrValue& other) const { return bits_ <= other.bits_ && contains(other.ip_); }

std::string CidrValue::text() const { return ip_.text() + '/' + std::to_string(bits_); }

}  // namespace winnow::cel
