// Expression as a filter: a rule of the user's own, which an expression says. docs/your-rules.md describes
// it.
#include "cluster/expressions/expression.h"

#include <chrono>
#include <cstdint>
#include <format>
#include <memory>
#include <string>
#include <utility>

#include "cluster/rule/cause.h"
#include "cluster/rule/expression_args.h"
#include "cluster/rule/expression_question.h"
#include "cluster/rule/reasons.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates::own {

BindPredicate expression;

namespace {

using expressions::Expression;
using expressions::NodeAnswer;
using expressions::Question;

class ExpressionFilter final : public Predicate {
 public:
  ExpressionFilter(const Request& request, const ExpressionArgs& args, const Expression& filter)
      : lists_(*request.reason_lists),
        args_(args),
        asked_(request, args, filter),
        otherwise_(may_help_to_evict(filter.reads()) ? Fit::kUnschedulable : Fit::kUnresolvable),
        reasons_{constant_reason(args)} {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    asked_.ask(nodes, [&](std::size_t place, const NodeAnswer& answer) {
      out[place] =
          answer.error ? failed(answer.error->message()) : Verdict::one(answer.number != 0, otherwise_);
    });
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  static bool may_help_to_evict(const expressions::Reads& reads) {
    return reads.pods || reads.cluster || reads.usage;
  }

  /// A reason with expressions in it is told without them: kube-scheduler counts equal reasons.
  static std::string constant_reason(const ExpressionArgs& args) {
    if (args.reason.empty()) return "node(s) didn't pass " + args.name;
    return filled_reason(args.reason, [](const Expression&) { return std::string("…"); });
  }

  Verdict failed(const std::string& error) const {
    if (args_.on_error == "fit") return {};
    const Fit fit = args_.on_error == "fail" ? Fit::kError : otherwise_;
    return lists_.verdict(fit, {std::format("{}: {}", args_.name, error)});
  }

  ReasonLists& lists_;
  const ExpressionArgs& args_;
  const AskedExpression asked_;
  const Fit otherwise_;
  const std::array<std::string, 1> reasons_;
};

/// An expression may read what pods request, or how many there are.
bool may_read_pods(const PodSpec&, std::span<const PodSpec* const>) { return true; }

Cause cause_of(Question::Nodes& nodes, const ExpressionArgs& args, const Expression& filter, NodeId node) {
  Cause cause{"expression"};
  cause.with("rule", args.name).with("expression", filter.text());
  if (std::string values = values_read(nodes, filter, node); !values.empty())
    cause.with("values", std::move(values));
  if (!args.reason.empty())
    cause.with("text", filled_reason(args.reason, [&](const Expression& part) {
                 const cel::Value value = nodes.ask(part, node).value;
                 return value.is_error() ? std::string("?") : cel::plain_text(value);
               }));
  const cel::Value found = nodes.ask(filter, node).value;
  if (found.is_error()) cause.with("error", found.message());
  return cause;
}

std::unique_ptr<const CauseFinder> causes_of_expression(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<ExpressionArgs>();
  const Expression* const filter = compiled(args, &ExpressionArgs::filter);
  if (filter == nullptr) return nullptr;
  auto asked = std::make_shared<const ExpressionQuestion>(request, *args);
  return make_cause_finder(
      [asked = std::move(asked), args = *args, &filter = *filter](NodeId node, std::vector<Cause>& causes) {
        Question::Nodes nodes(asked->question());
        causes.push_back(cause_of(nodes, args, filter, node));
      });
}

}  // namespace

std::unique_ptr<const Predicate> expression(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<ExpressionArgs>();
  auto filter = expression_for_pod(request, args, &ExpressionArgs::filter);
  if (!filter) return std::make_unique<RefusesPod>(Fit::kError, std::move(filter.error()));
  return *filter ? std::make_unique<ExpressionFilter>(request, *args, **filter) : nullptr;
}

}  // namespace winnow::predicates::own

namespace winnow::predicates {

// The records.

namespace {

constexpr Record kExpressionRecords[] = {
    {.name = "Expression",
     .origin = RuleOrigin::kWinnow,
     .bind = own::expression,
     .needs = needs::kNothing,
     .reads_by = filter_reads,
     .follows_by = kBoundAgain,
     .causes = own::causes_of_expression,
     .argument = &kExpressionOfPredicate,
     .checks = "what an expression says",
     .turned_by_eviction = own::may_read_pods,
     .releases = {{.release = Release::k1_37, .points = points::kFilter, .args = &kExpressionArgs}}},
};

}  // namespace

Records expression_records;

std::span<const Record> expression_records() { return kExpressionRecords; }

}  // namespace winnow::predicates
