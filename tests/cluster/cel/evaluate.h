// Expressions for tests: compiled in an environment with a few variables, and evaluated.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cel/containers.h"
#include "cluster/cel/environment.h"
#include "cluster/cel/program.h"
#include "cluster/cel/value.h"

namespace winnow::cel {

/// Kubernetes' environment with cel.bind and: d dyn, s string, i int, l list(int), m map(string, int).
inline const Environment& test_environment() {
  static const Environment kEnvironment = [] {
    Environment environment = Environment::kubernetes();
    environment.add_macros(binding_macros());
    environment.add_variable("d", Type::dyn());
    environment.add_variable("s", Type::string());
    environment.add_variable("i", Type::integer());
    environment.add_variable("l", Type::list(Type::integer()));
    environment.add_variable("m", Type::map(Type::string(), Type::integer()));
    environment.add_variable("pod.name", Type::string());
    return environment;
  }();
  return kEnvironment;
}

/// d is 2.5, s is "text", i is 7, l is [3, 1, 2], m is empty, pod.name is "web".
inline std::vector<Value> test_values() {
  return {Value::real(2.5),         Value::string("text"),
          Value::integer(7),        Value::list_of({Value::integer(3), Value::integer(1), Value::integer(2)}),
          Value::map(new EntryMap), Value::string("web")};
}

/// The first error, "1:7: …"; empty if the expression compiles.
inline std::string compile_error(std::string_view text) {
  const auto program = Program::compile(text, test_environment());
  return program ? "" : program.error().front().text();
}

struct Outcome {
  /// The value as an expression, or the message of the error.
  std::string text;
  std::uint64_t cost = 0;
};

inline Outcome outcome_of(std::string_view text, const EvaluationLimits& limits = {}) {
  const auto program = Program::compile(text, test_environment());
  if (!program) return {program.error().front().text()};
  const std::vector<Value> values = test_values();
  const Evaluation evaluation = program->evaluate(values, limits);
  return {describe(evaluation.value), evaluation.cost};
}

}  // namespace winnow::cel
