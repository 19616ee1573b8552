// A column program asked about a pod and the nodes of a view.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cel/program.h"
#include "cluster/expressions/column_program.h"
#include "cluster/function_ref.h"
#include "cluster/state/kept_numbers.h"
#include "cluster/state/row_values.h"
#include "cluster/state/view.h"

namespace winnow::expressions {

class ClusterSums;

/// Integers below this one are exact as doubles.
inline constexpr double kMostExact = 9'007'199'254'740'992.0;

/// A program with what is the same for all nodes of a question. Thread-safe; Block is used by one thread.
class ColumnQuestion {
 public:
  struct Given {
    const View& view;
    double assume_usage = 1;
    /// Evaluates a part that reads no node. @param element  of the loop that the part is in, or null.
    FunctionRef<cel::Evaluation(const cel::Program&, const cel::Value* element)> fixed;
    const ClusterSums& sums;  ///< It outlives the question.
    /// What the program and all that is fixed is, beside the pod; "": nothing is kept by row.
    std::string_view kept_under = {};
    const cel::Value* element = nullptr;
  };
  /// @return null: with this pod and these parameters the program does not work. The program and the view
  /// outlive it.
  static std::unique_ptr<const ColumnQuestion> bind(const ColumnProgram& program, const Given& given);

  /// A number or a bool as a column has it. @return nothing: the value is none, or not exact.
  static std::optional<std::pair<ColumnKind, double>> as_column(const cel::Value& value);
  /// The result's kind.
  ColumnKind kind() const { return kinds_[program_.result()]; }
  /// About how much one answer costs, in Kubernetes' units, beside what is evaluated for each node.
  std::uint64_t cost_of_node() const { return kCostOfStep * steps_; }

  /// Computes the result of at most kMost nodes.
  class Block {
   public:
    static constexpr std::size_t kMost = 128;
    using Walk = FunctionRef<cel::Evaluation(const cel::Program&, NodeId)>;
    explicit Block(const ColumnQuestion& question);
    /// @param walk  evaluates a part for a node.
    void compute(std::span<const NodeId> nodes, Walk walk);
    double value(std::size_t place) const { return values_[question_.program_.result()][place]; }
    /// Whether the expression itself must be evaluated for that node.
    bool is_left(std::size_t place) const { return left_[question_.program_.result()][place] != 0; }

   private:
    using Values = std::array<double, kMost>;
    using Flags = std::array<std::uint8_t, kMost>;
    /// Computes what is kept by row, for those nodes where it is not known.
    void fill(std::size_t kept, std::span<const NodeId> nodes, Walk walk);
    void keep(std::size_t kept, std::span<const NodeId> nodes, Walk walk);
    void read_kept(std::size_t kept, std::span<const NodeId> nodes);
    void run(const ColumnProgram::Steps& steps, std::span<const NodeId> nodes, Walk walk);
    void run_step(std::size_t at, std::span<const NodeId> nodes, Walk walk);
    void read_amounts(std::size_t at, std::span<const NodeId> nodes);
    void read_capacity(std::size_t at, std::span<const NodeId> nodes);
    void read_load(std::size_t at, std::span<const NodeId> nodes);
    void read_labels(std::size_t at, std::span<const NodeId> nodes);
    void calculate(std::size_t at, std::size_t count);
    void compare(std::size_t at, std::size_t count);
    void decide(std::size_t at, std::size_t count);
    void evaluate(std::size_t at, std::span<const NodeId> nodes, Walk walk);
    void ask_elements(std::size_t at, std::span<const NodeId> nodes);
    bool is_needed(const ColumnStep& step, std::size_t place) const;

    const ColumnQuestion& question_;
    std::vector<Values> values_;                ///< By step.
    std::vector<Flags> left_;                   ///< By step: 0 where the node is not left to the expression.
    std::vector<std::uint8_t> is_computed_;     ///< By step, in this run.
    std::vector<std::vector<Block>> elements_;  ///< By step: of kAll and kAny, by element.
    std::array<std::uint64_t, kMost> walked_cost_{};
    Flags was_interrupted_{};       ///< In this run: 1 where an evaluation was. Its answer is not the node's.
    std::uint64_t fixed_cost_ = 0;  ///< Of what is the same for all nodes, as far as it counts in this run.
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
    std::shared_ptr<const std::vector<std::int32_t>> counts;      ///< Of kMatching: by NodeId.
    std::vector<bool> has_image;                                  ///< Of kHasImage: by NodeId.
    std::vector<std::unique_ptr<const ColumnQuestion>> elements;  ///< Of kAll and kAny.
    bool is_left = false;  ///< Of these: nodes where it is needed are left to the expression.
  };
  explicit ColumnQuestion(const ColumnProgram& program, const Given& given)
      : program_(program), view_(given.view), assume_usage_(given.assume_usage) {}
  bool bind_leaf(const ColumnStep& step, const Given& given, Bound& bound);
  bool bind_matching(const ColumnStep& step, const Given& given, Bound& bound);
  bool bind_image(const ColumnStep& step, const Given& given, Bound& bound);
  bool bind_elements(const ColumnStep& step, const Given& given, Bound& bound);
  void bind_kept(std::string_view kept_under);
  /// Whether a step is needed on some node, as far as what is fixed tells.
  bool may_be_needed(const ColumnStep& step) const;
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
  /// By kept step of the program; null: it is needed nowhere. Empty: nothing is kept.
  std::vector<std::shared_ptr<NumbersByRow>> kept_;
  std::uint64_t cost_ = 0;   ///< Of one evaluation, without the parts that are evaluated for each node.
  std::uint64_t steps_ = 0;  ///< Those of elements counted once for each.
};

}  // namespace winnow::expressions
