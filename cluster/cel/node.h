// What a program is made of: nodes that evaluate themselves, and the state of an evaluation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "cluster/cel/limits.h"
#include "cluster/cel/value.h"

namespace winnow::cel {

/// The variable of a loop, or its accumulator.
struct Slot {
  Value value;
  /// An accumulator has its first value when it is first read.
  bool is_set = false;
};

/// The state of one evaluation.
class Frame {
 public:
  Frame(std::span<const Value> variables, std::size_t slots, const EvaluationLimits& limits)
      : variables_(variables), slots_(slots), limits_(limits) {}

  const Value& variable(std::size_t index) const { return variables_[index]; }
  Slot& slot(std::size_t index) { return slots_[index]; }

  /// Adds to the cost. Over the limit the evaluation stops: results are worth nothing from then on, and every
  /// loop and every operator that absorbs errors ends at once.
  void charge(std::uint64_t cost) {
    if (stopped_) return;
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    cost_ = cost > kMost - cost_ ? kMost : cost_ + cost;
    if (cost_ > limits_.cost) stopped_ = exceeded_ = true;
  }
  /// Takes 1 from the cost, as upstream does once where it added nothing.
  void uncharge() {
    if (!stopped_ && cost_ > 0) --cost_;
  }
  /// Asks the caller whether to go on; in each step of a loop.
  void check_interrupt() {
    if (stopped_ || limits_.interrupted == nullptr || !limits_.interrupted(limits_.context)) return;
    stopped_ = interrupted_ = true;
  }
  bool stopped() const { return stopped_; }
  bool exceeded() const { return exceeded_; }
  bool interrupted() const { return interrupted_; }
  std::uint64_t cost() const { return cost_; }

 private:
  std::span<const Value> variables_;
  std::vector<Slot> slots_;
  const EvaluationLimits& limits_;
  std::uint64_t cost_ = 0;
  bool stopped_ = false;
  bool exceeded_ = false;
  bool interrupted_ = false;
};

class Attribute;

class Node {
 public:
  explicit Node(std::int64_t id) : id_(id) {}
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// The value. Errors are values.
  virtual Value evaluate(Frame& frame) const = 0;
  /// The value, if it is constant and free; else null.
  virtual const Value* constant() const { return nullptr; }
  /// The node itself, if it selects parts of something; else null.
  virtual Attribute* attribute() { return nullptr; }
  std::int64_t id() const { return id_; }

 private:
  std::int64_t id_;
};

using NodePtr = std::unique_ptr<Node>;

}  // namespace winnow::cel
