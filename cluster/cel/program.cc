#include "cluster/cel/program.h"

#include <algorithm>
#include <utility>

#include "cluster/cel/checker.h"
#include "cluster/cel/node.h"
#include "cluster/cel/parser.h"
#include "cluster/cel/planner.h"
#include "cluster/text/characters.h"

namespace winnow::cel {
namespace {

CompileError place(const Issue& issue, std::string_view text, CompileStage stage) {
  // Parts of the expression are in it: a pattern, a name.
  CompileError error{.message = one_line(issue.message), .stage = stage};
  if (!issue.placed) return error;
  const std::string_view before = text.substr(0, std::min<std::size_t>(issue.offset, text.size()));
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 if there is none.
  error.line = static_cast<int>(std::ranges::count(before, '\n')) + 1;
  error.column = static_cast<int>(count_characters(before.substr(line_start))) + 1;
  return error;
}

std::unexpected<std::vector<CompileError>> refuse(std::vector<Issue> issues, std::string_view text,
                                                  CompileStage stage = CompileStage::kCheck) {
  std::ranges::stable_sort(issues, {},
                           [](const Issue& issue) { return std::pair(issue.placed, issue.offset); });
  std::vector<CompileError> errors;
  for (const Issue& issue : issues) errors.push_back(place(issue, text, stage));
  return std::unexpected(std::move(errors));
}

}  // namespace

std::string CompileError::text() const {
  if (line < 0) return message;
  return std::to_string(line) + ":" + std::to_string(column) + ": " + message;
}

struct Program::Parts {
  Plan plan;
};

Program::Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

std::expected<Program, std::vector<CompileError>> Program::compile(std::string_view text,
                                                                   const Environment& environment) {
  auto ast = parse(text, {environment.macros(), environment.optional_syntax()});
  if (!ast) return refuse(std::move(ast.error()), text);
  if (auto issues = check(*ast, environment); !issues.empty()) return refuse(std::move(issues), text);
  if (auto issues = validate(*ast); !issues.empty()) return refuse(std::move(issues), text);
  auto planned = plan(*ast, environment);
  if (!planned) return refuse({planned.error()}, text, CompileStage::kPlan);
  Program program;
  program.type_ = ast->root->type;
  program.parts_ = std::make_unique<const Parts>(std::move(*planned));
  return program;
}

std::optional<Program> Program::of_part(Ast& ast, Expr& part, const Environment& environment) {
  Expr* const whole = std::exchange(ast.root, &part);
  auto planned = plan(ast, environment);
  ast.root = whole;
  if (!planned) return std::nullopt;
  Program program;
  program.type_ = part.type;
  program.parts_ = std::make_unique<const Parts>(std::move(*planned));
  return program;
}

Evaluation Program::evaluate(std::span<const Value> variables, const EvaluationLimits& limits) const {
  Frame frame(variables, parts_->plan.slots, limits);
  Evaluation evaluation;
  evaluation.value = parts_->plan.root->evaluate(frame);
  evaluation.cost = frame.cost();
  evaluation.cost_exceeded = frame.exceeded();
  evaluation.interrupted = frame.interrupted();
  if (frame.exceeded()) evaluation.value = Value::error("operation cancelled: actual cost limit exceeded");
  if (frame.interrupted()) evaluation.value = Value::error("operation interrupted");
  return evaluation;
}

}  // namespace winnow::cel
