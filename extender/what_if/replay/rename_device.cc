// What selectors of devices read: names and values of attributes, and CEL expressions.
//
// An expression is rewritten word by word. Words of CEL stay, and so they do as names of attributes. Other
// words and texts get the replacement that devices have. So an expression that compares whole texts finds the
// same devices; one that looks into a text, as startsWith() does, may not.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "cluster/api/quantity.h"
#include "cluster/cel/environment.h"
#include "cluster/cel/lexer.h"
#include "cluster/cel/literals.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "extender/what_if/replay/anonymize_allowlist.h"
#include "extender/what_if/replay/renaming.h"

namespace winnow {
namespace {

/// The names that an expression about a device may have, but for those of its attributes.
const std::set<std::string, std::less<>>& cel_words() {
  static const std::set<std::string, std::less<>> kWords = [] {
    std::set<std::string, std::less<>> words = {
        "device",   "driver", "attributes", "capacity", "allowMultipleAllocations",
        "cel",      "int",    "uint",       "double",   "bool",
        "string",   "bytes",  "list",       "map",      "type",
        "null_type"};
    const cel::Environment environment = cel::Environment::kubernetes();  // It owns the names.
    for (const std::string_view name : environment.names()) {
      std::size_t begin = 0;
      for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', begin)) {
        words.emplace(name.substr(begin, dot - begin));
        begin = dot + 1;
      }
      words.emplace(name.substr(begin));
    }
    return words;
  }();
  return kWords;
}

/// The length of the numbers that a version begins with: "1.2.3"; 0 for any other text.
std::size_t version_size(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("-+"), text.size());
  const std::string_view core = text.substr(0, end);
  const bool is_version = core.contains('.') && is_digit(core.front()) && is_digit(core.back()) &&
                          std::ranges::all_of(core, [](char c) { return is_digit(c) || c == '.'; });
  return is_version ? end : 0;
}

}  // namespace

std::string Renaming::device_word(std::string_view text) {
  return cel_words().contains(text) ? std::string(text) : name(text);
}

std::string Renaming::device_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return device_word(text);
  return device_value(text.substr(0, slash)) + '/' + device_word(text.substr(slash + 1));
}

std::string Renaming::device_value(std::string_view text) {
  if (is_kept_domain(text) || Quantity::parse(text)) return std::string(text);
  const std::size_t numbers = version_size(text);
  if (numbers == 0) return name(text);
  std::string out(text.substr(0, numbers));
  for (std::size_t begin = numbers; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(".-+", begin + 1), text.size());
    out += text[begin];
    out += name(text.substr(begin + 1, end - begin - 1));
    begin = end;
  }
  return out;
}

std::string Renaming::expression(std::string_view text) {
  std::vector<cel::Issue> issues;
  const std::vector<cel::Token> tokens = cel::lex(text, issues);
  if (!issues.empty()) return name(text);
  std::string out;
  std::size_t end = 0;
  for (const cel::Token& token : tokens) {
    if (token.offset > end && !out.empty() && !token.text.empty()) out += ' ';  // A comment goes.
    end = token.offset + token.text.size();
    if (token.kind == cel::TokenKind::kIdentifier) {
      out += device_word(token.text);
    } else if (token.kind == cel::TokenKind::kEscapedIdentifier) {
      out += '`' + device_word(token.text.substr(1, token.text.size() - 2)) + '`';
    } else if (token.kind == cel::TokenKind::kString) {
      const auto value = cel::unquote(token.text, /*is_bytes=*/false);
      append_quoted(out, value ? device_value(*value) : name(token.text));
    } else if (token.kind == cel::TokenKind::kBytes) {
      out += 'b';
      append_quoted(out, name(token.text));
    } else {
      out += token.text;
    }
  }
  return out;
}

}  // namespace winnow
