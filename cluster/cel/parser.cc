#include "cluster/cel/parser.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "cluster/cel/lexer.h"
#include "cluster/cel/literals.h"
#include "cluster/cel/operators.h"
#include "cluster/text/go_format.h"

namespace winnow::cel {
namespace {

constexpr std::array<std::string_view, 21> kReserved = {
    "as",  "break", "const",   "continue",  "else", "false",  "for",  "function", "if",   "import", "in",
    "let", "loop",  "package", "namespace", "null", "return", "true", "var",      "void", "while"};

/// Counts how often a rule is entered and not left, as upstream's parser does.
class Depth {
 public:
  explicit Depth(unsigned& count) : count_(count) { ++count_; }
  ~Depth() { --count_; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;

 private:
  unsigned& count_;
};

class Parser {
 public:
  Parser(std::string_view text, const ParserOptions& options, std::vector<Issue>& issues)
      : options_(options), issues_(issues), tokens_(lex(text, issues)) {}

  Ast parse() {
    ast_.root = expression();
    if (!failed_ && !is(TokenKind::kEnd)) unexpected();
    if (!failed_ && ast_.root->height > kDeepest) refuse_depth("max recursion depth exceeded");
    return std::move(ast_);
  }

 private:
  // Tokens.

  const Token& token() const { return tokens_[at_]; }
  const Token& token(std::size_t ahead) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is(TokenKind kind) const { return token().kind == kind; }
  const Token& take() {
    const Token& taken = token();
    if (at_ + 1 < tokens_.size()) ++at_;
    return taken;
  }
  bool take_if(TokenKind kind) {
    if (!is(kind)) return false;
    take();
    return true;
  }
  void expect(TokenKind kind) {
    if (!take_if(kind)) unexpected();
  }

  // Issues.

  void issue(std::uint32_t offset, std::string message) {
    issues_.push_back({offset, true, std::move(message)});
  }

  /// A syntax error at the token. Nothing is read after it.
  void unexpected() {
    if (failed_) return;
    issue(token().offset, is(TokenKind::kEnd) ? "Syntax error: the expression ends too early"
                                              : "Syntax error: unexpected " + go_quote(token().text));
    give_up();
  }
  void refuse_depth(std::string message) {
    if (failed_) return;
    issues_.push_back({0, false, std::move(message)});
    give_up();
  }
  void give_up() {
    failed_ = true;
    at_ = tokens_.size() - 1;
  }
  bool too_deep(unsigned depth) {
    if (depth <= kDeepest) return false;
    refuse_depth("expression recursion limit exceeded: " + std::to_string(kDeepest));
    return true;
  }
  /// A node that stands for what is wrong.
  Expr* nothing() { return ast_.add(ExprKind::kLiteral, token().offset); }

  // Nodes.

  static std::uint32_t height_of(const std::vector<Expr*>& parts) {
    std::uint32_t height = 0;
    for (const Expr* part : parts) height = std::max(height, part->height);
    return height;
  }

  /// A call, or what the macro of that name makes of it. @param step  1 where upstream's parser counts a
  /// level.
  Expr* call(std::uint32_t offset, std::string_view name, Expr* target, std::vector<Expr*> arguments,
             std::uint32_t step) {
    const std::uint32_t height =
        std::max(height_of(arguments), target == nullptr ? 0 : target->height) + step;
    Expr* expr = expand(offset, name, target, arguments);
    if (expr == nullptr) {
      expr = ast_.add(ExprKind::kCall, offset);
      expr->name = name;
      expr->operand = target;
      expr->arguments = std::move(arguments);
    }
    expr->height = height;
    return expr;
  }

  Expr* expand(std::uint32_t offset, std::string_view name, Expr* target,
               const std::vector<Expr*>& arguments) {
    // Behind a syntax error, too: upstream says then what else is wrong with the arguments, which is further
    // left.
    const auto found = std::ranges::find_if(options_.macros, [&](const Macro& macro) {
      return macro.name == name && macro.arguments == arguments.size() && macro.member == (target != nullptr);
    });
    if (found == options_.macros.end()) return nullptr;
    Expansion expansion{ast_, offset};
    const auto expanded = found->expand(expansion, target, arguments);
    if (expanded) return *expanded;
    issues_.push_back(expanded.error());
    return nothing();
  }

  // Rules, from the weakest operator down.

  Expr* expression() {
    Depth depth(expression_depth_);
    if (too_deep(expression_depth_)) return nothing();
    Expr* condition = logical(TokenKind::kOr);
    if (!is(TokenKind::kQuestion)) return condition;
    const std::uint32_t offset = take().offset;
    Expr* then = logical(TokenKind::kOr);
    expect(TokenKind::kColon);
    Expr* otherwise = expression();
    return call(offset, operators::kConditional, nullptr, {condition, then, otherwise}, 1);
  }

  /// A chain of && or || is one call, however long: it is evaluated from left to right.
  Expr* logical(TokenKind op) {
    std::vector<Expr*> terms{op == TokenKind::kOr ? logical(TokenKind::kAnd) : relation()};
    std::vector<std::uint32_t> places;
    while (is(op)) {
      places.push_back(take().offset);
      terms.push_back(op == TokenKind::kOr ? logical(TokenKind::kAnd) : relation());
    }
    if (terms.size() == 1) return terms.front();
    // The place of the operator that upstream's balanced tree has at its top.
    const std::uint32_t offset = places[places.size() / 2];
    return call(offset, op == TokenKind::kOr ? operators::kOr : operators::kAnd, nullptr, std::move(terms),
                0);
  }

  static std::string_view relation_of(TokenKind kind) {
    switch (kind) {
      case TokenKind::kLess:
        return operators::kLess;
      case TokenKind::kLessEquals:
        return operators::kLessEquals;
      case TokenKind::kGreater:
        return operators::kGreater;
      case TokenKind::kGreaterEquals:
        return operators::kGreaterEquals;
      case TokenKind::kEquals:
        return operators::kEquals;
      case TokenKind::kNotEquals:
        return operators::kNotEquals;
      case TokenKind::kIn:
        return operators::kIn;
      default:
        return {};
    }
  }

  Expr* relation() {
    Depth depth(relation_depth_);
    if (too_deep(relation_depth_)) return nothing();
    Expr* left = calculation(1);
    while (!relation_of(token().kind).empty()) {
      const std::string_view name = relation_of(token().kind);
      const std::uint32_t offset = take().offset;
      Depth right_depth(relation_depth_);
      if (too_deep(relation_depth_)) return nothing();
      Expr* right = calculation(1);
      left = call(offset, name, nullptr, {left, right}, 1);
    }
    return left;
  }

  struct Operation {
    std::string_view name;
    int precedence = 0;
  };
  static Operation operation_of(TokenKind kind) {
    switch (kind) {
      case TokenKind::kPlus:
        return {operators::kAdd, 1};
      case TokenKind::kMinus:
        return {operators::kSubtract, 1};
      case TokenKind::kStar:
        return {operators::kMultiply, 2};
      case TokenKind::kSlash:
        return {operators::kDivide, 2};
      case TokenKind::kPercent:
        return {operators::kModulo, 2};
      default:
        return {};
    }
  }

  Expr* calculation(int least) {
    Depth depth(calculation_depth_);
    if (too_deep(calculation_depth_)) return nothing();
    Expr* left = unary();
    for (;;) {
      const Operation operation = operation_of(token().kind);
      if (operation.precedence < least) return left;
      const std::uint32_t offset = take().offset;
      Expr* right = calculation(operation.precedence + 1);
      left = call(offset, operation.name, nullptr, {left, right}, 1);
    }
  }

  bool is_number(std::size_t ahead) const {
    const TokenKind kind = token(ahead).kind;
    return kind == TokenKind::kInt || kind == TokenKind::kFloat;
  }

  Expr* unary() {
    const TokenKind op = token().kind;
    // One minus before a number belongs to the number; more are operators.
    if ((op != TokenKind::kNot && op != TokenKind::kMinus) || (op == TokenKind::kMinus && is_number(1)))
      return member();
    const std::uint32_t offset = token().offset;
    std::size_t count = 0;
    while (take_if(op)) ++count;
    Expr* operand = member();
    if (count % 2 == 0) return operand;
    return call(offset, op == TokenKind::kNot ? operators::kNot : operators::kNegate, nullptr, {operand}, 0);
  }

  Expr* member() {
    Depth depth(member_depth_);
    if (too_deep(member_depth_)) return nothing();
    Expr* operand = primary();
    while (is(TokenKind::kDot) || is(TokenKind::kOpenBracket)) {
      operand = is(TokenKind::kDot) ? selection(operand) : index(operand);
    }
    return operand;
  }

  Expr* selection(Expr* operand) {
    const std::uint32_t dot = take().offset;
    const bool optional = take_if(TokenKind::kQuestion);
    const bool escaped = is(TokenKind::kEscapedIdentifier);
    if (!escaped && !is(TokenKind::kIdentifier)) {
      unexpected();
      // What has() is told to look at, then: upstream reads what is before the dot, or a call.
      return optional ? ast_.add(ExprKind::kCall, dot) : operand;
    }
    const Token& name = take();
    const std::string_view field = escaped ? name.text.substr(1, name.text.size() - 2) : name.text;
    if (!optional && !escaped && is(TokenKind::kOpenParen)) {
      const std::uint32_t open = take().offset;
      return call(open, field, operand, list_until(TokenKind::kCloseParen), 1);
    }
    if (!optional) {
      Expr* select = ast_.add(ExprKind::kSelect, dot);
      select->operand = operand;
      select->name = field;
      select->height = operand->height + 1;
      return select;
    }
    if (!options_.optional_syntax) issue(dot, "unsupported syntax '.?'");
    Expr* key = ast_.add(ExprKind::kLiteral, name.offset);
    key->value = Value::string(std::string(field));
    return call(dot, operators::kOptSelect, nullptr, {operand, key}, 1);
  }

  Expr* index(Expr* operand) {
    const std::uint32_t open = take().offset;
    const bool optional = take_if(TokenKind::kQuestion);
    Expr* key = expression();
    expect(TokenKind::kCloseBracket);
    if (optional && !options_.optional_syntax) issue(open, "unsupported syntax '[?'");
    return call(open, optional ? operators::kOptIndex : operators::kIndex, nullptr, {operand, key}, 1);
  }

  /// Arguments and the bracket behind them.
  std::vector<Expr*> list_until(TokenKind close) {
    std::vector<Expr*> items;
    if (take_if(close)) return items;
    do items.push_back(expression());
    while (take_if(TokenKind::kComma));
    expect(close);
    return items;
  }

  Expr* primary() {
    switch (token().kind) {
      case TokenKind::kDot:
      case TokenKind::kIdentifier:
        return name();
      case TokenKind::kOpenParen: {
        take();
        Expr* inner = expression();
        expect(TokenKind::kCloseParen);
        return inner;
      }
      case TokenKind::kOpenBracket:
        return list();
      case TokenKind::kOpenBrace:
        return map();
      default:
        return literal();
    }
  }

  /// Whether names with dots between them and a brace follow: a message.
  bool is_message() const {
    std::size_t ahead = is(TokenKind::kDot) ? 1 : 0;
    while (token(ahead).kind == TokenKind::kIdentifier) {
      if (token(ahead + 1).kind == TokenKind::kOpenBrace) return true;
      if (token(ahead + 1).kind != TokenKind::kDot) return false;
      ahead += 2;
    }
    return false;
  }

  Expr* name() {
    if (is_message()) return message();
    const std::uint32_t start = token().offset;
    std::string name;
    if (take_if(TokenKind::kDot)) name = ".";
    if (!is(TokenKind::kIdentifier)) {
      unexpected();
      return nothing();
    }
    const Token& word = take();
    const bool reserved = std::ranges::find(kReserved, word.text) != kReserved.end();
    if (reserved) issue(start, "reserved identifier: " + std::string(word.text));
    name += word.text;
    if (is(TokenKind::kOpenParen)) {
      const std::uint32_t open = take().offset;
      return call(open, name, nullptr, list_until(TokenKind::kCloseParen), 0);
    }
    Expr* ident = ast_.add(ExprKind::kIdent, word.offset);
    ident->name = std::move(name);
    return ident;
  }

  /// Whether the entry is marked by "?".
  bool take_optional() {
    if (!is(TokenKind::kQuestion)) return false;
    const std::uint32_t mark = take().offset;
    if (!options_.optional_syntax) issue(mark, "unsupported syntax '?'");
    return true;
  }

  /// Entries until the bracket, with a comma behind the last one or not.
  template <class Entry>
  void entries(TokenKind close, Entry entry) {
    while (!failed_ && !is(close)) {
      if (is(TokenKind::kComma)) break;
      entry();
      if (!is(TokenKind::kComma) || token(1).kind == close) break;
      take();
      if (is(TokenKind::kComma)) unexpected();
    }
    take_if(TokenKind::kComma);
    expect(close);
  }

  /// Optionals are kept if there are any.
  static void keep_optionals(Expr* expr, std::vector<bool> optionals) {
    if (std::ranges::find(optionals, true) != optionals.end()) expr->optionals = std::move(optionals);
    expr->height = height_of(expr->arguments);
  }

  Expr* list() {
    Expr* expr = ast_.add(ExprKind::kList, take().offset);
    std::vector<bool> optionals;
    entries(TokenKind::kCloseBracket, [&] {
      optionals.push_back(take_optional());
      expr->arguments.push_back(expression());
    });
    keep_optionals(expr, std::move(optionals));
    return expr;
  }

  Expr* map() {
    Expr* expr = ast_.add(ExprKind::kMap, take().offset);
    std::vector<bool> optionals;
    entries(TokenKind::kCloseBrace, [&] {
      optionals.push_back(take_optional());
      expr->arguments.push_back(expression());
      expect(TokenKind::kColon);
      expr->arguments.push_back(expression());
    });
    keep_optionals(expr, std::move(optionals));
    return expr;
  }

  Expr* message() {
    std::string name;
    if (take_if(TokenKind::kDot)) name = ".";
    name += take().text;
    while (take_if(TokenKind::kDot)) name += "." + std::string(take().text);
    Expr* expr = ast_.add(ExprKind::kStruct, take().offset);
    expr->name = std::move(name);
    std::vector<bool> optionals;
    entries(TokenKind::kCloseBrace, [&] { field(expr, optionals); });
    keep_optionals(expr, std::move(optionals));
    return expr;
  }

  void field(Expr* expr, std::vector<bool>& optionals) {
    optionals.push_back(take_optional());
    const bool escaped = is(TokenKind::kEscapedIdentifier);
    if (!escaped && !is(TokenKind::kIdentifier)) return unexpected();
    const std::string_view name = take().text;
    expr->names.emplace_back(escaped ? name.substr(1, name.size() - 2) : name);
    expr->name_offsets.push_back(token().offset);
    expect(TokenKind::kColon);
    expr->arguments.push_back(expression());
  }

  Expr* literal() {
    const std::uint32_t offset = token().offset;
    const bool negative = is(TokenKind::kMinus) && is_number(1);
    if (negative) take();
    const Token& word = token();
    Expr* expr = ast_.add(ExprKind::kLiteral, offset);
    switch (word.kind) {
      case TokenKind::kInt:
      case TokenKind::kUint:
      case TokenKind::kFloat:
        number(expr, word, negative);
        break;
      case TokenKind::kString:
      case TokenKind::kBytes:
        text(expr, word);
        break;
      case TokenKind::kTrue:
      case TokenKind::kFalse:
        expr->value = Value::boolean(word.kind == TokenKind::kTrue);
        break;
      case TokenKind::kNull:
        break;
      default:
        unexpected();
        return expr;
    }
    take();
    return expr;
  }

  void number(Expr* expr, const Token& word, bool negative) {
    std::string digits(word.text);
    if (word.kind == TokenKind::kUint) digits.pop_back();
    const bool is_hex = digits.starts_with("0x");
    if (is_hex) digits.erase(0, 2);
    if (negative) digits.insert(0, "-");
    const int base = is_hex ? 16 : 10;
    if (word.kind == TokenKind::kInt) {
      const auto value = parse_int(digits, base);
      if (!value) return issue(expr->offset, "invalid int literal");
      expr->value = Value::integer(*value);
    } else if (word.kind == TokenKind::kUint) {
      const auto value = parse_uint(digits, base);
      if (!value) return issue(expr->offset, "invalid uint literal");
      expr->value = Value::unsigned_integer(*value);
    } else {
      const auto value = parse_double(digits);
      if (!value) return issue(expr->offset, "invalid double literal");
      expr->value = Value::real(*value);
    }
  }

  void text(Expr* expr, const Token& word) {
    const bool is_bytes = word.kind == TokenKind::kBytes;
    auto text = unquote(word.text.substr(is_bytes ? 1 : 0), is_bytes);
    if (!text) return issue(expr->offset, text.error());
    expr->value = is_bytes ? Value::bytes(std::move(*text)) : Value::string(std::move(*text));
  }

  const ParserOptions& options_;
  std::vector<Issue>& issues_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool failed_ = false;
  Ast ast_;
  unsigned expression_depth_ = 0;
  unsigned relation_depth_ = 0;
  unsigned calculation_depth_ = 0;
  unsigned member_depth_ = 0;
};

}  // namespace

std::expected<Ast, std::vector<Issue>> parse(std::string_view text, const ParserOptions& options) {
  std::vector<Issue> issues;
  const std::size_t size = count_characters(text);
  if (size > kLongestExpression) {
    issues.push_back({0, false,
                      "expression code point size exceeds limit: size: " + std::to_string(size) + ", limit " +
                          std::to_string(kLongestExpression)});
    return std::unexpected(std::move(issues));
  }
  Ast ast = Parser(text, options, issues).parse();
  if (!issues.empty()) return std::unexpected(std::move(issues));
  return ast;
}

}  // namespace winnow::cel
