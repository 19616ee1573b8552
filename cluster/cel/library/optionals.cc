// Optional values. Upstream: cel-go v0.29.2 cel/library.go.
#include "cluster/cel/library/libraries.h"
#include "cluster/cel/operators.h"

namespace winnow::cel {
namespace {

bool is_zero(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDuration:
      return value.as_int() == 0;
    case Kind::kDouble:
      return value.as_double() == 0;
    case Kind::kString:
    case Kind::kBytes:
      return value.text().empty();
    case Kind::kTimestamp:
      return value.as_timestamp() == Timestamp{-62'135'596'800, 0, 0};
    case Kind::kList:
      return value.as_list().size() == 0;
    case Kind::kMap:
      return value.as_map().size() == 0;
    default:
      return false;
  }
}

Value of(Arguments arguments) { return Value::optional_of(arguments[0]); }
Value of_not_zero(Arguments arguments) {
  return is_zero(arguments[0]) ? Value::optional_none() : Value::optional_of(arguments[0]);
}
Value none(Arguments) { return Value::optional_none(); }
Value value_of(Arguments arguments) {
  const Value* held = arguments[0].as_optional();
  return held != nullptr ? *held : Value::error("optional.none() dereference");
}
Value has_value(Arguments arguments) { return Value::boolean(arguments[0].as_optional() != nullptr); }

Value at(const List& list, bool last) {
  const std::size_t size = list.size();
  return size == 0 ? Value::optional_none() : Value::optional_of(list.at(last ? size - 1 : 0));
}
Value first(Arguments arguments) { return at(arguments[0].as_list(), false); }
Value last(Arguments arguments) { return at(arguments[0].as_list(), true); }

Value unwrap(Arguments arguments) {
  std::vector<Value> values;
  const List& list = arguments[0].as_list();
  for (std::size_t i = 0, size = list.size(); i < size; ++i) {
    const Value item = list.at(i);
    if (!item.is(Kind::kOptional)) return Value::error("value " + plain_text(item) + " is not optional");
    if (item.as_optional() != nullptr) values.push_back(*item.as_optional());
  }
  return Value::list_of(std::move(values));
}

}  // namespace

void add_optionals(Environment& environment) {
  const Type k = Type::parameter("K");
  const Type v = Type::parameter("V");
  const Type optional = Type::optional(v);
  const Type list = Type::list(v);
  const Type map = Type::map(k, v);
  const Type optionals = Type::list(optional);
  const Type i = Type::integer();
  environment.add_type_name(Type::optional(Type::dyn()));
  environment.add_function({"optional.of", {overload("optional_of", {v}, optional, of)}});
  environment.add_function(
      {"optional.ofNonZeroValue", {overload("optional_ofNonZeroValue", {v}, optional, of_not_zero)}});
  environment.add_function({"optional.none", {overload("optional_none", {}, optional, none)}});
  environment.add_function({"value", {member("optional_value", {optional}, v, value_of)}});
  environment.add_function(
      {"hasValue", {member("optional_hasValue", {optional}, Type::boolean(), has_value)}});
  // The evaluator computes these itself.
  environment.add_function({"or", {member("optional_or_optional", {optional, optional}, optional)}});
  environment.add_function({"orValue", {member("optional_orValue_value", {optional, v}, v)}});
  environment.add_function({std::string(operators::kOptSelect),
                            {overload("select_optional_field", {Type::dyn(), Type::string()}, optional)}});
  environment.add_function(
      {std::string(operators::kOptIndex),
       {overload("list_optindex_optional_int", {list, i}, optional),
        overload("optional_list_optindex_optional_int", {Type::optional(list), i}, optional),
        overload("map_optindex_optional_value", {map, k}, optional),
        overload("optional_map_optindex_optional_value", {Type::optional(map), k}, optional)}});
  environment.add_function({std::string(operators::kIndex),
                            {overload("optional_list_index_int", {Type::optional(list), i}, optional),
                             overload("optional_map_index_value", {Type::optional(map), k}, optional)}});
  environment.add_function({"last", {member("list_last", {list}, optional, last)}});
  environment.add_function({"first", {member("list_first", {list}, optional, first)}});
  environment.add_function({"optional.unwrap", {overload("optional_unwrap", {optionals}, list, unwrap)}});
  environment.add_function({"unwrapOpt", {member("optional_unwrapOpt", {optionals}, list, unwrap)}});
}

}  // namespace winnow::cel
