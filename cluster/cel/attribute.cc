#include "cluster/cel/attribute.h"

#include <cmath>
#include <expected>
#include <string>
#include <utility>

#include "cluster/cel/containers.h"

namespace winnow::cel {
namespace {

Value missing_key(const Value& key) { return Value::error("no such key: " + plain_text(key)); }

/// The index that a key of a list is; else an error.
std::expected<std::int64_t, Value> index_of(const Value& key) {
  const auto unsupported = [&] {
    return std::unexpected(Value::error("unsupported index value " + plain_text(key) + " in list"));
  };
  switch (key.kind()) {
    case Kind::kInt:
      return key.as_int();
    case Kind::kUint:
      if (key.as_uint() > INT64_MAX) return unsupported();
      return static_cast<std::int64_t>(key.as_uint());
    case Kind::kDouble: {
      const double number = key.as_double();
      if (!(number > -0x1p63 && number < 0x1p63) || number != std::trunc(number)) return unsupported();
      return static_cast<std::int64_t>(number);
    }
    default:
      return std::unexpected(
          Value::error("unsupported index type '" + std::string(type_name_of(key)) + "' in list"));
  }
}

/// The part of the object; nothing if it is not there and may be missing; else an error.
std::optional<Value> select(const Value& object, const Value& key, bool may_be_missing) {
  if (object.is(Kind::kMap)) {
    auto found = object.as_map().find(key);
    if (found || may_be_missing) return found;
    return missing_key(key);
  }
  if (object.is(Kind::kList)) {
    const auto index = index_of(key);
    if (!index) return index.error();
    const List& list = object.as_list();
    if (*index >= 0 && static_cast<std::uint64_t>(*index) < list.size())
      return list.at(static_cast<std::size_t>(*index));
    if (may_be_missing) return std::nullopt;
    return Value::error("index out of bounds: " + plain_text(key));
  }
  if (object.is_error()) return object;
  if (may_be_missing) return std::nullopt;
  return missing_key(key);
}

/// The key, evaluated if it has to be.
Value key_of(const Qualifier& qualifier, Frame& frame) {
  if (qualifier.key) return *qualifier.key;
  Attribute* attribute = qualifier.node->attribute();
  Value key = attribute != nullptr ? attribute->resolve(frame) : qualifier.node->evaluate(frame);
  if (key.is_error() || may_select(key)) return key;
  return Value::error("invalid qualifier type: " + std::string(type_name_of(key)));
}

}  // namespace

bool may_select(const Value& key) { return key.is_number() || key.is(Kind::kString) || key.is(Kind::kBool); }

Value Attribute::evaluate(Frame& frame) const {
  Value value = resolve(frame);
  if (!test_only_) {
    frame.charge(own_cost());
  } else {
    if (own_cost() == 0) frame.uncharge();
    if (value.is(Kind::kOptional)) value = Value::boolean(value.as_optional() != nullptr);
  }
  return value.labelled(id());
}

Value Selection::resolve(Frame& frame) const {
  Value object = root(frame);
  if (qualifiers_.empty() || object.is_error()) return object;
  bool optional = object.is(Kind::kOptional);
  if (optional) {
    const Value* held = object.as_optional();
    if (held == nullptr) return object;
    object = Value(*held);
  }
  for (const auto& qualifier : qualifiers_) {
    optional = optional || qualifier->optional;
    const Value key = key_of(*qualifier, frame);
    const bool tests = qualifier->test_only;
    std::optional<Value> part = key.is_error() ? key : select(object, key, optional || tests);
    if (part && part->is_error()) {
      if (!optional) frame.charge(1);
      return *std::move(part);
    }
    // Where it is missing upstream's observer is not called.
    if (part || !optional) frame.charge(1);
    if (!part && optional) return Value::optional_none();
    object = tests && !optional ? Value::boolean(part.has_value()) : *std::move(part);
  }
  return optional ? Value::optional_of(std::move(object)) : object;
}

Value LocalNode::root(Frame& frame) const {
  if (initial_ == nullptr) return frame.slot(slot_).value;
  if (!frame.slot(slot_).is_set) {
    frame.slot(slot_).is_set = true;
    Value initial = initial_->evaluate(frame);
    // What a macro collects is added to in place. Upstream does so with the user's own variables, too.
    if (grows_ && initial.is(Kind::kList) && initial.as_list().size() == 0)
      initial = Value::list(new GrowingList);
    if (grows_ && initial.is(Kind::kMap) && initial.as_map().size() == 0)
      initial = Value::map(new EntryMap(true));
    frame.slot(slot_).value = std::move(initial);
  }
  return frame.slot(slot_).value;
}

ConditionalNode::ConditionalNode(std::int64_t id, NodePtr condition, NodePtr first, NodePtr second)
    : Attribute(id),
      condition_(std::move(condition)),
      first_(as_attribute(std::move(first))),
      second_(as_attribute(std::move(second))) {}

void ConditionalNode::add(std::shared_ptr<const Qualifier> qualifier) {
  first_->attribute()->add(qualifier);
  second_->attribute()->add(std::move(qualifier));
}

Value ConditionalNode::resolve(Frame& frame) const {
  const Value condition = condition_->evaluate(frame);
  if (condition.is_true()) return first_->attribute()->resolve(frame);
  if (condition.is_false()) return second_->attribute()->resolve(frame);
  return no_such_overload(condition);
}

NodePtr as_attribute(NodePtr node) {
  if (node->attribute() != nullptr) return node;
  const std::int64_t id = node->id();
  return std::make_unique<OperandNode>(id, std::move(node));
}

}  // namespace winnow::cel
