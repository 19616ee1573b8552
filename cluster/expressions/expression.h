// A user's expression, compiled, and what it is asked about.
#pragma once

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/api/generation.h"
#include "cluster/cel/program.h"
#include "cluster/expressions/objects.h"
#include "cluster/expressions/reads.h"
#include "cluster/expressions/schema.h"
#include "cluster/fields/field_tree.h"
#include "cluster/state/row_values.h"

namespace winnow {
class View;
struct Pod;
}  // namespace winnow

namespace winnow::expressions {

/// What an expression must give.
enum class ResultKind : std::uint8_t { kBool, kNumber, kAnything };

/// The most that one evaluation may cost, in Kubernetes' units, as a selector of devices may.
inline constexpr std::uint64_t kMostCost = 1'000'000;

/// Immutable: threads may evaluate it at once.
class Expression {
 public:
  /// Compiles a text, once in a process: equal texts are one object, which stays.
  /// @return the expression; or what is wrong, in one line: "1:7: undeclared reference …".
  static std::expected<const Expression*, std::string> find(std::string_view text, Scope scope,
                                                            ResultKind kind);

  Expression(std::string text, Reads reads, cel::Program program)
      : text_(std::move(text)), reads_(std::move(reads)), program_(std::move(program)) {}
  const std::string& text() const { return text_; }
  const Reads& reads() const { return reads_; }
  /// @param interrupted  asked now and then whether to end; null: nobody ends it.
  cel::Evaluation evaluate(std::span<const cel::Value> variables, bool (*interrupted)(void*),
                           void* context) const;

 private:
  std::string text_;
  Reads reads_;
  cel::Program program_;
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
    bool (*interrupted)(void*) = nullptr;  ///< See Expression::evaluate().
    void* context = nullptr;
  };
  /// What is given outlives it.
  explicit Question(const Given& given);

  /// Asks an expression of Scope::kPod.
  cel::Evaluation ask(const Expression& expression) const;

  /// Asks about one node at a time. Used by one thread; each has its own. The question outlives it.
  class Nodes {
   public:
    explicit Nodes(const Question& question);
    /// The value borrows from this object and from the node: it is read before the next question.
    cel::Evaluation ask(const Expression& expression, NodeId node);

   private:
    const Question& question_;
    NodeObject node_;
    std::array<cel::Value, kVariables> values_;
  };

 private:
  std::array<cel::Value, kVariables> values() const;

  bool (*const interrupted_)(void*);
  void* const context_;
  const ClusterSums sums_;
  const PodObject pod_;
  const ClusterObject cluster_;
  const std::shared_ptr<const FieldTree> params_;
  const cel::Timestamp now_;
  const double assume_usage_;
};

}  // namespace winnow::expressions
