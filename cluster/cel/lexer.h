// The words of an expression. Upstream: cel-go v0.29.2 parser/gen/CEL.g4.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cluster/cel/ast.h"

namespace winnow::cel {

enum class TokenKind : std::uint8_t {
  kEnd,
  kEquals,
  kNotEquals,
  kIn,
  kLess,
  kLessEquals,
  kGreaterEquals,
  kGreater,
  kAnd,
  kOr,
  kOpenBracket,
  kCloseBracket,
  kOpenBrace,
  kCloseBrace,
  kOpenParen,
  kCloseParen,
  kDot,
  kComma,
  kMinus,
  kNot,
  kQuestion,
  kColon,
  kPlus,
  kStar,
  kSlash,
  kPercent,
  kTrue,
  kFalse,
  kNull,
  kFloat,
  kInt,
  kUint,
  kString,
  kBytes,
  kIdentifier,
  kEscapedIdentifier,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::uint32_t offset = 0;
  /// As it is written; of kEnd empty.
  std::string_view text;
};

/// The tokens of a text, kEnd last. What is no token is skipped, with an issue.
std::vector<Token> lex(std::string_view text, std::vector<Issue>& issues);

}  // namespace winnow::cel
