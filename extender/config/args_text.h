// The values of a rule's arguments as texts, with the names of their fields. A new field is there without a
// further line, as in a Fingerprint.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <format>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/rule/fingerprint.h"

namespace winnow {

namespace args_text_detail {

/// Stands for an object of the struct. It is named and not defined: only addresses in it are taken.
template <class Struct>
struct Holder {
  Struct value;
};
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <class Struct>
extern Holder<Struct> kNamed;

/// Pointers to all members, as Fingerprint counts them.
template <class Struct>
constexpr auto pointers(Struct& of) {
  constexpr std::size_t kMembers = fingerprint_detail::count_members<std::remove_const_t<Struct>>();
  if constexpr (kMembers == 1) {
    auto& [a] = of;
    return std::tuple(&a);
  } else if constexpr (kMembers == 2) {
    auto& [a, b] = of;
    return std::tuple(&a, &b);
  } else if constexpr (kMembers == 3) {
    auto& [a, b, c] = of;
    return std::tuple(&a, &b, &c);
  } else if constexpr (kMembers == 4) {
    auto& [a, b, c, d] = of;
    return std::tuple(&a, &b, &c, &d);
  } else if constexpr (kMembers == 5) {
    auto& [a, b, c, d, e] = of;
    return std::tuple(&a, &b, &c, &d, &e);
  } else if constexpr (kMembers == 8) {
    auto& [a, b, c, d, e, f, g, h] = of;
    return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h);
  } else if constexpr (kMembers == 9) {
    auto& [a, b, c, d, e, f, g, h, i] = of;
    return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i);
  } else {
    static_assert(kMembers == 10, "add a case for this number of members");
    auto& [a, b, c, d, e, f, g, h, i, j] = of;
    return std::tuple(&a, &b, &c, &d, &e, &f, &g, &h, &i, &j);
  }
}

/// The last name in the text.
constexpr std::string_view last_name(std::string_view text) {
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  text = text.substr(0, text.find_last_of(kOfNames) + 1);
  return text.substr(text.find_last_not_of(kOfNames) + 1);
}

/// What the compiler calls this function ends in the name of the value.
template <auto kValue>
constexpr const char* named_by() {
  return __PRETTY_FUNCTION__;
}
template <auto kValue>
constexpr std::string_view name_of_value() {
  return last_name(named_by<kValue>());
}

template <class Struct, std::size_t kMember>
constexpr std::string_view member_name() {
  return name_of_value<std::get<kMember>(pointers(kNamed<Struct>.value))>();
}
#ifdef __clang__
#pragma clang diagnostic pop
#endif

/// "hard_pod_affinity_weight" is hardPodAffinityWeight in a file.
inline std::string file_name(std::string_view member) {
  std::string name;
  for (std::size_t i = 0; i < member.size(); ++i)
    if (member[i] != '_')
      name += i > 0 && member[i - 1] == '_' && member[i] >= 'a' && member[i] <= 'z'
                  ? static_cast<char>(member[i] - 'a' + 'A')
                  : member[i];
  return name;
}

/// The name of an enumerator kLikeThis: "LikeThis". The first sixteen values are known.
template <class Enum>
std::string enum_text(Enum value) {
  std::string text = std::to_string(static_cast<std::int64_t>(value));
  [&]<std::size_t... kValues>(std::index_sequence<kValues...>) {
    constexpr std::array<std::string_view, sizeof...(kValues)> kNames = {
        name_of_value<static_cast<Enum>(kValues)>()...};
    const auto at = static_cast<std::size_t>(value);
    if (at < kNames.size() && kNames[at].starts_with('k')) text = kNames[at].substr(1);
  }(std::make_index_sequence<16>());
  return text;
}

}  // namespace args_text_detail

inline std::string args_text(const std::string& text) { return text; }
inline std::string args_text(bool flag) { return flag ? "true" : "false"; }
inline std::string args_text(double number) { return std::format("{}", number); }
template <std::integral Number>
std::string args_text(Number number) {
  return std::to_string(number);
}
template <class Enum>
  requires std::is_enum_v<Enum>
std::string args_text(Enum value) {
  return args_text_detail::enum_text(value);
}
template <class Item>
std::string args_text(const std::vector<Item>& items);
template <class Item>
std::string args_text(const std::optional<Item>& item);
template <class Value, class Less>
std::string args_text(const std::map<std::string, Value, Less>& map);
template <class Struct>
  requires std::is_aggregate_v<Struct>
std::string args_text(const Struct& of);

/// The fields of a struct: names as a file has them, and values. Lists are in brackets; what is absent or
/// empty is "none".
template <class Struct>
std::vector<std::pair<std::string, std::string>> args_fields(const Struct& of) {
  std::vector<std::pair<std::string, std::string>> fields;
  [&]<std::size_t... kMembers>(std::index_sequence<kMembers...>) {
    const auto pointers = args_text_detail::pointers(of);
    (fields.emplace_back(args_text_detail::file_name(args_text_detail::member_name<Struct, kMembers>()),
                         args_text(*std::get<kMembers>(pointers))),
     ...);
  }(std::make_index_sequence<fingerprint_detail::count_members<Struct>()>());
  return fields;
}

template <class Item>
std::string args_text(const std::vector<Item>& items) {
  if (items.empty()) return "none";
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : ", ") + args_text(item);
  return '[' + text + ']';
}
template <class Item>
std::string args_text(const std::optional<Item>& item) {
  return item ? args_text(*item) : "none";
}
template <class Value, class Less>
std::string args_text(const std::map<std::string, Value, Less>& map) {
  if (map.empty()) return "none";
  std::string text;
  for (const auto& [key, value] : map) text += (text.empty() ? "" : ", ") + (key + ": ") + args_text(value);
  return '{' + text + '}';
}
/// Fields that say nothing are left out.
template <class Struct>
  requires std::is_aggregate_v<Struct>
std::string args_text(const Struct& of) {
  std::string text;
  for (const auto& [name, value] : args_fields(of))
    if (!value.empty() && value != "none") text += (text.empty() ? "" : ", ") + (name + ": ") + value;
  return '{' + text + '}';
}

}  // namespace winnow
