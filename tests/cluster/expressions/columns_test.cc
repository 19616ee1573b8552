// An expression by columns says for each node what the expression itself says.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/api/node_metrics.h"
#include "cluster/expressions/column_program.h"
#include "cluster/expressions/column_question.h"
#include "cluster/expressions/expression.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/part.h"

namespace winnow::test {
namespace {

using namespace expressions;

struct Row {
  std::string_view text;
  bool by_columns = true;  ///< With the pod and the parameters of the test.
};

constexpr Row kExpressions[] = {
    {"true"},
    {"1.5 + 2.0"},
    {"node.requested.cpu + pod.requests.cpu <= 0.8 * node.allocatable.cpu"},
    {"100.0 * (1.0 - node.requested.memory / node.allocatable.memory)"},
    {"!has(node.usage) || node.usage.cpu < 0.85 * node.allocatable.cpu"},
    {"has(node.usage) ? 100.0 * (1.0 - node.usage.cpu / node.allocatable.cpu) : 0.0"},
    {"node.usage.memory > 1.0"},
    {"has(node.metrics.gpu) && node.metrics.gpu > 0.5"},
    {"'gpu' in node.metrics ? node.metrics['gpu'] : -1.0"},
    {"node.metrics.gpu"},
    {"node.pods < 2"},
    {"has(node.metadata.labels) && 'zone' in node.metadata.labels ? node.pods : 100"},
    {"node.capacity.cpu * 2.0 + node.capacity.cpu"},
    {"has(node.usage) ? node.usage.cpu + node.usage.memory + node.usage.cpu : node.requested.cpu"},
    {"has(node.metrics.gpu) || has(node.metrics.other) || node.metrics.gpu > 1.0"},
    {"node.pods + 1 > 2 && node.pods * 2 <= 6"},
    {"double(node.pods) / node.allocatable.pods"},
    {"-node.pods"},
    {"node.pods * (-3)"},
    {"node.pods == params.most"},
    {"node.requested.cpu < params.cores"},
    {"node.requested.cpu < params.most"},
    {"node.allocatable['example.com/gpu'] > 0.0"},
    {"'example.com/gpu' in node.allocatable && node.allocatable['example.com/gpu'] >= 2.0"},
    {"node.requested['example.com/gpu'] + 1.0"},
    {"node.metadata.labels['zone'] == 'a'"},
    {"'zone' in node.metadata.labels && node.metadata.labels['zone'] != 'a'"},
    {"has(node.metadata.labels.zone) ? 10.0 : 20.0"},
    {"node.metadata.labels['tenant'] == pod.metadata.labels['tenant']"},
    {"pod.metadata.labels['none'] == node.metadata.labels['tenant']", false},
    {"has(node.metadata.annotations.load) && double(node.metadata.annotations.load) > 0.4"},
    {"double(node.metadata.annotations['load']) * 100.0"},
    {"node.pods > 1 || node.metadata.name.startsWith('n1')"},
    {"node.podsMatching({'app': 'web'}, []) < 1 || cluster.nodes > 100"},
    {"node.podsMatching({'app': pod.metadata.labels['tenant']}, []) + node.podsMatching({}, ['default']) > "
     "1"},
    {"node.podsMatching({'app': node.metadata.name}, []) == node.podsMatching({}, params.none)", false},
    {"cel.bind(x, node.pods, node.podsMatching({'app': 'web'}, []) * 2 == x)"},
    {"node.domain('zone').requested.cpu < 3.0"},
    {"1 / node.pods > 0"},
    {"node.pods % 2 == 0"},
    {"node.allocatable.cpu > 2.0 ? node.pods : 7"},
    {"node.allocatable.cpu > 2.0 ? node.requested.cpu : node.usage.cpu"},
    {"node.pods == 1 == (node.requested.cpu > 1.0)"},
    {"9007199254740991 + node.pods > 0"},
    {"9223372036854775807 - node.pods > 0", false},
    {"params.missing < node.requested.cpu", false},
    {"params.word == 'x' || node.pods > 1"},
    {"[node.usage.cpu / node.allocatable.cpu, node.requested.cpu / node.allocatable.cpu].max()"},
    {"[node.requested.cpu / 0.0 - node.requested.cpu / 0.0, 1.0, node.requested.cpu].min()"},
    {"[node.pods, 2, 3].max() + 1"},
    {"has(node.usage) ? [node.usage.cpu, 2.0].min() : 0.0"},
    {"cel.bind(x, node.requested.cpu / node.allocatable.cpu, x > 0.4 ? x * x : 1.0 - x)"},
    {"cel.bind(x, node.usage.cpu, node.requested.cpu > 1.0 ? x : 0.0)"},
    {"cel.bind(x, node.pods, cel.bind(y, x + 1, x * y + [x, y].max()))"},
    {"1 + cel.bind(x, node.pods, [1, 2].exists(i, i == x) ? x : -x)"},
    {"cel.bind(x, pod.requests.cpu, x + x < node.requested.cpu)"},
    {"cel.bind(x, node.pods, cel.bind(x, x + 1, x * 2)) > 3"},
    {"node.requested.cpu * cel.bind(x, node.pods, double(x) + 0.5)"},
    {"cel.bind(x, node.usage.cpu, 1.0) + node.requested.cpu"},
    {"cel.bind(x, params.word, node.metadata.labels['zone'] == x)"},
    {"cel.bind(x, node.pods, node.metadata.labels['zone'] != (x > 1 ? 'a' : 'b')) || node.pods > 2"},
    {"[node.usage.cpu / 0.0, node.requested.cpu, 1.0].min()"},
    {"[1.0, node.usage.cpu / 0.0].max() > 0.0"},
    {"node.podsMatching({'app': dyn(1)}, []) > 0", false},
    {"node.metadata.name.startsWith('n1')"},
    {"node.metadata.?annotations[?'load'].orValue('').matches('^[0-9.]+$') ? "
     "double(node.metadata.annotations['load']) : 7.0"},
    {"pod.metadata.labels.size() > 1 ? double(node.metadata.annotations['load']) : node.requested.cpu"},
    {"pod.metadata.labels.size() > 0 ? double(node.metadata.annotations['load']) : node.requested.cpu"},
    {"params.most == 2 && node.metadata.name.endsWith(string(int(params.most)))"},
    {"node.metadata.name.endsWith(pod.metadata.labels['end']) ? 1 : node.pods"},
    {"node.metadata.name.size() < now.getSeconds() ? 1 : node.pods"},
    {"'nginx' in node.images"},
    {"'nginx:latest' in node.images && !(params.word in node.images)"},
    {"pod.metadata.labels['tenant'] in node.images || 'db:1' in node.images"},
    {"node.metadata.name in node.images", false},
    {"pod.spec.containers.all(c, c.image in node.images)"},
    {"pod.spec.containers.exists(c, c.image in node.images || c.image == params.word)"},
    {"(pod.spec.containers + pod.spec.?initContainers.orValue([]))"
     ".all(c, c.image in node.images || c.image in params.anywhere) && node.pods < 2"},
    {"pod.spec.containers.all(c, has(c.name) && node.pods > 1)"},
    {"pod.spec.containers.exists(c, c.name == 'b' && node.usage.cpu > 1.0)"},
    {"pod.spec.containers.all(c, c.name == 'a' || node.metrics.gpu > 0.5)"},
    {"pod.spec.containers.all(c, cel.bind(x, c.image in node.images, x || node.pods > 1))"},
    {"cel.bind(x, node.pods, pod.spec.containers.exists(c, x > 1 && c.image in node.images))", false},
    {"pod.spec.containers.all(c, c.name.size() > 0 && node.metadata.name.size() == 2) || node.pods > 1"},
    {"pod.spec.containers.exists_one(c, c.image in node.images)", false},
    {"[1, 2].exists(i, i == node.pods) && [].all(i, node.pods == i)"},
    {"[1, 2].exists(i, [2, 3].exists(k, i == k && node.pods == k))"},
    {"[1, 2].exists(i, [1, 2].exists(i, i == 2) && node.pods == i)"},
    {"[1, 2].all(i, [3].exists(k, k > i) && node.pods < 3)"},
    {"{'a': 1}.exists(k, node.pods == k.size())"},
    {"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17].exists(i, i == node.pods)"},
    {"!has(pod.spec.initContainers) || pod.spec.initContainers.all(c, c.image in node.images)"},
    {"has(pod.spec.initContainers) && pod.spec.initContainers.all(c, c.image in node.images)"},
    {"pod.spec.containers.all(c, c.workingDir == 'x' || node.pods > 1)"},
    {"node.usage.cpu / 0.0 > 1.0 && node.requested.cpu / (node.requested.cpu - node.requested.cpu) != 1.0"},
};

struct Answers {
  std::vector<std::uint64_t> numbers;  ///< As bits; one for all that is not a number.
  std::vector<std::string> errors;
  bool operator==(const Answers&) const = default;
};

Answers ask(const Question& question, const Expression& expression, const ColumnQuestion* columns,
            const std::vector<NodeId>& nodes) {
  Answers answers{.numbers = std::vector<std::uint64_t>(nodes.size()),
                  .errors = std::vector<std::string>(nodes.size())};
  Question::Nodes asked(question);
  asked.ask_all(
      expression, columns, nodes,
      [&](std::size_t place, const NodeAnswer& answer) {
        answers.numbers[place] = std::bit_cast<std::uint64_t>(
            std::isnan(answer.number) ? std::numeric_limits<double>::quiet_NaN() : answer.number);
        if (answer.error) answers.errors[place] = answer.error->message();
      },
      [] {});
  return answers;
}

/// A cluster whose nodes lack this and that.
void fill(State& state, std::uint64_t seed) {
  Draws draws(seed);
  for (int i = 0; i < 300; ++i) {
    const std::string name = "n" + std::to_string(i);
    NodeBuilder made = node(name).cpu(std::to_string(1 + draws.below(8))).memory("8Gi").pods("10");
    std::string labels, annotations;
    if (!draws.one_in(3)) {
      const std::string zone(1, static_cast<char>('a' + draws.below(3)));
      made.label("zone", zone);
      labels = R"("zone":")" + zone + '"';
    }
    if (draws.one_in(2)) {
      made.label("tenant", "blue");
      labels += (labels.empty() ? "" : ",") + std::string(R"("tenant":"blue")");
    }
    if (draws.one_in(2)) {
      made.label("kubernetes.io/hostname", name);
      labels += (labels.empty() ? "" : ",") + (R"("kubernetes.io/hostname":")" + name + '"');
    }
    if (draws.one_in(2)) annotations = R"("load":")" + std::string(draws.one_in(5) ? "x" : "0.5") + '"';
    if (draws.one_in(3)) made.offers("example.com/gpu", std::to_string(draws.below(4)));
    if (draws.one_in(2)) made.image("nginx:latest", 100);
    if (draws.one_in(3)) made.image("db:1", 100);
    Node object = made;
    object.fields = R"({"metadata":{"name":")" + name + '"';
    if (!labels.empty()) object.fields += R"(,"labels":{)" + labels + '}';
    if (!annotations.empty()) object.fields += R"(,"annotations":{)" + annotations + '}';
    object.fields += "}";
    if (!draws.one_in(4))
      object.fields += R"(,"status":{"capacity":{"cpu":")" + std::to_string(1 + draws.below(8)) + "\"}}";
    object.fields += "}";
    state.set_node(object);
    NodeMetrics metrics;
    metrics.metadata.name = name;
    if (draws.one_in(2))
      metrics.usage = NodeUsage{.cpu = 0.1 * static_cast<double>(draws.below(50)), .memory = 2, .taken = 1};
    if (draws.one_in(2)) metrics.metrics["gpu"] = 0.25 * static_cast<double>(draws.below(5));
    state.set_node_metrics(metrics);
  }
  for (int i = 0; i < 400; ++i) {
    PodBuilder made = pod("p" + std::to_string(i)).cpu(std::to_string(draws.below(1500)) + "m");
    if (draws.one_in(2)) made.label("app", "web");
    if (draws.one_in(5)) made.asks("example.com/gpu", "1");
    state.set_pod(made.on("n" + std::to_string(draws.below(310))));
  }
}

const StateOptions kOptions{
    .generation = Generation::kToday, .node_fields = {"/metadata"}, .node_load = true};

Pod asking(const std::string& end = "1") {
  Pod made = pod("asking").cpu("250m").label("tenant", "blue");
  made.fields = R"({"metadata":{"labels":{"tenant":"blue","end":")" + end +
                R"("}},"spec":{"containers":[)"
                R"({"image":"nginx","name":"a"},{"image":"db:1","name":"b"}]}})";
  return made;
}

/// @param end, seconds  what the pods and the times that are asked about differ in.
void compare_for(const View& view, const std::string& end, std::int64_t seconds) {
  const Pod pod = asking(end);
  Question::Given given{.pod = pod,
                        .view = view,
                        .params = R"({"params":{"most":2,"cores":1.5,"word":"x","anywhere":["x"]}})",
                        .assume_usage = 0.5,
                        .now = {.seconds = seconds}};
  const Question question(given);
  given.uses_kept_numbers = true;
  const Question keeping(given);
  for (const Row& row : kExpressions) {
    CAPTURE(row.text);
    const auto expression = Expression::find(row.text, Scope::kNodes, ResultKind::kAnything);
    REQUIRE_MESSAGE(expression, expression.error());
    const auto columns = question.columns(**expression);
    CHECK((columns != nullptr) == row.by_columns);
    const std::vector<NodeId> nodes = view.all_nodes();
    const Answers walked = ask(question, **expression, nullptr, nodes);
    CHECK(ask(question, **expression, columns.get(), nodes) == walked);
    const auto by_kept = keeping.columns(**expression);
    for (int turn = 0; turn < 2; ++turn)  // The second one finds all of it known.
      CHECK(ask(keeping, **expression, by_kept.get(), nodes) == walked);
  }
}

/// Two pods in turn: what is kept for one must serve the other.
void compare(const View& view) {
  compare_for(view, "1", 1);
  compare_for(view, "2", 59);
}

/// Some rows change, by their Node, their pods or their measurement.
void change(State& state, Draws& draws) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = "n" + std::to_string(draws.below(305));
    NodeMetrics metrics;
    metrics.metadata.name = name;
    if (draws.one_in(2))
      metrics.usage = NodeUsage{.cpu = 0.1 * static_cast<double>(draws.below(50)), .memory = 3, .taken = 2};
    if (draws.one_in(2)) metrics.metrics["gpu"] = 0.25 * static_cast<double>(draws.below(5));
    state.set_node_metrics(metrics);
    state.set_pod(pod("q" + std::to_string(draws.below(50))).cpu("700m").on(name));
    state.remove_pod("default", "p" + std::to_string(draws.below(400)));
  }
  for (int i = 0; i < 5; ++i) {
    const std::string name = "n" + std::to_string(draws.below(300));
    if (draws.one_in(3)) {
      state.remove_node(name);
      continue;
    }
    Node object = node(name).cpu("3").memory("8Gi").pods("10").label("zone", "b").image("db:1", 100);
    object.fields =
        R"({"metadata":{"name":")" + name + R"(","labels":{"zone":"b"},"annotations":{"load":"0.7"}}})";
    state.set_node(object);
  }
}

}  // namespace

TEST_CASE("columns give what the expression gives, errors included") {
  for (std::uint64_t seed = 1; seed <= part_of(5U); ++seed) {
    CAPTURE(seed);
    State state(kOptions);
    fill(state, seed);
    compare(View(state));
    Overlay overlay(state);
    for (int i = 0; i < 30; ++i) {
      overlay.add_pod(pod("more" + std::to_string(i)).cpu("300m").on("n" + std::to_string(i * 7)));
      overlay.remove_pod("default", "p" + std::to_string(i));
    }
    Node made = node("made").cpu("4").label("zone", "a");
    made.fields = R"({"metadata":{"name":"made","labels":{"zone":"a"}}})";
    overlay.set_node(made);
    overlay.remove_node("n3");
    compare(View(state, &overlay));
  }
}

TEST_CASE("what is kept by row follows the rows") {
  for (std::uint64_t seed = 1; seed <= part_of(5U); ++seed) {
    CAPTURE(seed);
    State state(kOptions);
    fill(state, seed);
    Draws draws(seed);
    for (int round = 0; round < 4; ++round) {
      compare(View(state));
      change(state, draws);
      if (round == 2) {  // More rows than are prepared for.
        for (int i = 0; i < 200; ++i) state.set_node(node("more" + std::to_string(i)).cpu("2"));
      }
    }
  }
}

TEST_CASE("what depends on the rows alone is evaluated once") {
  State state(kOptions);
  fill(state, 1);
  const Pod pod = asking();
  const auto cost_of_asking = [&](std::string_view text, std::string_view params, bool keeps) {
    const View view(state);
    const Question question({.pod = pod, .view = view, .params = params, .uses_kept_numbers = keeps});
    const auto expression = Expression::find(text, Scope::kNodes, ResultKind::kAnything);
    REQUIRE(expression);
    const auto columns = question.columns(**expression);
    REQUIRE(columns);
    Question::Nodes asked(question);
    const std::vector<NodeId> nodes = view.all_nodes();
    asked.ask_all(**expression, columns.get(), nodes, [](std::size_t, const NodeAnswer&) {}, [] {});
    return asked.cost() - columns->cost_of_node() * nodes.size();
  };
  constexpr std::string_view kText = "node.metadata.name.startsWith(params.prefix) && pod.requests.cpu > 0.0";
  constexpr std::string_view kN = R"({"params":{"prefix":"n"}})", kM = R"({"params":{"prefix":"m"}})";
  const std::uint64_t first = cost_of_asking(kText, kN, true);
  CHECK(first > 300);
  CHECK(cost_of_asking(kText, kN, true) == 0);
  CHECK(cost_of_asking(kText, kN, false) == first);
  CHECK(cost_of_asking(kText, kM, true) > 300);  // Other parameters have numbers of their own.
  state.set_pod(test::pod("one").cpu("1").on("n7"));
  const std::uint64_t of_one = cost_of_asking(kText, kN, true);
  CHECK(of_one > 0);
  CHECK(of_one < 20);
  // With an overlay nothing is kept, and nothing is left to the expression.
  Overlay overlay(state);
  overlay.add_pod(test::pod("two").cpu("1").on("n8"));
  const View changed(state, &overlay);
  const Question over({.pod = pod, .view = changed, .uses_kept_numbers = true});
  const auto usage = Expression::find("has(node.usage) ? node.usage.cpu * pod.requests.cpu : 0.0",
                                      Scope::kNodes, ResultKind::kNumber);
  const auto columns = over.columns(**usage);
  REQUIRE(columns);
  ColumnQuestion::Block block(*columns);
  const NodeId n8 = changed.find_node("n8");
  block.compute(std::span(&n8, 1), [](const cel::Program&, NodeId) { return cel::Evaluation{}; });
  CHECK_FALSE(block.is_left(0));
  // A part that this pod does not need is not evaluated.
  constexpr std::string_view kGuarded = "pod.requests.cpu > 100.0 ? node.metadata.name.endsWith('1') : true";
  CHECK(cost_of_asking(kGuarded, kN, true) == 0);
}

TEST_CASE("an evaluation that was interrupted is not kept") {
  State state(kOptions);
  fill(state, 1);
  const View view(state);
  const Pod pod = asking();
  bool is_over = true;
  Question::Given given{.pod = pod, .view = view, .uses_kept_numbers = true};
  given.interrupted = [](void* over) { return *static_cast<bool*>(over); };
  given.context = &is_over;
  const Question question(given);
  const auto expression = Expression::find(
      "[1, 2, 3].map(i, [1, 2, 3].map(k, node.metadata.name + string(i * k))).size() > node.pods",
      Scope::kNodes, ResultKind::kAnything);
  REQUIRE(expression);
  const auto columns = question.columns(**expression);
  REQUIRE(columns);
  const std::vector<NodeId> nodes = view.all_nodes();
  const Answers ended = ask(question, **expression, columns.get(), nodes);
  CHECK(std::ranges::count(ended.errors, "operation interrupted") == std::ssize(nodes));
  is_over = false;
  CHECK(ask(question, **expression, columns.get(), nodes) == ask(question, **expression, nullptr, nodes));
  // All of it is known now: had the first answers been kept, each node would be evaluated each time.
  Question::Nodes asked(question);
  asked.ask_all(**expression, columns.get(), nodes, [](std::size_t, const NodeAnswer&) {}, [] {});
  CHECK(asked.cost() == columns->cost_of_node() * nodes.size());
}

TEST_CASE("what reads the pod alone is evaluated once, and arithmetic leaves no node to the expression") {
  State state(kOptions);
  fill(state, 1);
  const View view(state);
  const Pod pod = asking();
  const Question question({.pod = pod, .view = view});
  const auto left = [&](std::string_view text) {
    const auto expression = Expression::find(text, Scope::kNodes, ResultKind::kAnything);
    REQUIRE(expression);
    const auto columns = question.columns(**expression);
    REQUIRE(columns);
    ColumnQuestion::Block block(*columns);
    const std::vector<NodeId> nodes = view.all_nodes();
    std::size_t count = 0, walked = 0;
    for (std::size_t begin = 0; begin < nodes.size(); begin += ColumnQuestion::Block::kMost) {
      const auto part =
          std::span(nodes).subspan(begin, std::min(ColumnQuestion::Block::kMost, nodes.size() - begin));
      block.compute(part, [&](const cel::Program&, NodeId) {
        ++walked;
        return cel::Evaluation{};
      });
      for (std::size_t i = 0; i < part.size(); ++i) count += block.is_left(i) ? 1 : 0;
    }
    return std::pair(count, walked);
  };
  using Counts = std::pair<std::size_t, std::size_t>;
  CHECK(left("node.requested.cpu + quantity('1').asApproximateFloat() < node.allocatable.cpu") ==
        Counts(0, 0));
  CHECK(left("!has(node.usage) || node.usage.cpu < 0.85 * node.allocatable.cpu") == Counts(0, 0));
  CHECK(left("has(node.usage) ? node.usage.cpu : 0.0") == Counts(0, 0));
  const auto [count, walked] = left("node.pods < 0 && node.metadata.name.startsWith('n')");
  CHECK(count == 0);
  CHECK(walked == 0);  // The name is not needed anywhere.
}

}  // namespace winnow::test
