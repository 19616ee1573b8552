// Variables and selections from them: a.b, a[b], a.?b, has(a.b), and c ? a : b.
// Upstream: cel-go v0.29.2 interpreter/attributes.go. Costs are counted as its observers count them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/cel/node.h"

namespace winnow::cel {

/// A selection: a key that is constant, or a node that gives it.
struct Qualifier {
  std::optional<Value> key;
  NodePtr node;
  /// Whether what is missing makes an empty optional instead of an error.
  bool optional = false;
  /// Whether it asks if the key is there: the last one of has().
  bool test_only = false;
};

/// Something with selections from it. Evaluated as a node it costs 1, and each selection costs 1.
class Attribute : public Node {
 public:
  using Node::Node;
  Attribute* attribute() override { return this; }
  /// Adds a selection. A conditional has it in both branches.
  virtual void add(std::shared_ptr<const Qualifier> qualifier) = 0;
  /// The value, without the cost of the node itself.
  virtual Value resolve(Frame& frame) const = 0;
  Value evaluate(Frame& frame) const override;
  void set_test_only() { test_only_ = true; }

 protected:
  bool is_test_only() const { return test_only_; }
  virtual std::uint64_t own_cost() const { return 1; }

 private:
  bool test_only_ = false;
};

/// An attribute with a list of selections.
class Selection : public Attribute {
 public:
  using Attribute::Attribute;
  void add(std::shared_ptr<const Qualifier> qualifier) override {
    qualifiers_.push_back(std::move(qualifier));
  }
  Value resolve(Frame& frame) const override;

 protected:
  /// What is selected from.
  virtual Value root(Frame& frame) const = 0;

 private:
  std::vector<std::shared_ptr<const Qualifier>> qualifiers_;
};

/// A declared variable.
class VariableNode : public Selection {
 public:
  VariableNode(std::int64_t id, std::size_t index) : Selection(id), index_(index) {}

 protected:
  Value root(Frame& frame) const override { return frame.variable(index_); }

 private:
  std::size_t index_;
};

/// A variable of a loop. @param initial  what an accumulator is at first; null of other variables.
/// @param grows  whether a list or map that is empty at first is added to in place: the accumulator of a
/// macro. A variable that the user names is not, as it could then hold itself.
class LocalNode : public Selection {
 public:
  LocalNode(std::int64_t id, std::size_t slot, const Node* initial, bool grows)
      : Selection(id), slot_(slot), initial_(initial), grows_(grows) {}

 protected:
  Value root(Frame& frame) const override;

 private:
  std::size_t slot_;
  const Node* initial_;
  bool grows_;
};

/// The value of another node.
class OperandNode : public Selection {
 public:
  OperandNode(std::int64_t id, NodePtr operand) : Selection(id), operand_(std::move(operand)) {}

 protected:
  Value root(Frame& frame) const override { return operand_->evaluate(frame); }

 private:
  NodePtr operand_;
};

/// condition ? first : second.
class ConditionalNode : public Attribute {
 public:
  ConditionalNode(std::int64_t id, NodePtr condition, NodePtr first, NodePtr second);
  void add(std::shared_ptr<const Qualifier> qualifier) override;
  Value resolve(Frame& frame) const override;

 protected:
  std::uint64_t own_cost() const override { return 0; }

 private:
  NodePtr condition_;
  NodePtr first_;  // Attributes both.
  NodePtr second_;
};

/// The node as an attribute: itself, or what selects from it.
NodePtr as_attribute(NodePtr node);
/// Whether the value may be the key of a selection.
bool may_select(const Value& key);

}  // namespace winnow::cel
