// A user's expression, compiled, and what it is asked about.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/api/generation.h"
#include "cluster/cel/program.h"
#include "cluster/expressions/column_program.h"
#include "cluster/expressions/column_question.h"
#include "cluster/expressions/objects.h"
#include "cluster/expressions/reads.h"
#include "cluster/expressions/schema.h"
#include "cluster/fields/field_tree.h"
#include "cluster/function_ref.h"
#include "cluster/state/row_values.h"

namespace winnow {
class View;
struct Pod;
}  // namespace winnow

namespace winnow::expressions {

/// What an expression must give.
enum class ResultKind : std::uint8_t { kBool, kNumber, kAnything };

/// Immutable: threads may evaluate it at once.
class Expression {
 public:
  /// Compiles a text, once in a process: equal texts are one object, which stays.
  /// @return the expression; or what is wrong, in one line: "1:7: undeclared reference …".
  static std::expected<const Expression*, std::string> find(std::string_view text, Scope scope,
                                                            ResultKind kind);
  /// The same, each time anew.
  /// @param most_cost  a part that reads nothing and costs more is refused.
  static std::expected<std::unique_ptr<const Expression>, std::string> compile(
      std::string_view text, Scope scope, ResultKind kind, std::uint64_t most_cost = kMostCost);

  /// @param columns  null: it has no arithmetic that columns would help.
  Expression(std::string text, Reads reads, cel::Program program,
             std::unique_ptr<const ColumnProgram> columns)
      : text_(std::move(text)),
        reads_(std::move(reads)),
        program_(std::move(program)),
        columns_(std::move(columns)) {}
  const std::string& text() const { return text_; }
  const Reads& reads() const { return reads_; }
  const cel::Program& program() const { return program_; }
  const ColumnProgram* columns() const { return columns_.get(); }

 private:
  std::string text_;
  Reads reads_;
  cel::Program program_;
  std::unique_ptr<const ColumnProgram> columns_;
};

/// A number as it is, a bool as 0 or 1; 0 for any other value.
double number_of(const cel::Value& value);

/// What an expression gives for a node: a number, or 0 and 1 for a bool; or an error.
struct NodeAnswer {
  double number = 0;
  const cel::Value* error = nullptr;  ///< Null: there is none.
};

/// What the expressions of one rule are asked about: a pod, and the nodes of a view.
class Question {
 public:
  struct Given {
    const Pod& pod;
    const View& view;
    Accounting accounting = Accounting::kToday;
    std::string_view params = {};  ///< {"params":{…}}; "": none.
    double assume_usage = 1;       ///< See UsageOptions.
    cel::Timestamp now = {};
    bool uses_kept_numbers = false;        ///< See View::kept_numbers().
    bool (*interrupted)(void*) = nullptr;  ///< Asked now and then whether to end; null: nobody ends it.
    void* context = nullptr;
  };
  /// What is given outlives it.
  explicit Question(const Given& given);

  /// Asks an expression of Scope::kPod.
  cel::Evaluation ask(const Expression& expression) const;
  /// The expression as columns; null: it has none, or they do not work with this pod.
  std::unique_ptr<const ColumnQuestion> columns(const Expression& expression) const;

  /// Asks about one node at a time. Used by one thread; each has its own. The question outlives it.
  class Nodes {
   public:
    explicit Nodes(const Question& question);
    /// The value borrows from this object and from the node: it is read before the next question.
    cel::Evaluation ask(const Expression& expression, NodeId node) {
      return evaluate(expression.program(), node);
    }
    /// Asks an expression of a bool or a number about many nodes, a block after the other.
    /// @param columns  Question::columns() of the expression. @param give  called for each node, in order.
    /// @param now_and_then  called behind each block of nodes, and each node that was dear; may throw.
    void ask_all(const Expression& expression, const ColumnQuestion* columns, std::span<const NodeId> nodes,
                 FunctionRef<void(std::size_t place, const NodeAnswer& answer)> give,
                 FunctionRef<void()> now_and_then);
    /// What the questions so far have cost, in Kubernetes' units. Columns are charged by a rough figure.
    std::uint64_t cost() const { return cost_; }

   private:
    cel::Evaluation evaluate(const cel::Program& program, NodeId node);
    void ask_one(const Expression& expression, NodeId node, std::size_t place,
                 FunctionRef<void(std::size_t, const NodeAnswer&)> give);

    const Question& question_;
    NodeObject node_;
    std::array<cel::Value, kVariables> values_;
    std::uint64_t cost_ = 0;
  };

 private:
  cel::Evaluation evaluate(const cel::Program& program, std::span<const cel::Value> variables) const;
  std::array<cel::Value, kVariables> values() const;

  bool (*const interrupted_)(void*);
  void* const context_;
  const ClusterSums sums_;
  const PodObject pod_;
  const ClusterObject cluster_;
  const std::shared_ptr<const FieldTree> params_;
  const cel::Timestamp now_;
  const double assume_usage_;
  const std::string kept_under_;  ///< The parameters as a key of what is kept by row; "": nothing is.
};

}  // namespace winnow::expressions
