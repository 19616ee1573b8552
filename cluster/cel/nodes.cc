#include "cluster/cel/nodes.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "cluster/cel/comparison.h"
#include "cluster/cel/containers.h"
#include "cluster/cel/operators.h"

namespace winnow::cel {

Value LogicNode::evaluate(Frame& frame) const {
  Value error;
  for (const NodePtr& term : terms_) {
    Value value = term->evaluate(frame);
    if (frame.stopped()) return value;
    if (value.is(Kind::kBool)) {
      if (value.as_bool() == deciding_) return value;
    } else if (!error.is_error()) {
      error = no_such_overload(value).labelled(id());
    }
  }
  return error.is_error() ? error : Value::boolean(!deciding_);
}

EqualityNode::EqualityNode(std::int64_t id, bool negated, NodePtr left, NodePtr right)
    : Node(id),
      negated_(negated),
      left_(std::move(left)),
      right_(std::move(right)),
      cost_(negated ? call_cost(operators::kNotEquals, "not_equals")
                    : call_cost(operators::kEquals, "equals")) {}

Value EqualityNode::evaluate(Frame& frame) const {
  const std::array<Value, 2> sides = {left_->evaluate(frame), right_->evaluate(frame)};
  frame.charge(cost_(sides, Value()));
  if (frame.stopped()) return Value();
  if (sides[0].is_error()) return sides[0];
  if (sides[1].is_error()) return sides[1];
  Comparison comparison;
  Value result = comparison.equal(sides[0], sides[1]);
  if (negated_) result = Value::boolean(!result.is_true());
  return comparison.result(std::move(result));
}

Value NotStrictlyFalse::evaluate(Frame& frame) const {
  Value value = operand_->evaluate(frame);
  frame.charge(1);
  return value.is(Kind::kBool) ? value : Value::boolean(true);
}

Value OptionalOr::evaluate(Frame& frame) const {
  Value left = left_->evaluate(frame);
  if (left.is_error()) return left;
  if (!left.is(Kind::kOptional)) return no_such_overload();
  if (left.as_optional() == nullptr) return right_->evaluate(frame);
  return unwraps_ ? *left.as_optional() : left;
}

MembershipNode::MembershipNode(std::int64_t id, NodePtr operand, const List& items)
    : Node(id), operand_(std::move(operand)) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Value item = items.at(i);
    items_.set(item, Value());
    if (!item.is(Kind::kDouble)) continue;
    // A map finds no whole number by a double key, and a list does.
    const double number = item.as_double();
    if (number != std::trunc(number)) continue;
    if (number >= -0x1p63 && number < 0x1p63)
      items_.set(Value::integer(static_cast<std::int64_t>(number)), Value());
    else if (number >= 0 && number < 0x1p64)
      items_.set(Value::unsigned_integer(static_cast<std::uint64_t>(number)), Value());
  }
}

Value MembershipNode::evaluate(Frame& frame) const {
  const Value value = operand_->evaluate(frame);
  if (value.is_error()) return value;
  if (value.is(Kind::kBytes)) return Value::error("internal error: bytes are no member of a set");
  return Value::boolean(items_.has(value));
}

namespace {

Value no_overload_for(const std::string& name, Arguments arguments) {
  std::string text = "no such overload: " + name + "(";
  for (const Value& argument : arguments)
    text += (&argument == arguments.data() ? "" : ", ") + std::string(type_name_of(argument));
  return Value::error(text + ")");
}

bool takes(const Overload& overload, Arguments arguments, bool guarded) {
  if (overload.call == nullptr || overload.arguments.size() != arguments.size()) return false;
  for (std::size_t i = 0; guarded && i < arguments.size(); ++i)
    if (!overload.arguments[i].accepts(arguments[i])) return false;
  return true;
}

}  // namespace

Value call(const Target& target, Arguments arguments) {
  const Function& function = *target.function;
  if (function.all != nullptr) {
    if (function.trait != nullptr && !function.trait(arguments[0]))
      return Value::error("no such overload: " + function.name);
    return function.all(arguments);
  }
  if (target.overload != nullptr) {
    if (takes(*target.overload, arguments, function.guarded)) return target.overload->call(arguments);
    return no_overload_for(function.name, arguments);
  }
  for (const Overload& overload : function.overloads)
    if (takes(overload, arguments, function.guarded)) return overload.call(arguments);
  return no_overload_for(function.name, arguments);
}

Value CallNode::evaluate_into(Frame& frame, std::span<Value> values) const {
  const Value* error = nullptr;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = arguments_[i]->evaluate(frame);
    if (!values[i].is_error() || error != nullptr) continue;
    error = &values[i];
    if (target_.ends_at_error && i + 1 < values.size()) return *error;
  }
  // Most costs hang on the arguments alone. What is over the limit is not computed: it may be large.
  if (!target_.needs_result) frame.charge(target_.cost(values, Value()));
  if (frame.stopped()) return Value();
  Value result = error != nullptr ? *error : compute(values).labelled(id());
  if (target_.needs_result) frame.charge(target_.cost(values, result));
  return result;
}

template <std::size_t size>
Value CallNode::evaluate_some(Frame& frame) const {
  std::array<Value, size> values;
  return evaluate_into(frame, std::span<Value>(values.data(), arguments_.size()));
}

Value CallNode::evaluate(Frame& frame) const {
  if (arguments_.size() <= 2) return evaluate_some<2>(frame);
  if (arguments_.size() <= 4) return evaluate_some<4>(frame);
  std::vector<Value> values(arguments_.size());
  return evaluate_into(frame, values);
}

Value ListNode::make(Frame& frame) const {
  std::vector<Value> items;
  items.reserve(elements_.size());
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    Value item = elements_[i]->evaluate(frame);
    if (item.is_error()) return item;
    if (!optionals_.empty() && optionals_[i]) {
      if (!item.is(Kind::kOptional))
        return Value::error("cannot initialize optional list element from non-optional value " +
                            plain_text(item));
      if (item.as_optional() == nullptr) continue;
      item = Value(*item.as_optional());
    }
    items.push_back(std::move(item));
  }
  return Value::list_of(std::move(items));
}

Value ListNode::evaluate(Frame& frame) const {
  Value list = make(frame);
  frame.charge(kListCost);
  return list.labelled(id());
}

Value MapNode::make(Frame& frame) const {
  auto* map = new EntryMap;
  Value owner = Value::map(map);
  for (std::size_t i = 0; i + 1 < entries_.size(); i += 2) {
    const Value key = entries_[i]->evaluate(frame);
    if (key.is_error()) return key;
    Value value = entries_[i + 1]->evaluate(frame);
    if (value.is_error()) return value;
    if (!optionals_.empty() && optionals_[i / 2]) {
      if (!value.is(Kind::kOptional))
        return Value::error("cannot initialize optional entry '" + plain_text(key) +
                            "' from non-optional value " + plain_text(value));
      if (value.as_optional() == nullptr) {
        const Value error = map->erase(key);
        if (error.is_error()) return error;
        continue;
      }
      value = Value(*value.as_optional());
    }
    const Value error = map->set(key, std::move(value));
    if (error.is_error()) return error;
  }
  return owner;
}

Value MapNode::evaluate(Frame& frame) const {
  Value map = make(frame);
  frame.charge(kMapCost);
  return map.labelled(id());
}

bool LoopNode::run_step(Frame& frame) const {
  const Value condition = parts_.condition->evaluate(frame);
  if (frame.stopped() || condition.is_false()) return false;
  Value step = parts_.step->evaluate(frame);
  Slot& accumulator = frame.slot(parts_.accumulator);
  accumulator.value = std::move(step);
  accumulator.is_set = true;
  frame.check_interrupt();
  return !frame.stopped();
}

Value LoopNode::finish(Frame& frame) const {
  if (frame.stopped()) return Value::error("operation interrupted");
  Value result = parts_.result->evaluate(frame);
  finish_growing(result);
  frame.slot(parts_.accumulator) = Slot();
  return result;
}

Value LoopNode::evaluate(Frame& frame) const {
  const Value range = parts_.range->evaluate(frame);
  if (range.is_error()) return range;
  frame.slot(parts_.accumulator) = Slot();
  if (range.is(Kind::kMap)) {
    const Map& map = range.as_map();
    for (std::size_t i = 0, size = map.size(); i < size; ++i) {
      frame.slot(parts_.first).value = map.key_at(i);
      if (parts_.second) frame.slot(*parts_.second).value = map.value_at(i);
      if (!run_step(frame)) break;
    }
    return finish(frame);
  }
  if (!range.is(Kind::kList))
    return Value::error("got '" + std::string(type_name_of(range)) + "', expected iterable type")
        .labelled(id());
  const List& list = range.as_list();
  for (std::size_t i = 0, size = list.size(); i < size; ++i) {
    if (parts_.second) frame.slot(*parts_.second).value = list.at(i);
    frame.slot(parts_.first).value =
        parts_.second ? Value::integer(static_cast<std::int64_t>(i)) : list.at(i);
    if (!run_step(frame)) break;
  }
  return finish(frame);
}

}  // namespace winnow::cel
