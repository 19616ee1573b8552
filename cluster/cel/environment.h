// What an expression may use: variables, types, functions and macros.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cel/function.h"
#include "cluster/cel/macros.h"
#include "cluster/cel/type.h"

namespace winnow::cel {

struct Variable {
  std::string name;
  Type type;
};

/// Declarations. Build it once, compile many expressions with it; it must outlive their programs. Constant
/// while expressions are compiled.
class Environment {
 public:
  /// The language and its standard library alone, with optional syntax off.
  Environment();
  /// The base environment of Kubernetes 1.37, as stored expressions get it: its libraries, and cel-go's
  /// strings, lists, sets, two-variable macros and optionals.
  static Environment kubernetes();

  /// Declares a variable. Program::evaluate() wants values in the order of the declarations. A dotted name is
  /// a qualified variable.
  void add_variable(std::string name, Type type);
  /// Declares an object type with its fields. A value of it is a map at run time.
  void add_object_type(std::string name, std::vector<Variable> fields);
  /// Lets the name stand for a type in an expression: `type(x) == kubernetes.Quantity`.
  void add_type_name(const Type& type);
  /// Lets the checker take another name for the type. An expression that reads it still does not compile,
  /// with another error: so upstream has `duration` and `timestamp` where object types are declared.
  void add_type_alias(std::string name, const Type& type);
  /// Declares a function, or adds overloads to it.
  void add_function(Function function);
  void add_macros(std::span<const Macro> macros);
  void enable_optional_syntax() { optional_syntax_ = true; }
  /// The cost of has() is the cost of its selections alone. Kubernetes has it so.
  static constexpr bool kPresenceTestIsFree = true;

  // What the checker asks. Null if there is none.
  const std::vector<Variable>& variables() const { return variables_; }
  /// The index of the variable; -1 if there is none.
  std::ptrdiff_t find_variable(std::string_view name) const;
  const Type* find_type(std::string_view name) const;
  const std::vector<Variable>* find_object(std::string_view name) const;
  const Function* find_function(std::string_view name) const;
  std::span<const Macro> macros() const { return macros_; }
  bool optional_syntax() const { return optional_syntax_; }
  /// Names that a misspelt reference may mean.
  std::vector<std::string_view> names() const;

 private:
  template <class Declared>
  using ByName = std::map<std::string, Declared, std::less<>>;

  std::vector<Variable> variables_;
  ByName<std::size_t> variable_index_;
  ByName<Type> types_;
  ByName<std::vector<Variable>> objects_;
  ByName<Function> functions_;
  std::vector<Macro> macros_;
  bool optional_syntax_ = false;
};

}  // namespace winnow::cel
