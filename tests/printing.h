// What doctest prints of values in a failed check. Every file of the unit tests includes it first.
#pragma once

#include <chrono>
#include <expected>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A `const char*` is a text, not an address.
#define DOCTEST_CONFIG_TREAT_CHAR_STAR_AS_STRING
#include <doctest/doctest.h>

namespace winnow::test {

/// The elements with commas between, in brackets: {1, 2}.
template <typename List>
doctest::String list_text(const List& list) {
  doctest::String text = "{";
  bool first = true;
  for (const auto& element : list) {
    if (!std::exchange(first, false)) text += ", ";
    text += doctest::toString(element);
  }
  return text + "}";
}

}  // namespace winnow::test

namespace doctest {

template <typename T>
struct StringMaker<std::vector<T>> {
  static String convert(const std::vector<T>& list) { return winnow::test::list_text(list); }
};
template <>
struct StringMaker<std::vector<bool>> {
  static String convert(const std::vector<bool>& list) {
    String text = "{";
    for (std::size_t i = 0; i < list.size(); ++i)
      text += String(i == 0 ? "" : ", ") + (list[i] ? "true" : "false");
    return text + "}";
  }
};
template <typename T>
struct StringMaker<std::span<T>> {
  static String convert(std::span<T> list) { return winnow::test::list_text(list); }
};
template <typename T>
struct StringMaker<std::set<T>> {
  static String convert(const std::set<T>& set) { return winnow::test::list_text(set); }
};
template <typename Key, typename Value, typename Less>
struct StringMaker<std::map<Key, Value, Less>> {
  static String convert(const std::map<Key, Value, Less>& map) { return winnow::test::list_text(map); }
};
template <typename First, typename Second>
struct StringMaker<std::pair<First, Second>> {
  static String convert(const std::pair<First, Second>& pair) {
    return toString(pair.first) + ": " + toString(pair.second);
  }
};
template <typename T>
struct StringMaker<std::optional<T>> {
  static String convert(const std::optional<T>& value) { return value ? toString(*value) : "nothing"; }
};
template <typename T, typename Error>
struct StringMaker<std::expected<T, Error>> {
  static String convert(const std::expected<T, Error>& value) {
    return value ? toString(*value) : "error: " + toString(value.error());
  }
};
template <typename Error>
struct StringMaker<std::expected<void, Error>> {
  static String convert(const std::expected<void, Error>& value) {
    return value ? String("done") : "error: " + toString(value.error());
  }
};
template <typename Count, typename Period>
struct StringMaker<std::chrono::duration<Count, Period>> {
  static String convert(std::chrono::duration<Count, Period> duration) {
    return toString(std::chrono::duration<double>(duration).count()) + " s";
  }
};

}  // namespace doctest
