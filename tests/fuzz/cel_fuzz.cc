// Expressions: compiled in Kubernetes' environment, and evaluated with a cost limit.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cel/environment.h"
#include "cluster/cel/program.h"
#include "cluster/cel/value.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

using cel::Environment;
using cel::Evaluation;
using cel::Program;
using cel::Type;
using cel::Value;

/// An input has hundreds of expressions, and a sanitizer makes each slow.
constexpr std::uint64_t kMostCost = 20'000;

const Environment& environment() {
  static const Environment kEnvironment = [] {
    Environment made = Environment::kubernetes();
    made.add_macros(cel::binding_macros());
    made.add_variable("d", Type::dyn());
    made.add_variable("s", Type::string());
    made.add_variable("i", Type::integer());
    made.add_variable("l", Type::list(Type::integer()));
    return made;
  }();
  return kEnvironment;
}

std::vector<Value> variables(std::string_view text) {
  const Value numbers = Value::list_of({Value::integer(3), Value::integer(1), Value::integer(2)});
  return {numbers, Value::string(std::string(text.substr(0, 20))), Value::integer(-7), numbers};
}

/// A loop of the evaluation asks this often.
bool after_many_steps(void* context) { return ++*static_cast<int*>(context) > 20'000; }

void expression(std::string_view text) {
  const auto program = Program::compile(text, environment());
  if (!program) {
    for (const cel::CompileError& error : program.error()) check_error(error.text());
    return;
  }
  const std::vector<Value> values = variables(text);
  int steps = 0;
  const cel::EvaluationLimits limits{.cost = kMostCost, .interrupted = after_many_steps, .context = &steps};
  const Evaluation first = program->evaluate(values, limits);
  must(!first.cost_exceeded || first.value.is_error(), "an evaluation over the limit is an error");
  const std::string told = describe(first.value);
  steps = 0;
  const Evaluation second = program->evaluate(values, limits);
  must(second.cost == first.cost, "the cost is the same again");
  must(describe(second.value) == told, "the value is the same again", told);
}

/// Lines, each within a loop over the text's own characters.
void in_loops(std::string_view text) {
  for (const std::string_view line : lines_of(text)) {
    expression("[1, 2, 3].map(x, " + std::string(line) + ")");
    expression("{'a': 1}.transformMap(k, v, " + std::string(line) + ")");
  }
}

constexpr Part kParts[] = {expression, in_loops};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
