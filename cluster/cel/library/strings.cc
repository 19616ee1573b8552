// Functions of strings. Upstream: cel-go v0.29.2 ext/strings.go, version 2; Go 1.26 strings.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "cluster/cel/containers.h"
#include "cluster/cel/library/libraries.h"
#include "cluster/cel/numbers.h"
#include "cluster/cel/search.h"

namespace winnow::cel {
namespace {

using Characters = std::vector<std::uint32_t>;

Value out_of_range(std::int64_t index) {
  return Value::error("index out of range: " + std::to_string(index));
}
Value text_too_long() { return Value::error("a text is too long"); }

Value text_from(const Characters& characters, std::size_t from, std::size_t to) {
  return Value::string(text_of(characters.data() + from, characters.data() + to));
}

Value char_at(Arguments arguments) {
  const Characters text = characters_of(arguments[0].text());
  const std::int64_t index = arguments[1].as_int();
  if (index < 0 || static_cast<std::uint64_t>(index) > text.size()) return out_of_range(index);
  const auto at = static_cast<std::size_t>(index);
  return at == text.size() ? Value::borrowed("") : text_from(text, at, at + 1);
}

/// The place in bytes of the character; the end of the text if it has fewer.
std::size_t byte_of(std::string_view text, std::uint64_t character) {
  std::size_t at = 0;
  for (; character > 0 && at < text.size(); --character) at += next_character(text.substr(at)).size;
  return at;
}

Value place_of(std::string_view text, std::size_t byte) {
  if (byte == std::string_view::npos) return Value::integer(-1);
  return Value::integer(static_cast<std::int64_t>(count_characters(text.substr(0, byte))));
}

Value index_from(std::string_view text, std::string_view part, std::int64_t offset) {
  if (offset < 0) return out_of_range(offset);
  if (part.empty())
    return Value::integer(std::min(offset, static_cast<std::int64_t>(count_characters(text))));
  return place_of(text, find_text(text, part, byte_of(text, static_cast<std::uint64_t>(offset))));
}
Value text_index_of(Arguments arguments) { return index_from(arguments[0].text(), arguments[1].text(), 0); }
Value index_of_from(Arguments arguments) {
  return index_from(arguments[0].text(), arguments[1].text(), arguments[2].as_int());
}

Value last_index_from(std::string_view text, std::string_view part, std::int64_t offset) {
  if (offset < 0) return out_of_range(offset);
  const auto size = static_cast<std::int64_t>(count_characters(text));
  if (part.empty()) return Value::integer(std::min(offset, size));
  if (offset >= size) return Value::integer(-1);
  // The part may begin at the character of the offset at last.
  const std::size_t last = byte_of(text, static_cast<std::uint64_t>(offset));
  return place_of(text, find_last_text(text.substr(0, std::min(text.size(), last + part.size())), part));
}
Value text_last_index_of(Arguments arguments) {
  const std::string_view text = arguments[0].text();
  const std::string_view part = arguments[1].text();
  const auto size = static_cast<std::int64_t>(count_characters(text));
  if (part.empty()) return Value::integer(size);
  if (text.size() < part.size()) return Value::integer(-1);
  return last_index_from(text, part, size - 1);
}
Value last_index_of_from(Arguments arguments) {
  return last_index_from(arguments[0].text(), arguments[1].text(), arguments[2].as_int());
}

/// Letters of ASCII changed; what is no UTF-8 becomes U+FFFD.
template <char first, char last, int difference>
Value with_case(Arguments arguments) {
  Characters text = characters_of(arguments[0].text());
  for (std::uint32_t& c : text)
    if (c >= first && c <= last) c = static_cast<std::uint32_t>(static_cast<int>(c) + difference);
  return text_from(text, 0, text.size());
}

/// Go's strings.Replace. An empty text is found before each character and at the end.
Value replaced(std::string_view text, std::string_view from, std::string_view to, std::int64_t most) {
  std::string result;
  std::size_t start = 0;
  std::size_t search = 0;
  for (std::int64_t count = 0; most < 0 || count < most; ++count) {
    if (from.empty()) {
      if (count > 0) {
        if (search >= text.size()) break;
        search += next_character(text.substr(search)).size;
      }
    } else {
      search = find_text(text, from, start);
      if (search == std::string_view::npos) break;
    }
    result.append(text.substr(start, search - start)).append(to);
    if (result.size() > kLongestResult) return text_too_long();
    start = search + from.size();
  }
  return Value::string(std::move(result.append(text.substr(start))));
}
Value replace(Arguments arguments) {
  return replaced(arguments[0].text(), arguments[1].text(), arguments[2].text(), -1);
}
Value replace_some(Arguments arguments) {
  return replaced(arguments[0].text(), arguments[1].text(), arguments[2].text(), arguments[3].as_int());
}

/// Go's strings.SplitN.
Value parts_of(std::string_view text, std::string_view separator, std::int64_t most) {
  std::vector<Value> parts;
  if (most == 0) return Value::list_of({});
  while (most < 0 || static_cast<std::int64_t>(parts.size()) + 1 < most) {
    std::size_t end = find_text(text, separator);
    if (separator.empty()) {
      if (text.empty()) return Value::list_of(std::move(parts));
      end = next_character(text).size;
      if (end == text.size()) break;
    }
    if (end == std::string_view::npos) break;
    parts.push_back(Value::string(std::string(text.substr(0, end))));
    text.remove_prefix(end + separator.size());
  }
  if (!separator.empty() || !text.empty()) parts.push_back(Value::string(std::string(text)));
  return Value::list_of(std::move(parts));
}
Value split(Arguments arguments) { return parts_of(arguments[0].text(), arguments[1].text(), -1); }
Value split_some(Arguments arguments) {
  return parts_of(arguments[0].text(), arguments[1].text(), arguments[2].as_int());
}

Value substring_from(Arguments arguments) {
  const Characters text = characters_of(arguments[0].text());
  const std::int64_t start = arguments[1].as_int();
  if (start < 0 || static_cast<std::uint64_t>(start) > text.size()) return out_of_range(start);
  return text_from(text, static_cast<std::size_t>(start), text.size());
}
Value substring(Arguments arguments) {
  const Characters text = characters_of(arguments[0].text());
  const std::int64_t start = arguments[1].as_int();
  const std::int64_t end = arguments[2].as_int();
  if (start > end)
    return Value::error("invalid substring range. start: " + std::to_string(start) +
                        ", end: " + std::to_string(end));
  for (const std::int64_t index : {start, end})
    if (index < 0 || static_cast<std::uint64_t>(index) > text.size()) return out_of_range(index);
  return text_from(text, static_cast<std::size_t>(start), static_cast<std::size_t>(end));
}

/// Unicode's White_Space, as Go's unicode.IsSpace.
bool is_space(std::uint32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

Value trim(Arguments arguments) {
  std::string_view text = arguments[0].text();
  std::size_t end = 0;
  bool started = false;
  std::size_t start = text.size();
  for (std::size_t at = 0; at < text.size();) {
    const Character next = next_character(text.substr(at));
    if (!is_space(next.value)) {
      if (!started) start = at;
      started = true;
      end = at + next.size;
    }
    at += next.size;
  }
  return Value::string(std::string(started ? text.substr(start, end - start) : std::string_view()));
}

Value joined(const List& list, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0, size = list.size(); i < size; ++i) {
    if (i > 0) text += separator;
    const Value item = list.at(i);
    if (!item.is(Kind::kString)) return Value::error("join: invalid input: " + plain_text(item));
    text += item.text();
    if (text.size() > kLongestResult) return text_too_long();
  }
  return Value::string(std::move(text));
}
Value join(Arguments arguments) { return joined(arguments[0].as_list(), ""); }
Value join_with(Arguments arguments) { return joined(arguments[0].as_list(), arguments[1].text()); }

Value quote(Arguments arguments) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string text = "\"";
  for (std::uint32_t c : characters_of(arguments[0].text())) {
    const std::size_t found = c < 0x80 ? kEscaped.find(static_cast<char>(c)) : std::string_view::npos;
    if (found == std::string_view::npos) {
      text += text_of(&c, &c + 1);
    } else {
      text += '\\';
      text += kLetters[found];
    }
  }
  return Value::string(text + '"');
}

}  // namespace

void add_strings(Environment& environment) {
  const Type t = Type::string();
  const Type i = Type::integer();
  const Type texts = Type::list(t);
  environment.add_function({"charAt", {member("string_char_at_int", {t, i}, t, char_at)}});
  environment.add_function({"indexOf",
                            {member("string_index_of_string", {t, t}, i, text_index_of),
                             member("string_index_of_string_int", {t, t, i}, i, index_of_from)}});
  environment.add_function({"lastIndexOf",
                            {member("string_last_index_of_string", {t, t}, i, text_last_index_of),
                             member("string_last_index_of_string_int", {t, t, i}, i, last_index_of_from)}});
  environment.add_function({"lowerAscii", {member("string_lower_ascii", {t}, t, with_case<'A', 'Z', 32>)}});
  environment.add_function({"upperAscii", {member("string_upper_ascii", {t}, t, with_case<'a', 'z', -32>)}});
  environment.add_function({"replace",
                            {member("string_replace_string_string", {t, t, t}, t, replace),
                             member("string_replace_string_string_int", {t, t, t, i}, t, replace_some)}});
  environment.add_function({"split",
                            {member("string_split_string", {t, t}, texts, split),
                             member("string_split_string_int", {t, t, i}, texts, split_some)}});
  environment.add_function({"substring",
                            {member("string_substring_int", {t, i}, t, substring_from),
                             member("string_substring_int_int", {t, i, i}, t, substring)}});
  environment.add_function({"trim", {member("string_trim", {t}, t, trim)}});
  environment.add_function({"strings.quote", {overload("strings_quote", {t}, t, quote)}});
  environment.add_function(
      {"join",
       {member("list_join", {texts}, t, join), member("list_join_string", {texts, t}, t, join_with)}});
  add_format(environment);
}

}  // namespace winnow::cel
