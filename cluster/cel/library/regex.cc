// find and findAll. Upstream: k8s.io/apiserver v0.37.0 pkg/cel/library/regex.go.
#include "cluster/cel/regex.h"

#include <string>

#include "cluster/cel/library/libraries.h"

namespace winnow::cel {
namespace {

Value matches_compiled(const Regex& regex, Arguments arguments) {
  if (!arguments[0].is(Kind::kString)) return no_such_overload(arguments[0]);
  return Value::boolean(regex.matches(arguments[0].text()));
}

Value find_compiled(const Regex& regex, Arguments arguments) {
  if (!arguments[0].is(Kind::kString)) return no_such_overload(arguments[0]);
  return Value::string(std::string(regex.find(arguments[0].text())));
}

Value find_all_compiled(const Regex& regex, Arguments arguments) {
  if (!arguments[0].is(Kind::kString)) return no_such_overload(arguments[0]);
  std::int64_t most = -1;
  if (arguments.size() == 3) {
    if (!arguments[2].is(Kind::kInt)) return no_such_overload(arguments[2]);
    most = arguments[2].as_int();
  }
  std::vector<Value> found;
  for (const std::string_view match : regex.find_all(arguments[0].text(), most))
    found.push_back(Value::string(std::string(match)));
  return Value::list_of(std::move(found));
}

template <Value compute(const Regex& regex, Arguments arguments)>
Value with_pattern(Arguments arguments) {
  const Regex regex(arguments[1].text());
  if (!regex.error().empty()) return Value::error("Illegal regex: " + regex.error());
  return compute(regex, arguments);
}

}  // namespace

void add_regex(Environment& environment) {
  const Type text = Type::string();
  const Type list = Type::list(text);
  environment.add_function(
      {"find", {member("string_find_string", {text, text}, text, with_pattern<find_compiled>)}});
  environment.add_function(
      {"findAll",
       {member("string_find_all_string", {text, text}, list, with_pattern<find_all_compiled>),
        member("string_find_all_string_int", {text, text, Type::integer()}, list,
               with_pattern<find_all_compiled>)}});
}

Value (*regex_call(std::string_view name))(const Regex& regex, Arguments arguments) {
  if (name == "find") return find_compiled;
  return name == "findAll" ? find_all_compiled : matches_compiled;
}

}  // namespace winnow::cel
