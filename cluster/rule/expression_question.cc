#include "cluster/rule/expression_question.h"

#include <chrono>
#include <format>
#include <utility>

#include "cluster/rule/expression_args.h"
#include "cluster/rule/expression_counts.h"

namespace winnow {
namespace {

bool is_over(void* context) { return static_cast<const Budget*>(context)->is_over(); }

}  // namespace

cel::Timestamp timestamp_of(Budget::Wall time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  return {.seconds = seconds.count(),
          .nanos = static_cast<std::uint32_t>(std::chrono::nanoseconds(since - seconds).count())};
}

ExpressionQuestion::ExpressionQuestion(const Request& request, const ExpressionArgs& args)
    : question_(
          {.pod = request.pod,
           .view = request.view,
           .accounting = request.accounting,
           .params = args.params,
           .assume_usage = args.assume_usage,
           .now = timestamp_of(request.budget ? request.budget->wall() : std::chrono::system_clock::now()),
           .uses_kept_numbers = request.uses_kept_numbers,
           .interrupted = request.budget ? is_over : nullptr,
           .context = const_cast<Budget*>(request.budget)}) {}

AskedExpression::AskedExpression(const Request& request, const ExpressionArgs& args,
                                 const expressions::Expression& asked)
    : budget_(request.budget),
      expression_(asked),
      counts_(counted_expressions().of(args.name)),
      asked_(request, args),
      columns_(asked_.question().columns(asked)) {}

void AskedExpression::ask(std::span<const NodeId> nodes, Give give) const {
  expressions::Question::Nodes asking(asked_.question());
  std::uint64_t errors = 0;
  asking.ask_all(
      expression_, columns_.get(), nodes,
      [&](std::size_t place, const expressions::NodeAnswer& answer) {
        errors += answer.error ? 1 : 0;
        give(place, answer);
      },
      [this] {
        if (budget_) budget_->check();
      });
  counts_.add(nodes.size(), errors, asking.cost());
}

const expressions::Expression* compiled(const ExpressionArgs* args, std::string ExpressionArgs::* text) {
  using namespace expressions;
  if (args == nullptr || (args->*text).empty()) return nullptr;
  const ResultKind kind = text == &ExpressionArgs::filter ? ResultKind::kBool : ResultKind::kNumber;
  return Expression::find(args->*text, Scope::kNodes, kind).value_or(nullptr);
}

namespace {

/// Whether `when` is absent, or true.
std::expected<bool, std::string> applies_to_pod(const Request& request, const ExpressionArgs& args) {
  using namespace expressions;
  if (args.when.empty()) return true;
  const auto when = Expression::find(args.when, Scope::kPod, ResultKind::kBool);
  if (!when) return std::unexpected(when.error());
  const ExpressionQuestion asked(request, args);
  const cel::Evaluation found = asked.question().ask(**when);
  counted_expressions().of(args.name).add(1, found.value.is_error() ? 1 : 0, found.cost);
  if (!found.value.is_error()) return found.value.is_true();
  if (args.on_error == "fit") return false;
  return std::unexpected(std::format("{}: when: {}", args.name, found.value.message()));
}

}  // namespace

std::expected<const expressions::Expression*, std::string> expression_for_pod(
    const Request& request, const ExpressionArgs* args, std::string ExpressionArgs::* text) {
  const expressions::Expression* const found = compiled(args, text);
  if (found == nullptr) return nullptr;
  auto applies = applies_to_pod(request, *args);
  if (!applies) return std::unexpected(std::move(applies.error()));
  return *applies ? found : nullptr;
}

std::string values_read(expressions::Question::Nodes& nodes, const expressions::Expression& expression,
                        NodeId node) {
  using namespace expressions;
  constexpr std::size_t kLongest = 100;
  std::string values;
  for (const std::string& path : expression.reads().paths) {
    const auto read = Expression::find(path, Scope::kNodes, ResultKind::kAnything);
    if (!read) continue;
    const cel::Value value = nodes.ask(**read, node).value;
    if (value.is(cel::Kind::kMap) || value.is(cel::Kind::kList)) continue;
    const std::string text = value.is_error() ? "absent" : cel::describe(value);
    if (text.size() <= kLongest) values += (values.empty() ? "" : ", ") + path + ' ' + text;
  }
  return values;
}

}  // namespace winnow
