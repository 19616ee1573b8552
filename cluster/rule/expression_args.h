// The arguments of the plugin Expression: a rule of the user's own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/rule/args_schema.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/policy_argument.h"
#include "cluster/rule/rule.h"

namespace winnow {

namespace expressions {
class Expression;
}  // namespace expressions

/// The prefix of the names under which the plugin is enabled: "Expression/cool-nodes".
inline constexpr std::string_view kExpressionPrefix = "Expression/";

struct ExpressionArgs {
  std::string name;    ///< Under which it is enabled.
  std::string filter;  ///< A bool; "": it filters no node.
  std::string reason;  ///< Of a node that the filter refuses; "": a default one. May have {{ expressions }}.
  std::string score;   ///< A number; "": it scores nothing.
  std::string normalize = "none";  ///< none, linear or reverse.
  std::string on_error = "fit";    ///< fit, refuse or fail.
  std::string when;                ///< A bool over the pod alone; "": it is for every pod.
  std::string params;              ///< A JSON object {"params":{…}}; "": there are none.
  double assume_usage = 1;         ///< See expressions::UsageOptions.
  std::int64_t max_score = 100;    ///< 10 in a Policy.
};

/// Compiles the expressions. An error has the path of its field and its place in the text.
extern const ArgsSchema kExpressionArgs;

/// The argument `expression` of a Policy's predicate, which has a filter, and of a priority, which has a
/// score of 0 to 10. The name is the entry's: see with_name().
extern const PolicyArgument kExpressionOfPredicate, kExpressionOfPriority;
/// The same arguments under this name, if they are of Expression; else as they are.
Arguments with_name(Arguments arguments, std::string_view name);

/// What a state must keep for the expressions.
struct WantedByExpressions {
  std::vector<std::string> pod_fields, node_fields;
  bool usage = false, metrics = false;  ///< What is measured of nodes.
};
WantedByExpressions wanted_by(const ExpressionArgs& args);

/// What the verdict of the filter, or the raw score, depends on: Reads of the record.
Reads filter_reads(const Arguments& arguments);
Reads score_reads(const Arguments& arguments);

/// The reason with its parts {{ expression }} replaced. A part that does not compile stays as it is.
/// @param value_of  the text of a part.
std::string filled_reason(std::string_view reason,
                          FunctionRef<std::string(const expressions::Expression&)> value_of);

}  // namespace winnow
