// A compiled expression.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cel/environment.h"
#include "cluster/cel/limits.h"
#include "cluster/cel/type.h"
#include "cluster/cel/value.h"

namespace winnow::cel {

/// When an error of an expression is found.
enum class CompileStage : std::uint8_t {
  kCheck,
  /// A constant that cannot be converted: int("x"). Upstream has such errors when it makes the program.
  kPlan,
};

/// What is wrong with an expression.
struct CompileError {
  /// From 1, in lines and characters; line -1 and column 0 if it has no place.
  int line = -1;
  int column = 0;
  /// One line: "undeclared reference to 'device' (did you mean …?)".
  std::string message;
  CompileStage stage = CompileStage::kCheck;

  /// "1:7: undeclared reference …".
  std::string text() const;
};

struct Evaluation {
  /// The result, or an error. It may borrow from the program and from the variables.
  Value value;
  /// What it cost until it ended.
  std::uint64_t cost = 0;
  /// Whether the cost limit ended it.
  bool cost_exceeded = false;
  /// Whether the caller ended it.
  bool interrupted = false;
};

class Ast;
class Node;
struct Expr;

/// An expression that was checked. Immutable: threads may evaluate it at once.
class Program {
 public:
  /// @param environment  outlives the program.
  /// @return the program, or all that is wrong, by place: at least one error.
  static std::expected<Program, std::vector<CompileError>> compile(std::string_view text,
                                                                   const Environment& environment);
  /// A part of an expression. @param ast  checked; it is as before when this returns. @param part  one of its
  /// nodes, which reads no variable of a loop. @return nothing: the part cannot be planned.
  static std::optional<Program> of_part(Ast& ast, Expr& part, const Environment& environment);
  Program(Program&&) noexcept;
  Program& operator=(Program&&) noexcept;
  ~Program();

  const Type& result_type() const { return type_; }
  /// @param variables  in the order of their declarations; one that the expression does not read may be null.
  Evaluation evaluate(std::span<const Value> variables, const EvaluationLimits& limits = {}) const;

 private:
  Program();
  struct Parts;
  Type type_;
  std::unique_ptr<const Parts> parts_;
};

}  // namespace winnow::cel
