// An expression computed for many nodes at once: its arithmetic as loops over columns of numbers.
//
// Most rules compare and add amounts. An evaluation of such an expression walks a tree for each node. A
// column program does the same operation for a block of nodes before it does the next one. What reads the pod
// alone is computed once. What is neither is a leaf that is evaluated for each node, where it is needed.
//
// A column program gives no errors. Where a node's answer would be an error, or may be, it leaves the node to
// the expression itself. So its answers are those of the expression.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/cel/program.h"
#include "cluster/function_ref.h"
#include "cluster/state/row_values.h"
#include "cluster/state/view.h"

namespace winnow {
struct NodeLoad;
}  // namespace winnow

namespace winnow::cel {
class Ast;
struct Expr;
}  // namespace winnow::cel

namespace winnow::expressions {

class ClusterSums;

/// What a value of a column is. Booleans are 0 and 1. Integers are exact: larger ones are left to the
/// expression.
enum class ColumnKind : std::uint8_t { kReal, kInteger, kBool };

enum class ColumnOp : std::uint8_t {
  // Leaves.
  kFixed,      ///< A constant, or what reads the pod, the parameters and the time alone.
  kAmount,     ///< node.allocatable or node.requested, by `key`.
  kCapacity,   ///< node.capacity by `key`
  kPods,       ///< node.pods
  kUsage,      ///< node.usage.cpu or .memory
  kMetric,     ///< node.metrics by `key`
  kLabelIs,    ///< node.metadata.labels[key] == part
  kMatching,   ///< node.podsMatching(part, other): neither reads a node
  kHasLabel,   ///< has() of it, or key in node.metadata.labels
  kHasLabels,  ///< has(node.metadata.labels)
  kWalked,     ///< Anything else: `part` is evaluated.
  // Of one and of two values.
  kNegate,
  kNot,
  kToReal,   ///< double() of an integer
  kIsThere,  ///< has() of a usage or of a metric
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kLess,
  kLessEquals,
  kGreater,
  kGreaterEquals,
  kEquals,
  kNotEquals,
  kLeast,  ///< [a, b].min(), and of more by several steps.
  kMost,   ///< [a, b].max()
  kAnd,
  kOr,
  // Of three.
  kConditional,
};

/// Where a step's value is needed: where another step's value is this one.
struct ColumnGuard {
  std::uint32_t step = 0;
  bool value = true;
};

/// One step. It comes behind those whose values it takes.
struct ColumnStep {
  ColumnOp op = ColumnOp::kFixed;
  std::uint32_t a = 0, b = 0, c = 0;  ///< The steps whose values it takes.
  bool requested = false;             ///< Of kAmount: node.requested.
  bool memory = false;                ///< Of kUsage.
  std::string key = {};
  std::vector<ColumnGuard> guards = {};    ///< Of kWalked: all hold where its value is needed.
  std::optional<cel::Program> part = {};   ///< Of kFixed, kLabelIs, kMatching and kWalked.
  std::optional<cel::Program> other = {};  ///< Of kMatching.
};

/// Immutable. The steps belong to no question.
class ColumnProgram {
 public:
  /// @param ast  checked. @return null: the expression is not of this kind.
  static std::unique_ptr<const ColumnProgram> compile(cel::Ast& ast, const cel::Environment& environment);

  const std::vector<ColumnStep>& steps() const { return steps_; }
  /// The step that gives the result.
  std::uint32_t result() const { return result_; }

 private:
  std::vector<ColumnStep> steps_;
  std::uint32_t result_ = 0;
};

/// A program with what is the same for all nodes of a question. Thread-safe; Block is used by one thread.
class ColumnQuestion {
 public:
  struct Given {
    const View& view;
    double assume_usage = 1;
    /// Evaluates a part that reads no node.
    FunctionRef<cel::Evaluation(const cel::Program&)> fixed;
    const ClusterSums& sums;  ///< It outlives the question.
  };
  /// @return null: with this pod and these parameters the program does not work. The program and the view
  /// outlive it.
  static std::unique_ptr<const ColumnQuestion> bind(const ColumnProgram& program, const Given& given);

  /// The result's kind.
  ColumnKind kind() const { return kinds_[program_.result()]; }
  /// About how much one answer costs, in Kubernetes' units, beside what is evaluated for each node.
  std::uint64_t cost_of_node() const { return kCostOfStep * bound_.size(); }

  /// Computes the result of at most kMost nodes.
  class Block {
   public:
    static constexpr std::size_t kMost = 128;
    explicit Block(const ColumnQuestion& question);
    /// @param walk  evaluates a part for a node.
    void compute(std::span<const NodeId> nodes,
                 FunctionRef<cel::Evaluation(const cel::Program&, NodeId)> walk);
    double value(std::size_t place) const { return values_[question_.program_.result()][place]; }
    /// Whether the expression itself must be evaluated for that node.
    bool is_left(std::size_t place) const { return left_[question_.program_.result()][place] != 0; }

   private:
    using Values = std::array<double, kMost>;
    using Flags = std::array<std::uint8_t, kMost>;
    using Walk = FunctionRef<cel::Evaluation(const cel::Program&, NodeId)>;
    void read_amounts(std::size_t at, std::span<const NodeId> nodes);
    void read_capacity(std::size_t at, std::span<const NodeId> nodes);
    void read_load(std::size_t at, std::span<const NodeId> nodes);
    void read_labels(std::size_t at, std::span<const NodeId> nodes);
    void calculate(std::size_t at, std::size_t count);
    void compare(std::size_t at, std::size_t count);
    void decide(std::size_t at, std::size_t count);
    void evaluate(std::size_t at, std::span<const NodeId> nodes, Walk walk);
    bool is_needed(const ColumnStep& step, std::size_t place) const;

    const ColumnQuestion& question_;
    std::vector<Values> values_;  ///< By step.
    std::vector<Flags> left_;     ///< By step: 1 where the node is left to the expression.
    std::array<std::uint64_t, kMost> walked_cost_{};
  };

 private:
  struct Bound {
    ColumnKind kind = ColumnKind::kReal;            ///< Of a leaf.
    double fixed = 0;                               ///< Of kFixed.
    double unit = 1;                                ///< Of kAmount.
    std::optional<Column<std::int64_t>> column;     ///< Of kAmount and kPods.
    bool is_scalar = false;                         ///< Of kAmount: a resource that not all nodes have.
    Symbol symbol = kNone;                          ///< Of that resource, or of a label's value.
    std::optional<Column<Symbol>> label, hostname;  ///< Of labels.
    std::shared_ptr<const std::vector<std::int32_t>> counts;  ///< Of kMatching: by NodeId.
  };
  explicit ColumnQuestion(const ColumnProgram& program, const Given& given)
      : program_(program), view_(given.view), assume_usage_(given.assume_usage) {}
  bool bind_leaf(const ColumnStep& step, const Given& given, Bound& bound);
  bool bind_matching(const ColumnStep& step, const Given& given, Bound& bound);
  bool bind_fixed(const ColumnStep& step, const Given& given, Bound& bound);
  void bind_amount(const ColumnStep& step, Bound& bound);
  /// The kind of what a step gives; nothing: it does not take such values.
  std::optional<ColumnKind> kind_of(const ColumnStep& step, const Bound& bound) const;

  /// A call's or a field's share of what an evaluation costs, beside what its parts cost.
  static constexpr std::uint64_t kCostOfStep = 2;

  const ColumnProgram& program_;
  const View& view_;
  const double assume_usage_;
  std::vector<Bound> bound_;
  std::vector<ColumnKind> kinds_;
  std::uint64_t cost_ = 0;  ///< Of one evaluation, without the parts that are evaluated for each node.
};

}  // namespace winnow::expressions
