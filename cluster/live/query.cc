#include "cluster/live/query.h"

namespace winnow::live {
namespace {

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").contains(c);
}

}  // namespace

Query& Query::add(std::string_view name, std::string_view value) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  if (value.empty()) return *this;
  text_.append(1, joint_).append(name).append(1, '=');
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      text_ += c;
    else
      text_.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  joint_ = '&';
  return *this;
}

}  // namespace winnow::live
