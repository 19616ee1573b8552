// A request as what the expressions of the plugin Expression are asked about.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>

#include "cluster/expressions/expression.h"
#include "cluster/function_ref.h"
#include "cluster/rule/expression_args.h"
#include "cluster/rule/expression_counts.h"
#include "cluster/rule/rule.h"

namespace winnow {

/// A moment as expressions have it.
cel::Timestamp timestamp_of(Budget::Wall time);

/// Of one rule in one request. The request and the arguments outlive it. Threads may use it at once.
class ExpressionQuestion {
 public:
  ExpressionQuestion(const Request& request, const ExpressionArgs& args);
  const expressions::Question& question() const { return question_; }

 private:
  const expressions::Question question_;
};

/// A rule's filter or score, asked about the nodes of a request. The same holds for it.
class AskedExpression {
 public:
  using Give = FunctionRef<void(std::size_t place, const expressions::NodeAnswer& answer)>;

  AskedExpression(const Request& request, const ExpressionArgs& args, const expressions::Expression& asked);
  /// Calls `give` for each node, in order. Throws OutOfTime if the request's time is over.
  void ask(std::span<const NodeId> nodes, Give give) const;
  const expressions::Expression& expression() const { return expression_; }

 private:
  const Budget* const budget_;
  const expressions::Expression& expression_;
  ExpressionCounts& counts_;
  const ExpressionQuestion asked_;
  const std::unique_ptr<const expressions::ColumnQuestion> columns_;
};

/// The compiled filter or score of a rule.
/// @param text  ExpressionArgs::filter or ExpressionArgs::score. @return null: the rule has none, or it is
/// not for the pod by `when`. An error: that of `when`, where the rule is to fail then.
std::expected<const expressions::Expression*, std::string> expression_for_pod(
    const Request& request, const ExpressionArgs* args, std::string ExpressionArgs::* text);
/// The same for any pod; null: there is none.
const expressions::Expression* compiled(const ExpressionArgs* args, std::string ExpressionArgs::* text);

/// "node.requested.cpu 3.9, node.allocatable.cpu 4.0": what the expression reads of a node, as far as it is
/// short.
std::string values_read(expressions::Question::Nodes& nodes, const expressions::Expression& expression,
                        NodeId node);

}  // namespace winnow
