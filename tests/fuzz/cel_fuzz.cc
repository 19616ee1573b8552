// Expressions: compiled in Kubernetes' environment, and evaluated with a cost limit.
#include <cstddef>
#include <cstdint>
#include <format>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/api/node_metrics.h"
#include "cluster/api/pod.h"
#include "cluster/cel/environment.h"
#include "cluster/cel/program.h"
#include "cluster/cel/value.h"
#include "cluster/expressions/expression.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
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

/// Three nodes that differ in what they have.
const State& state() {
  static const State* const kState = [] {
    auto* const made = new State({.generation = Generation::kToday,
                                  .node_fields = {"/metadata", "/spec", "/status"},
                                  .node_load = true});
    for (const std::string name : {"a", "b", "c"}) {
      Node node;
      node.metadata.name = name;
      node.status.allocatable = {{"cpu", Quantity::of_units(4)}, {"memory", Quantity::of_units(1 << 30)}};
      if (name != "a") node.metadata.labels = {{"zone", name}};
      node.fields = R"({"metadata":{"name":")" + name + R"(")" +
                    (name == "a" ? "" : R"(,"labels":{"zone":")" + name + R"("})") + "}}";
      made->set_node(node);
      if (name == "c") continue;
      NodeMetrics metrics{.metadata = node.metadata};
      metrics.usage = NodeUsage{.cpu = 1.5, .memory = 1e8, .taken = 1};
      if (name == "b") metrics.metrics["gpu"] = 0.5;
      made->set_node_metrics(metrics);
    }
    return made;
  }();
  return *kState;
}

using Answers = std::vector<std::string>;

Answers ask(const expressions::Question& question, const expressions::Expression& asked,
            const expressions::ColumnQuestion* columns, const std::vector<NodeId>& nodes) {
  Answers answers(nodes.size());
  expressions::Question::Nodes asking(question);
  asking.ask_all(
      asked, columns, nodes,
      [&](std::size_t place, const expressions::NodeAnswer& answer) {
        answers[place] = answer.error ? answer.error->message() : std::format("{}", answer.number);
      },
      [] {});
  return answers;
}

/// The first line is what is kept of a pod. Each other one is a user's rule, which is asked about nodes in
/// both ways.
void of_nodes(std::string_view text) {
  std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() < 2) return;
  if (lines.size() > 6) lines.resize(6);
  const View view(state());
  const std::vector<NodeId> nodes = view.all_nodes();
  Pod pod;
  pod.fields = lines[0];
  for (const std::string_view line : std::span(lines).subspan(1)) {
    using namespace expressions;
    const auto asked = expressions::Expression::compile(line, Scope::kNodes, ResultKind::kNumber, kMostCost);
    if (!asked) {
      check_error(asked.error());
      continue;
    }
    int steps = 0;
    const Question question({.pod = pod, .view = view, .interrupted = after_many_steps, .context = &steps});
    const auto columns = question.columns(**asked);
    const Answers by_columns = ask(question, **asked, columns.get(), nodes);
    const Answers plain = ask(question, **asked, nullptr, nodes);
    must(steps > 20'000 || by_columns == plain, "columns give what the expression gives", std::string(line));
  }
}

constexpr Part kParts[] = {expression, in_loops, of_nodes};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
