// What each environment begins with.
#include "cluster/cel/environment.h"
#include "cluster/cel/library/libraries.h"

namespace winnow::cel {

Environment::Environment() {
  for (const Type& type :
       {Type::boolean(), Type::bytes(), Type::real(), Type::duration(), Type::integer(), Type::null(),
        Type::string(), Type::timestamp(), Type::type(), Type::unsigned_integer()})
    add_type_name(type);
  add_type_name(Type::list(Type::dyn()));
  add_type_name(Type::map(Type::dyn(), Type::dyn()));
  add_operators(*this);
  add_conversions(*this);
  add_texts_and_sizes(*this);
  add_times(*this);
  add_macros(standard_macros());
}

Environment Environment::kubernetes() {
  Environment environment;
  environment.enable_optional_syntax();
  environment.add_macros(optional_macros());
  environment.add_macros(two_variable_macros());
  // In upstream's order, in which overloads of one name are tried.
  add_regex(environment);
  add_optionals(environment);
  add_kubernetes_values(environment);
  add_strings(environment);
  add_sets(environment);
  add_named_formats(environment);
  add_map_insert(environment);
  add_lists(environment);
  add_kubernetes_lists(environment);
  return environment;
}

}  // namespace winnow::cel
