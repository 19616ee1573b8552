// Expression as a score: a rule of the user's own, which an expression says. docs/your-rules.md describes it.
#include "cluster/expressions/expression.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <format>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/rule/expression_args.h"
#include "cluster/rule/expression_question.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow::priorities::own {

BindPriority expression;

namespace {

using expressions::Expression;
using expressions::NodeAnswer;
using expressions::Question;

/// Raw scores are millionths of what the expression kind. What is beyond a trillion counts as a trillion.
constexpr double kMillionths = 1e6;
constexpr double kMost = 1e12;

std::int64_t raw_of(double number) {
  if (std::isnan(number)) return 0;
  return static_cast<std::int64_t>(std::floor(std::clamp(number, -kMost, kMost) * kMillionths));
}

class ExpressionScore final : public Priority {
 public:
  ExpressionScore(const Request& request, const ExpressionArgs& args, const Expression& score)
      : args_(args), asked_(request, args, score) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (!known_.empty()) {
      std::ranges::transform(nodes, out.begin(), [&](NodeId node) { return known_[node]; });
      return;
    }
    asked_.ask(nodes, [&](std::size_t place, const NodeAnswer& answer) {
      out[place] = answer.error ? 0 : raw_of(answer.number);
    });
  }

  ReducesBy reduces_by() const override {
    return args_.normalize == "none" ? ReducesBy::kOwnValue : ReducesBy::kValues;
  }
  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    const auto most = static_cast<double>(args_.max_score);
    const double largest = scores.empty() ? 0 : static_cast<double>(std::ranges::max(scores));
    for (std::int64_t& score : scores) {
      double value = static_cast<double>(score) / kMillionths;
      if (args_.normalize != "none") {
        value = largest > 0 ? most * static_cast<double>(score) / largest : 0;
        if (args_.normalize == "reverse") value = most - value;
      }
      score = static_cast<std::int64_t>(std::floor(std::clamp(value, 0.0, most)));
    }
  }

  /// Asks about all nodes, before map() does. @return the first error on one of them; "": there is none.
  std::string ask_all(const Request& request) {
    std::string first;
    known_.resize(request.view.capacity());
    asked_.ask(request.nodes, [&](std::size_t place, const NodeAnswer& answer) {
      known_[request.nodes[place]] = answer.error ? 0 : raw_of(answer.number);
      if (answer.error && first.empty())
        first = std::format("{}: node {}: {}", args_.name, request.view.node_name(request.nodes[place]),
                            answer.error->message());
    });
    return first;
  }

 private:
  const ExpressionArgs& args_;
  const AskedExpression asked_;
  std::vector<std::int64_t> known_;  ///< By node, what ask_all() has found; empty: it was not called.
};

/// Where a score of a node that is not normalised is beyond what a score may be.
std::string clamped(const ExpressionArgs& args, double given) {
  if (args.normalize != "none" || (given >= 0 && given <= static_cast<double>(args.max_score))) return {};
  return std::format("{}", given < 0 ? 0 : args.max_score);
}

/// What the score was made of: what the expression has read and given, or its error.
std::unique_ptr<const CauseFinder> find_facts(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<ExpressionArgs>();
  const Expression* const score = compiled(args, &ExpressionArgs::score);
  if (score == nullptr) return nullptr;
  auto asked = std::make_shared<const ExpressionQuestion>(request, *args);
  return make_cause_finder(
      [asked = std::move(asked), args = *args, &score = *score](NodeId node, std::vector<Cause>& facts) {
        Question::Nodes nodes(asked->question());
        Cause fact{"expression"};
        fact.with("rule", args.name).with("expression", score.text());
        if (std::string values = values_read(nodes, score, node); !values.empty())
          fact.with("values", std::move(values));
        const cel::Value given = nodes.ask(score, node).value;
        given.is_error() ? fact.with("error", given.message()) : fact.with("gives", cel::describe(given));
        if (std::string kept = given.is_error() ? "" : clamped(args, expressions::number_of(given));
            !kept.empty())
          fact.with("countsAs", std::move(kept));
        facts.push_back(std::move(fact));
      });
}

}  // namespace

BoundPriority expression(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<ExpressionArgs>();
  auto score = expression_for_pod(request, args, &ExpressionArgs::score);
  if (!score) return std::unexpected(std::move(score.error()));
  if (*score == nullptr) return nullptr;
  auto made = std::make_unique<ExpressionScore>(request, *args, **score);
  if (args->on_error == "fail")
    if (std::string error = made->ask_all(request); !error.empty()) return std::unexpected(std::move(error));
  return made;
}

}  // namespace winnow::priorities::own

namespace winnow::priorities {

// The records.

namespace {

constexpr Record kExpressionRecords[] = {
    {.name = "Expression",
     .origin = RuleOrigin::kWinnow,
     .bind = own::expression,
     .needs = needs::kNothing,
     .reads_by = score_reads,
     .made_by = own::find_facts,
     .argument = &kExpressionOfPriority,
     .releases = {{.release = Release::k1_37, .points = points::kScore, .args = &kExpressionArgs}}},
};

}  // namespace

Records expression_records;

std::span<const Record> expression_records() { return kExpressionRecords; }

}  // namespace winnow::priorities
