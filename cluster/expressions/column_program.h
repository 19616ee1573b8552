// An expression computed for many nodes at once: its arithmetic as loops over columns of numbers.
//
// Most rules compare and add amounts. An evaluation of such an expression walks a tree for each node. A
// column program does the same operation for a block of nodes before it does the next one. What reads the pod
// alone is computed once. What is neither is a leaf that is evaluated for each node, where it is needed.
//
// A value that depends on a node's row alone is kept until the row changes. A loop over a list of the pod is
// done for one element after the other.
//
// A column program gives no errors. Where a node's answer would be an error, or may be, it leaves the node to
// the expression itself. So its answers are those of the expression.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cel/program.h"

namespace winnow::cel {
class Ast;
}  // namespace winnow::cel

namespace winnow::expressions {

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
  kHasImage,   ///< part in node.images; it reads no node.
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
  // Of the elements of the list `part`, which reads no node: `body` is asked about each.
  kAll,
  kAny,
};

/// What a step's value depends on.
enum class ColumnSource : std::uint8_t {
  kFixed,  ///< Constants and parameters.
  kRow,    ///< These, and the node's row.
  kOther,  ///< The pod, the time or other nodes, too.
};

class ColumnProgram;

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
  ColumnSource source = ColumnSource::kRow;
  std::vector<ColumnGuard> guards = {};    ///< All hold where its value is needed.
  std::optional<cel::Program> part = {};   ///< Of kFixed, kLabelIs, kHasImage, kMatching, kWalked and loops.
  std::optional<cel::Program> other = {};  ///< Of kMatching.
  std::shared_ptr<const ColumnProgram> body = {};  ///< Of kAll and kAny.

  /// How many of a, b and c it takes.
  std::size_t operands() const;
};

/// Immutable. The steps belong to no question.
class ColumnProgram {
 public:
  /// Numbers of steps, in their order.
  using Steps = std::vector<std::uint32_t>;
  /// A step whose value depends on the row alone, and is worth keeping by row.
  struct Kept {
    std::uint32_t step = 0;
    Steps steps;  ///< What it takes to compute it, itself last.
  };

  /// @param ast  checked. @return null: the expression is not of this kind.
  static std::unique_ptr<const ColumnProgram> compile(cel::Ast& ast, const cel::Environment& environment);
  /// @param result  the step that gives the result.
  ColumnProgram(std::vector<ColumnStep> steps, std::uint32_t result);

  const std::vector<ColumnStep>& steps() const { return steps_; }
  /// The step that gives the result.
  std::uint32_t result() const { return result_; }
  /// All steps.
  const Steps& all() const { return all_; }
  /// None of these depends on another.
  const std::vector<Kept>& kept() const { return kept_; }
  /// What is to be computed where the values of kept() are known.
  const Steps& rest() const { return rest_; }

 private:
  /// The steps that a step's value takes. @param stop_at_kept  what kept steps take is left out, as they are.
  Steps steps_of(std::uint32_t step, bool stop_at_kept);
  bool is_worth_keeping(std::uint32_t step) const;

  const std::vector<ColumnStep> steps_;
  const std::uint32_t result_;
  std::vector<std::uint8_t> is_dear_;  ///< By step: 1 where it looks up or walks something for each node.
  Steps all_, rest_;
  std::vector<Kept> kept_;
};

}  // namespace winnow::expressions
