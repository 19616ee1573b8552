// Nodes that compute: literals, calls, logic, lists, maps and loops.
// Upstream: cel-go v0.29.2 interpreter/interpretable.go, with the costs of interpreter/runtimecost.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cluster/cel/containers.h"
#include "cluster/cel/cost.h"
#include "cluster/cel/function.h"
#include "cluster/cel/node.h"
#include "cluster/cel/regex.h"

namespace winnow::cel {

class Constant : public Node {
 public:
  Constant(std::int64_t id, Value value) : Node(id), value_(std::move(value)) {}
  Value evaluate(Frame&) const override { return value_; }
  const Value* constant() const override { return &value_; }

 private:
  Value value_;
};

/// What a call of constants gives, with the costs that upstream counts for it and for the calls in it.
class FoldedCall : public Node {
 public:
  FoldedCall(std::int64_t id, Value value, std::vector<std::uint64_t> costs)
      : Node(id), value_(std::move(value)), costs_(std::move(costs)) {}
  Value evaluate(Frame& frame) const override {
    for (const std::uint64_t cost : costs_) frame.charge(cost);
    return value_;
  }
  const Value& value() const { return value_; }
  const std::vector<std::uint64_t>& costs() const { return costs_; }

 private:
  Value value_;
  std::vector<std::uint64_t> costs_;
};

/// && or ||. An error counts only if no term decides.
class LogicNode : public Node {
 public:
  /// @param deciding  the value that decides: false of &&, true of ||.
  LogicNode(std::int64_t id, bool deciding, std::vector<NodePtr> terms)
      : Node(id), deciding_(deciding), terms_(std::move(terms)) {}
  Value evaluate(Frame& frame) const override;

 private:
  bool deciding_;
  std::vector<NodePtr> terms_;
};

/// == or !=.
class EqualityNode : public Node {
 public:
  EqualityNode(std::int64_t id, bool negated, NodePtr left, NodePtr right);
  Value evaluate(Frame& frame) const override;

 private:
  bool negated_;
  NodePtr left_;
  NodePtr right_;
  CallCost cost_;
};

/// Whether a loop goes on: an error does not end it.
class NotStrictlyFalse : public Node {
 public:
  NotStrictlyFalse(std::int64_t id, NodePtr operand) : Node(id), operand_(std::move(operand)) {}
  Value evaluate(Frame& frame) const override;

 private:
  NodePtr operand_;
};

/// a.or(b) and a.orValue(b). They cost nothing.
class OptionalOr : public Node {
 public:
  /// @param unwraps  whether the value is wanted, and not the optional.
  OptionalOr(std::int64_t id, bool unwraps, NodePtr left, NodePtr right)
      : Node(id), unwraps_(unwraps), left_(std::move(left)), right_(std::move(right)) {}
  Value evaluate(Frame& frame) const override;

 private:
  bool unwraps_;
  NodePtr left_;
  NodePtr right_;
};

/// x in [constants]. It costs nothing.
class MembershipNode : public Node {
 public:
  MembershipNode(std::int64_t id, NodePtr operand, const List& items);
  Value evaluate(Frame& frame) const override;

 private:
  NodePtr operand_;
  EntryMap items_;
};

/// How a call is computed.
struct Target {
  const Function* function = nullptr;
  /// The one overload that may apply; null if several may.
  const Overload* overload = nullptr;
  CallCost cost = nullptr;
  /// Whether the cost hangs on the result.
  bool needs_result = false;
  /// Whether the first error ends the evaluation of the arguments. Then the call costs nothing.
  bool ends_at_error = false;
};

/// Calls the function with values, none of which is an error.
Value call(const Target& target, Arguments arguments);

class CallNode : public Node {
 public:
  CallNode(std::int64_t id, Target target, std::vector<NodePtr> arguments)
      : Node(id), target_(target), arguments_(std::move(arguments)) {}
  Value evaluate(Frame& frame) const override;

 protected:
  virtual Value compute(Arguments arguments) const { return call(target_, arguments); }

 private:
  template <std::size_t size>
  Value evaluate_some(Frame& frame) const;
  Value evaluate_into(Frame& frame, std::span<Value> values) const;

  Target target_;
  std::vector<NodePtr> arguments_;
};

/// matches, find and findAll with a constant pattern.
class RegexCall : public CallNode {
 public:
  using Compute = Value (*)(const Regex& regex, Arguments arguments);
  RegexCall(std::int64_t id, Target target, std::vector<NodePtr> arguments, Regex regex, Compute how)
      : CallNode(id, target, std::move(arguments)), regex_(std::move(regex)), compute_(how) {}

 protected:
  Value compute(Arguments arguments) const override { return compute_(regex_, arguments); }

 private:
  Regex regex_;
  Compute compute_;
};

class ListNode : public Node {
 public:
  /// @param optionals  which elements are optionals that may be empty; none if empty.
  ListNode(std::int64_t id, std::vector<NodePtr> elements, std::vector<bool> optionals)
      : Node(id), elements_(std::move(elements)), optionals_(std::move(optionals)) {}
  Value evaluate(Frame& frame) const override;

 private:
  Value make(Frame& frame) const;
  std::vector<NodePtr> elements_;
  std::vector<bool> optionals_;
};

class MapNode : public Node {
 public:
  /// @param entries  keys and values in turn.
  MapNode(std::int64_t id, std::vector<NodePtr> entries, std::vector<bool> optionals)
      : Node(id), entries_(std::move(entries)), optionals_(std::move(optionals)) {}
  Value evaluate(Frame& frame) const override;

 private:
  Value make(Frame& frame) const;
  std::vector<NodePtr> entries_;
  std::vector<bool> optionals_;
};

/// A loop over a list or the keys of a map, or with two variables over both.
class LoopNode : public Node {
 public:
  struct Parts {
    std::size_t accumulator = 0;
    std::size_t first = 0;
    /// Nothing of a loop with one variable.
    std::optional<std::size_t> second;
    NodePtr range;
    /// LocalNodes evaluate it when they first read the accumulator.
    NodePtr initial;
    NodePtr condition;
    NodePtr step;
    NodePtr result;
  };
  LoopNode(std::int64_t id, Parts parts) : Node(id), parts_(std::move(parts)) {}
  Value evaluate(Frame& frame) const override;

 private:
  /// @return whether the loop goes on.
  bool run_step(Frame& frame) const;
  Value finish(Frame& frame) const;
  Parts parts_;
};

}  // namespace winnow::cel
