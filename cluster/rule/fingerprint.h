// A hash over all fields of plain structs, for the fingerprint of a set of rules.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace winnow {

namespace fingerprint_detail {

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// Stands for any member of an aggregate. An optional is made of its value.
struct AnyMember {
  template <class T>
    requires(!kIsOptional<T>)
  operator T() const;
};

/// How many members the aggregate has.
template <class T, class... Members>
constexpr std::size_t count_members() {
  if constexpr (requires { T{Members{}..., AnyMember{}}; })
    return count_members<T, Members..., AnyMember>();
  else
    return sizeof...(Members);
}

}  // namespace fingerprint_detail

/// FNV-1a. It takes numbers, texts, lists, maps, optionals, and structs without constructors: of these it
/// takes every field, so that a new field counts without a further line.
class Fingerprint {
 public:
  std::uint64_t hash() const { return hash_; }

  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) add_byte(static_cast<std::uint8_t>(c));
  }
  template <class Number>
    requires std::integral<Number> || std::is_enum_v<Number>
  void add(Number number) {
    auto bits = static_cast<std::uint64_t>(number);
    for (int i = 0; i < 8; ++i, bits >>= 8) add_byte(static_cast<std::uint8_t>(bits));
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  template <class Item>
  void add(const std::vector<Item>& items) {
    add(items.size());
    for (const Item& item : items) add(item);
  }
  template <class Item>
  void add(const std::optional<Item>& item) {
    add(item.has_value());
    if (item) add(*item);
  }
  template <class Value, class Less>
  void add(const std::map<std::string, Value, Less>& map) {
    add(map.size());
    for (const auto& [key, value] : map) all(key, value);
  }
  template <class Struct>
    requires std::is_aggregate_v<Struct>
  void add(const Struct& of) {
    constexpr std::size_t kMembers = fingerprint_detail::count_members<Struct>();
    if constexpr (kMembers == 1) {
      const auto& [a] = of;
      all(a);
    } else if constexpr (kMembers == 2) {
      const auto& [a, b] = of;
      all(a, b);
    } else if constexpr (kMembers == 3) {
      const auto& [a, b, c] = of;
      all(a, b, c);
    } else if constexpr (kMembers == 4) {
      const auto& [a, b, c, d] = of;
      all(a, b, c, d);
    } else if constexpr (kMembers == 5) {
      const auto& [a, b, c, d, e] = of;
      all(a, b, c, d, e);
    } else if constexpr (kMembers == 8) {
      const auto& [a, b, c, d, e, f, g, h] = of;
      all(a, b, c, d, e, f, g, h);
    } else if constexpr (kMembers == 9) {
      const auto& [a, b, c, d, e, f, g, h, i] = of;
      all(a, b, c, d, e, f, g, h, i);
    } else {
      static_assert(kMembers == 10, "add a case for this number of members");
      const auto& [a, b, c, d, e, f, g, h, i, j] = of;
      all(a, b, c, d, e, f, g, h, i, j);
    }
  }
  template <class... Parts>
  void all(const Parts&... parts) {
    (add(parts), ...);
  }

 private:
  void add_byte(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3; }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace winnow
