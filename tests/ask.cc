#include "tests/ask.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "cluster/rule/policy_argument.h"
#include "cluster/rule/reasons.h"
#include "predicates/records.h"
#include "predicates/rules.h"
#include "priorities/records.h"
#include "priorities/resources.h"
#include "priorities/rules.h"

namespace winnow::test {
namespace {

std::string in_words(const Predicate& rule, Verdict verdict, const ReasonLists& lists) {
  constexpr std::array<const char*, 4> kFits = {"fits", "unschedulable: ", "unresolvable: ", "error: "};
  std::string words = kFits[static_cast<std::size_t>(verdict.fit())];
  const char* joint = "";
  for (const std::string_view text : reasons_of(&rule, verdict, lists)) {
    words.append(joint).append(text);
    joint = ", ";
  }
  return words;
}

std::vector<NodeId> ids(const View& view, const std::vector<std::string>& names) {
  if (names.empty()) return view.all_nodes();
  std::vector<NodeId> nodes;
  for (const std::string& name : names) nodes.push_back(view.find_node(name));
  return nodes;
}

std::map<std::string, std::int64_t> by_name(const View& view, const std::vector<NodeId>& nodes,
                                            const std::vector<std::int64_t>& values) {
  std::map<std::string, std::int64_t> named;
  for (std::size_t i = 0; i < nodes.size(); ++i) named[std::string(view.node_name(nodes[i]))] = values[i];
  return named;
}

BindPredicate* bind_of(std::string_view name) {
  if (const predicates::Record* row = predicates::find_classic(name)) return row->bind;
  if (const predicates::Record* row = predicates::find_plugin(name)) return row->bind;
  throw std::invalid_argument("no such predicate: " + std::string(name));
}

}  // namespace

priorities::Record priority(std::string_view name) {
  if (const priorities::Record* row = priorities::find_classic(name)) return *row;
  if (const priorities::Record* row = priorities::find_plugin(name))
    return {.name = row->name, .origin = row->origin, .bind = row->bind, .needs = row->needs};
  throw std::invalid_argument("no such priority: " + std::string(name));
}

std::map<std::string, std::string> judge(std::string_view predicate, const View& view, const Pod& pod,
                                         const Arguments& arguments) {
  const std::vector<NodeId> nodes = view.all_nodes();
  ReasonLists lists;
  Request request{pod, view, nodes, view.state().options().accounting};
  request.reason_lists = &lists;
  const auto rule = bind_of(predicate)(request, arguments);
  std::vector<Verdict> verdicts(nodes.size());
  if (rule) rule->map(nodes, verdicts);
  std::map<std::string, std::string> words;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    words[std::string(view.node_name(nodes[i]))] = rule ? in_words(*rule, verdicts[i], lists) : "fits";
  return words;
}

std::string judge_one(std::string_view predicate, const View& view, const Pod& pod,
                      const Arguments& arguments) {
  const auto words = judge(predicate, view, pod, arguments);
  if (words.size() != 1) throw std::invalid_argument("not one node");
  return words.begin()->second;
}

void check_verdicts(std::string_view predicate, std::span<const Placement> rows, const Arguments& arguments,
                    const State::Options& options) {
  for (const Placement& row : rows) {
    CAPTURE(row.sentence);
    State state(options);
    state.set_node(row.node);
    for (std::size_t i = 0; i < row.there.size(); ++i) {
      Pod there = row.there[i];
      there.metadata.name += "-" + std::to_string(i);
      there.spec.node_name = row.node.metadata.name;
      state.set_pod(there);
    }
    CHECK(judge_one(predicate, View(state), row.pod, arguments) == row.verdict);
  }
}

void check_plugin_verdicts(std::string_view plugin, std::span<const Placement> rows,
                           const Arguments& arguments) {
  check_verdicts(plugin, rows, arguments, kPlugins);
}

Scores score(const priorities::Record& priority, const View& view, const Pod& pod, const Arguments& arguments,
             const std::vector<std::string>& names) {
  if (!priority.bind) throw std::invalid_argument("no such priority: " + std::string(priority.name));
  const std::vector<NodeId> nodes = ids(view, names);
  const auto rule = priority.bind({pod, view, nodes, view.state().options().accounting}, arguments);
  Scores result;
  if (!rule) {
    result.error = rule.error();
    return result;
  }
  result.skipped = !*rule;
  std::vector<std::int64_t> values(nodes.size(), 0);
  if (*rule) (*rule)->map(nodes, values);
  result.raw = by_name(view, nodes, values);
  if (*rule) (*rule)->reduce(nodes, values);
  result.scores = by_name(view, nodes, values);
  return result;
}

Scores score(std::string_view priority, const View& view, const Pod& pod,
             const std::vector<std::string>& nodes) {
  return score(test::priority(priority), view, pod, {}, nodes);
}

void check_scores(const priorities::Record& priority, std::span<const Ranking> rows,
                  const Arguments& arguments, const State::Options& options) {
  for (const Ranking& row : rows) {
    CAPTURE(row.sentence);
    State state(options);
    for (const Node& node : row.nodes) state.set_node(node);
    for (std::size_t i = 0; i < row.there.size(); ++i) {
      Pod there = row.there[i];
      there.metadata.name += "-" + std::to_string(i);
      state.set_pod(there);
    }
    const Scores given = score(priority, View(state), row.pod, arguments);
    CHECK(given.error == "");
    for (const auto& [name, expected] : row.scores) {
      CAPTURE(name);
      REQUIRE(given.scores.contains(name));
      CHECK(given.scores.at(name) == expected);
    }
    CHECK(given.scores.size() == row.scores.size());
  }
}

void check_scores(std::string_view priority, std::span<const Ranking> rows, const State::Options& options) {
  check_scores(test::priority(priority), rows, {}, options);
}

void check_plugin_scores(std::string_view plugin, std::span<const Ranking> rows, const Arguments& arguments) {
  check_scores(test::priority(plugin), rows, arguments, kPlugins);
}

}  // namespace winnow::test
