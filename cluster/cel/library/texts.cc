// size, contains, startsWith, endsWith and matches. Upstream: cel-go v0.29.2 common/stdlib/standard.go.
#include <string_view>

#include "cluster/cel/library/libraries.h"
#include "cluster/cel/regex.h"
#include "cluster/cel/search.h"
#include "cluster/cel/size.h"

namespace winnow::cel {
namespace {

bool has_size(const Value& value) {
  return value.is(Kind::kString) || value.is(Kind::kBytes) || value.is(Kind::kList) || value.is(Kind::kMap);
}

Value size(Arguments arguments) { return Value::integer(static_cast<std::int64_t>(*size_of(arguments[0]))); }

template <bool holds(std::string_view, std::string_view)>
Value of_texts(Arguments arguments) {
  for (const Value& argument : arguments)
    if (!argument.is(Kind::kString)) return no_such_overload(argument);
  return Value::boolean(holds(arguments[0].text(), arguments[1].text()));
}
bool contains(std::string_view text, std::string_view part) {
  return find_text(text, part) != std::string_view::npos;
}
bool starts_with(std::string_view text, std::string_view part) { return text.starts_with(part); }
bool ends_with(std::string_view text, std::string_view part) { return text.ends_with(part); }

bool is_text(const Value& value) { return value.is(Kind::kString); }

Value matches(Arguments arguments) {
  if (!arguments[1].is(Kind::kString)) return no_such_overload(arguments[1]);
  const Regex regex(arguments[1].text());
  if (!regex.error().empty()) return Value::error(regex.error());
  return Value::boolean(regex.matches(arguments[0].text()));
}

}  // namespace

void add_texts_and_sizes(Environment& environment) {
  const Type text = Type::string();
  const Type bytes = Type::bytes();
  const Type list = Type::list(Type::parameter("A"));
  const Type map = Type::map(Type::parameter("A"), Type::parameter("B"));
  const Type count = Type::integer();
  const Type flag = Type::boolean();
  environment.add_function({"size",
                            {overload("size_bytes", {bytes}, count), member("bytes_size", {bytes}, count),
                             overload("size_list", {list}, count), member("list_size", {list}, count),
                             overload("size_map", {map}, count), member("map_size", {map}, count),
                             overload("size_string", {text}, count), member("string_size", {text}, count)},
                            size,
                            has_size});
  const auto of_two = [&](std::string name, std::string id, Implementation call) {
    environment.add_function({.name = std::move(name),
                              .overloads = {member(std::move(id), {text, text}, flag, call)},
                              .guarded = false});
  };
  of_two("contains", "contains_string", of_texts<contains>);
  of_two("endsWith", "ends_with_string", of_texts<ends_with>);
  of_two("startsWith", "starts_with_string", of_texts<starts_with>);
  environment.add_function(
      {"matches",
       {overload("matches", {text, text}, flag), member("matches_string", {text, text}, flag)},
       matches,
       is_text});
}

}  // namespace winnow::cel
