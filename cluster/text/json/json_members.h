// Internal: the members of JSON objects, read with JsonScan. Only .cc files include this.
#pragma once

#include <string>
#include <string_view>

#include "cluster/text/json/json_scan.h"
#include "cluster/text/json/json_string.h"

namespace winnow {

/// Calls member(key) at the value of each member of the object at the cursor. member() must move the cursor
/// past the value. Keys are raw, without quotes. @return false for invalid text, with an error at the cursor.
template <class Member>
bool read_members(JsonScan& scan, Member&& member) {
  if (!scan.expect('{')) return false;
  if (scan.eat('}')) return true;
  do {
    std::string_view key = scan.string();
    if (!scan.expect(':')) return false;
    key.remove_prefix(1);
    key.remove_suffix(1);
    member(key);
    if (scan.failed()) return false;
  } while (scan.eat(','));
  return scan.expect('}');
}

/// Calls element() at each value of the array at the cursor; null counts as an empty array.
template <class Element>
bool read_elements(JsonScan& scan, Element&& element) {
  if (scan.peek() == 'n') return scan.value() == "null";
  if (!scan.expect('[')) return false;
  if (scan.eat(']')) return true;
  do {
    element();
    if (scan.failed()) return false;
  } while (scan.eat(','));
  return scan.expect(']');
}

/// Moves past a value. @return the raw content of a string; "" for any other value.
inline std::string_view raw_string(JsonScan& scan) {
  const std::string_view value = scan.value();
  return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : std::string_view();
}

/// The same, with escapes resolved.
inline std::string string_text(JsonScan& scan) {
  const std::string_view value = scan.value();
  std::string text;
  if (!value.empty() && value.front() == '"') unescape(value, text);
  return text;
}

/// Moves past a value. Members are read if it is an object.
template <class Member>
void read_object(JsonScan& scan, Member&& member) {
  if (scan.peek() == '{')
    read_members(scan, member);
  else
    scan.value();
}

}  // namespace winnow
