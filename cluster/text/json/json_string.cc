#include "cluster/text/json/json_string.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <cstddef>

#include "cluster/text/printable.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kShort = "\"\\\n\r\t\b\f";
  constexpr std::string_view kLetters = "\"\\nrtbf";
  if (const std::size_t at = kShort.find(c); at != std::string_view::npos) {
    out += '\\';
    out += kLetters[at];
    return;
  }
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[byte >> 4];
  out += kHex[byte & 0xF];
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    // Nearly every string is plain ASCII, so runs of it are copied at once.
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    out += text.substr(at, end - at);
    at = end;
    if (at == text.size()) break;
    const std::size_t length = utf8_length(text, at);
    if (length == 1) {
      append_escaped(out, text[at]);
    } else {
      out += length == 0 ? kReplacement : text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  out += '"';
}

void append_quoted_line(std::string& out, std::string_view text) {
  const auto is_shown = [](char c) { return c >= ' ' && c < '\x7f'; };
  // Thousands of nodes may have a text each, and nearly all are plain.
  if (text.size() <= kMostLineBytes && std::ranges::all_of(text, is_shown)) return append_quoted(out, text);
  append_quoted(out, one_line(text, kMostLineBytes));
}

bool unescape(std::string_view raw, std::string& text) {
  // The parser's UTF-8 check may read past a text that ends within a character.
  std::string padded(raw);
  padded.append(8, '\0');
  rapidjson::Document document;
  rapidjson::MemoryStream stream(padded.data(), raw.size());
  document.ParseStream<rapidjson::kParseValidateEncodingFlag, rapidjson::UTF8<>>(stream);
  // The parser takes a zero byte for the end.
  if (document.HasParseError() || !document.IsString() || stream.Tell() != raw.size()) return false;
  text.assign(document.GetString(), document.GetStringLength());
  return true;
}

}  // namespace winnow
