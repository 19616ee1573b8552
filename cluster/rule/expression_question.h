// A request as what the expressions of the plugin Expression are asked about.
#pragma once

#include <expected>
#include <string>

#include "cluster/expressions/expression.h"
#include "cluster/rule/rule.h"

namespace winnow {

struct ExpressionArgs;

/// Of one rule in one request. The request and the arguments outlive it. Threads may use it at once.
class ExpressionQuestion {
 public:
  ExpressionQuestion(const Request& request, const ExpressionArgs& args);
  const expressions::Question& question() const { return question_; }
  /// Throws OutOfTime if the request's time is over.
  void check_time() const;

 private:
  const Budget* const budget_;
  const expressions::Question question_;
};

/// Whether the rule is for the pod: `when` is absent, or true. The error is that of `when`, where the rule is
/// to fail then.
std::expected<bool, std::string> applies_to_pod(const Request& request, const ExpressionArgs& args);

/// "node.requested.cpu 3.9, node.allocatable.cpu 4.0": what the expression reads of a node, as far as it is
/// short.
std::string values_read(expressions::Question::Nodes& nodes, const expressions::Expression& expression,
                        NodeId node);

}  // namespace winnow
