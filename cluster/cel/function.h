// Functions as they are declared: names, overloads with types, and what computes them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cel/type.h"
#include "cluster/cel/value.h"

namespace winnow::cel {

using Arguments = std::span<const Value>;
/// Computes a result. It gets no errors as arguments, unless the overload is not strict.
using Implementation = Value (*)(Arguments arguments);
/// Whether a value of the kind may be the first argument at all.
using Trait = bool (*)(const Value& first);

struct Overload {
  /// Its name, by which costs are counted: "add_int64".
  std::string id;
  bool member = false;
  std::vector<Type> arguments;
  Type result;
  /// Null if the function has one for all overloads, or if the evaluator computes it itself.
  Implementation call = nullptr;
};

/// A function. A call that has one overload left after the check is computed by it; else the first overload
/// that takes the values at run time is.
struct Function {
  std::string name;
  std::vector<Overload> overloads;
  /// One implementation for all overloads.
  Implementation all = nullptr;
  /// What the first argument must be, of a function with one implementation; null for anything.
  Trait trait = nullptr;
  /// Whether values are compared with the declared types before an overload is called.
  bool guarded = true;
};

}  // namespace winnow::cel
