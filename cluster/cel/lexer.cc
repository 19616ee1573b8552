#include "cluster/cel/lexer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"

namespace winnow::cel {
namespace {

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_octal(char c) { return c >= '0' && c <= '7'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'; }

constexpr std::array<std::pair<std::string_view, TokenKind>, 25> kSigns = {{
    {"==", TokenKind::kEquals},     {"!=", TokenKind::kNotEquals},
    {"<=", TokenKind::kLessEquals}, {">=", TokenKind::kGreaterEquals},
    {"&&", TokenKind::kAnd},        {"||", TokenKind::kOr},
    {"<", TokenKind::kLess},        {">", TokenKind::kGreater},
    {"[", TokenKind::kOpenBracket}, {"]", TokenKind::kCloseBracket},
    {"{", TokenKind::kOpenBrace},   {"}", TokenKind::kCloseBrace},
    {"(", TokenKind::kOpenParen},   {")", TokenKind::kCloseParen},
    {".", TokenKind::kDot},         {",", TokenKind::kComma},
    {"-", TokenKind::kMinus},       {"!", TokenKind::kNot},
    {"?", TokenKind::kQuestion},    {":", TokenKind::kColon},
    {"+", TokenKind::kPlus},        {"*", TokenKind::kStar},
    {"/", TokenKind::kSlash},       {"%", TokenKind::kPercent},
    {"", TokenKind::kEnd},
}};

/// Finds tokens from a place on. Each scan returns the end of the token, or kNone and where it failed.
class Lexer {
 public:
  Lexer(std::string_view text, std::vector<Issue>& issues) : text_(text), issues_(issues) {}

  std::vector<Token> all() {
    std::vector<Token> tokens;
    while (skip_space(), at_ < text_.size()) {
      const std::size_t start = at_;
      if (const TokenKind kind = token(); kind != TokenKind::kEnd)
        tokens.push_back({kind, static_cast<std::uint32_t>(start), text_.substr(start, at_ - start)});
      else
        refuse(start);
    }
    tokens.push_back({TokenKind::kEnd, static_cast<std::uint32_t>(text_.size()), {}});
    return tokens;
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  void skip_space() {
    for (;;) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (!text_.substr(at_).starts_with("//")) return;
      at_ = std::min(text_.find('\n', at_), text_.size());
    }
  }

  /// Upstream's lexer goes on behind the character that fits no token.
  void refuse(std::size_t start) {
    std::size_t end = std::min(failed_ + 1, text_.size());
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    issues_.push_back(
        {static_cast<std::uint32_t>(start), true,
         "Syntax error: token recognition error at: " + go_quote(text_.substr(start, end - start))});
    at_ = end;
  }

  /// Moves behind the token at at_. @return kEnd if there is none; failed_ is the character that does not
  /// fit.
  TokenKind token() {
    failed_ = at_;
    const char c = text_[at_];
    if (is_letter(c) || c == '_') return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(at_ + 1)))) return number();
    if (c == '"' || c == '\'') return ends(string(at_, false), TokenKind::kString);
    if (c == '`') return ends(escaped_identifier(), TokenKind::kEscapedIdentifier);
    for (const auto& [sign, kind] : kSigns)
      if (!sign.empty() && text_.substr(at_).starts_with(sign)) return ends(at_ + sign.size(), kind);
    if (c == '=' || c == '&' || c == '|') failed_ = at_ + 1;
    return TokenKind::kEnd;
  }

  TokenKind ends(std::size_t end, TokenKind kind) {
    if (end == kNone) return TokenKind::kEnd;
    at_ = end;
    return kind;
  }

  TokenKind word() {
    if (const std::size_t end = prefixed_string(); end != kNone) {
      const bool bytes = text_[at_] == 'b' || text_[at_] == 'B';
      return ends(end, bytes ? TokenKind::kBytes : TokenKind::kString);
    }
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '_')) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    at_ = end;
    if (name == "in") return TokenKind::kIn;
    if (name == "true") return TokenKind::kTrue;
    if (name == "false") return TokenKind::kFalse;
    return name == "null" ? TokenKind::kNull : TokenKind::kIdentifier;
  }

  /// A string behind r, b or br. If it has no end, the letters are a word.
  std::size_t prefixed_string() {
    std::size_t at = at_;
    if (peek(at) == 'b' || peek(at) == 'B') ++at;
    const bool raw = peek(at) == 'r' || peek(at) == 'R';
    if (raw) ++at;
    if (at == at_ || (peek(at) != '"' && peek(at) != '\'')) return kNone;
    return string(at, raw);
  }

  TokenKind number() {
    std::size_t at = at_;
    if (text_[at] == '0' && peek(at + 1) == 'x' && is_hex(peek(at + 2))) {
      at += 2;
      while (is_hex(peek(at))) ++at;
      return integer(at);
    }
    at = digits(at);
    bool is_float = false;
    if (peek(at) == '.' && is_digit(peek(at + 1))) {
      at = digits(at + 1);
      is_float = true;
    }
    if (peek(at) == 'e' || peek(at) == 'E') {
      const std::size_t sign = peek(at + 1) == '+' || peek(at + 1) == '-' ? 1 : 0;
      if (is_digit(peek(at + 1 + sign))) {
        at = digits(at + 1 + sign);
        is_float = true;
      }
    }
    return is_float ? ends(at, TokenKind::kFloat) : integer(at);
  }
  std::size_t digits(std::size_t at) const {
    while (is_digit(peek(at))) ++at;
    return at;
  }
  TokenKind integer(std::size_t at) {
    const bool is_uint = peek(at) == 'u' || peek(at) == 'U';
    return ends(at + (is_uint ? 1 : 0), is_uint ? TokenKind::kUint : TokenKind::kInt);
  }

  /// The end of the string whose first quote is at `at`. An empty string is one, too, if its quotes begin a
  /// long string that does not end.
  std::size_t string(std::size_t at, bool raw) {
    const char quote = text_[at];
    const bool is_long = peek(at + 1) == quote && peek(at + 2) == quote;
    if (is_long) {
      const std::size_t end = quoted(at + 3, std::string(3, quote), raw, true);
      return end != kNone ? end : at + 2;
    }
    return quoted(at + 1, std::string_view(&quote, 1), raw, false);
  }

  std::size_t quoted(std::size_t at, std::string_view quotes, bool raw, bool lines) {
    while (at < text_.size()) {
      if (text_.substr(at).starts_with(quotes)) return at + quotes.size();
      if (!lines && (text_[at] == '\n' || text_[at] == '\r')) break;
      if (raw || text_[at] != '\\') {
        ++at;
        continue;
      }
      const std::size_t end = escape(at);
      if (end == kNone) return kNone;
      at = end;
    }
    failed_ = at;
    return kNone;
  }

  std::size_t escape(std::size_t at) {
    constexpr std::string_view kSimple = "abfnrtv\"'\\?`";
    const char c = peek(at + 1);
    if (c != '\0' && kSimple.contains(c)) return at + 2;
    if (c >= '0' && c <= '3') return run(at + 2, 2, is_octal);
    if (c == 'x' || c == 'X') return run(at + 2, 2, is_hex);
    if (c == 'u') return run(at + 2, 4, is_hex);
    if (c == 'U') return run(at + 2, 8, is_hex);
    failed_ = at + 1;
    return kNone;
  }
  std::size_t run(std::size_t at, std::size_t count, bool (*fits)(char)) {
    for (std::size_t i = 0; i < count; ++i, ++at) {
      if (fits(peek(at))) continue;
      failed_ = at;
      return kNone;
    }
    return at;
  }

  std::size_t escaped_identifier() {
    std::size_t at = at_ + 1;
    const auto fits = [](char c) {
      return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-' || c == '/' || c == ' ';
    };
    while (at < text_.size() && fits(text_[at])) ++at;
    failed_ = at;
    return peek(at) == '`' && at > at_ + 1 ? at + 1 : kNone;
  }

  std::string_view text_;
  std::vector<Issue>& issues_;
  std::size_t at_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace

std::vector<Token> lex(std::string_view text, std::vector<Issue>& issues) {
  return Lexer(text, issues).all();
}

}  // namespace winnow::cel
