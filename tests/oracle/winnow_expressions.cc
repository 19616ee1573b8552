// Winnow's side of the comparison of users' expressions: `winnow_expressions DIR…`.
//
// Evaluates the expressions of DIR/expressions.json for the pods that it names, on every node of
// DIR/cluster.json, and writes DIR/winnow-expressions.json. Then reads DIR/rules.json as a configuration,
// whose rules of the plugin Expression imitate upstream's plugins, and writes DIR/winnow-plugins.json. Both
// files have the form of tests/oracle/today -expressions. A directory has a process: what fields are kept is
// told once in one.
#include <rapidjson/document.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <expected>
#include <format>
#include <fstream>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/wanted_fields.h"
#include "cluster/cel/program.h"
#include "cluster/expressions/expression.h"
#include "cluster/files/cluster_file.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/json.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/source.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/explain/explain.h"
#include "tests/oracle/winnow_cel_values.h"

namespace winnow {
namespace {

using expressions::Expression;
using expressions::Question;
using expressions::ResultKind;
using expressions::Scope;
using Json = rapidjson::Value;

std::string_view text_of(const Json& json) { return {json.GetString(), json.GetStringLength()}; }

template <class Number>
Number number_of(const Json& json) {
  Number number{};
  const std::string_view text = text_of(json);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void append_member(std::string& out, std::string_view name, std::string_view text) {
  if (out.back() != '{') out += ',';
  append_quoted(out, name);
  out += ':';
  append_quoted(out, text);
}

/// The cluster of a directory, as its files have it, and the pods that are asked about.
struct Cluster {
  std::unique_ptr<State> state;
  std::vector<Pod> asked;
};

std::expected<Cluster, std::string> read_cluster_of(const std::string& directory,
                                                    const State::Options& options, const Json& names) {
  const auto objects = read_cluster(std::vector{directory + "/cluster.json"});
  if (!objects) return std::unexpected(objects.error().message);
  const auto further = read_cluster(std::vector{directory + "/pods.json"});
  if (!further) return std::unexpected(further.error().message);
  Cluster cluster{.state = std::make_unique<State>(options), .asked = {}};
  load(*cluster.state, *objects);
  for (const Json& name : names.GetArray()) {
    const std::string wanted(text_of(name));
    for (const auto* const list : {&objects->of<Pod>(), &further->of<Pod>()})
      for (const Pod& pod : *list)
        if (pod.metadata.namespace_ + '/' + pod.metadata.name == wanted) cluster.asked.push_back(pod);
  }
  if (cluster.asked.size() != names.Size()) return std::unexpected("a pod is not there");
  return cluster;
}

std::string name_of(const Pod& pod) { return pod.metadata.namespace_ + '/' + pod.metadata.name; }

std::vector<NodeId> nodes_by_name(const View& view) {
  std::vector<NodeId> nodes = view.all_nodes();
  std::ranges::sort(nodes, {}, [&](NodeId node) { return view.node_name(node); });
  return nodes;
}

/// An expression of the file. `compiled` is null where it does not compile; `line` has then why.
struct Asked {
  std::string id, line;
  Scope scope = Scope::kNodes;
  const Expression* compiled = nullptr;
};

Asked compile(const Json& asked) {
  Asked made{.id = std::string(text_of(asked["id"])), .line = "{"};
  if (asked.HasMember("pod") && asked["pod"].GetBool()) made.scope = Scope::kPod;
  append_member(made.line, "id", made.id);
  const std::string_view text = text_of(asked["expr"]);
  const auto program = cel::Program::compile(text, expressions::environment(made.scope));
  const auto found = Expression::find(text, made.scope, ResultKind::kAnything);
  if (program && found) {
    append_member(made.line, "type", program->result_type().text());
    made.compiled = *found;
  } else if (program) {
    append_member(made.line, "compile", found.error());
    append_member(made.line, "at", "");
  } else {
    const cel::CompileError& first = program.error().front();
    append_member(made.line, "compile", first.message);
    append_member(made.line, "at", std::to_string(first.line) + ':' + std::to_string(first.column));
  }
  return made;
}

void append_answer(std::string& out, const Asked& asked, std::string_view pod, std::string_view node,
                   const cel::Evaluation& done) {
  std::string line = asked.line;
  append_member(line, "pod", pod);
  if (!node.empty()) append_member(line, "node", node);
  if (done.value.is_error()) {
    append_member(line, "error", done.value.message());
  } else {
    line += ",\"value\":";
    cel::append_typed(line, done.value);
  }
  out += line + ",\"cost\":" + std::to_string(done.cost) + "}\n";
}

std::string text_of(const expressions::NodeAnswer& answer) {
  return answer.error ? answer.error->message() : std::format("{}", answer.number);
}
std::string text_of(const cel::Value& value) {
  return value.is_error() ? value.message() : std::format("{}", expressions::number_of(value));
}

/// What the expression gives by columns on each node, as rules ask; nothing: it has none, or gives no number.
std::vector<std::string> by_columns(const Question& question, const Expression& asked,
                                    std::span<const NodeId> nodes) {
  const auto columns = question.columns(asked);
  if (!columns) return {};
  std::vector<std::string> found(nodes.size());
  Question::Nodes asking(question);
  asking.ask_all(
      asked, columns.get(), nodes,
      [&](std::size_t place, const expressions::NodeAnswer& answer) { found[place] = text_of(answer); },
      [] {});
  return found;
}

std::string answers_to(const Asked& asked, const Cluster& cluster, const View& view,
                       const std::string& params, cel::Timestamp now) {
  if (asked.compiled == nullptr) return asked.line + "}\n";
  std::string out;
  for (const Pod& pod : cluster.asked) {
    const Question question({.pod = pod, .view = view, .params = params, .now = now});
    if (asked.scope == Scope::kPod) {
      append_answer(out, asked, name_of(pod), "", question.ask(*asked.compiled));
      continue;
    }
    const std::vector<NodeId> all = nodes_by_name(view);
    const std::vector<std::string> columns = by_columns(question, *asked.compiled, all);
    Question::Nodes nodes(question);
    for (std::size_t i = 0; i < all.size(); ++i) {
      cel::Evaluation done = nodes.ask(*asked.compiled, all[i]);
      // Upstream has no columns: a difference from the expression's own answer is told as an error.
      if (!columns.empty() && columns[i] != text_of(done.value))
        done.value = cel::Value::error(std::format("columns give {}", columns[i]));
      append_answer(out, asked, name_of(pod), view.node_name(all[i]), done);
    }
  }
  return out;
}

/// The options of a state for which a configuration has only these expressions.
State::Options options_for(const std::vector<Asked>& all) {
  expressions::Reads reads;
  for (const Asked& asked : all)
    if (asked.compiled != nullptr) reads += asked.compiled->reads();
  want_fields(FieldsOf::kPods, reads.pod_fields);
  want_fields(FieldsOf::kNodes, reads.node_fields);
  State::Options options;
  options.pod_fields = reads.pod_fields;
  options.node_fields = reads.node_fields;
  options.node_load = reads.load();
  if (options.node_load) want_running_since();
  return options;
}

/// @return the error, in one line; "" if all went well.
std::string evaluate_all(const std::string& directory, const Json& cases) {
  std::vector<Asked> all;
  for (const Json& asked : cases["expressions"].GetArray()) all.push_back(compile(asked));
  const auto cluster = read_cluster_of(directory, options_for(all), cases["pods"]);
  if (!cluster) return cluster.error();
  std::string params = R"({"params":)";
  append_value(params, cases["params"]);
  params += '}';
  const cel::Timestamp now{number_of<std::int64_t>(cases["now"][0]),
                           number_of<std::uint32_t>(cases["now"][1]), 0};
  const View view(*cluster->state);
  std::ofstream out(directory + "/winnow-expressions.json");
  for (const Asked& asked : all) out << answers_to(asked, *cluster, view, params, now);
  return out.good() ? "" : "winnow-expressions.json cannot be written";
}

// The rules that imitate plugins.

std::string filters_of(const NodeExplanation& node) {
  std::string out;
  for (const FilterEntry& entry : node.filters) {
    out += out.empty() ? "{" : ",{";
    append_member(out, "rule", entry.rule);
    out += entry.fits ? R"(,"fits":true})" : R"(,"fits":false})";
  }
  return out;
}

std::string scores_of(const NodeExplanation& node) {
  std::string out;
  for (const ScoreEntry& entry : node.scores) {
    out += out.empty() ? "{" : ",{";
    append_member(out, "rule", entry.rule);
    out += ",\"score\":" + std::to_string(entry.score) + '}';
  }
  return out;
}

std::string line_of(const Explanation& explanation) {
  std::string line = "{";
  append_member(line, "pod", explanation.pod);
  if (explanation.error) append_member(line, "error", *explanation.error);
  line += ",\"nodes\":[";
  for (const NodeExplanation& node : explanation.nodes) {
    if (line.back() != '[') line += ',';
    line += '{';
    append_member(line, "name", node.name);
    line += ",\"filters\":[" + filters_of(node) + "],\"scores\":[" + scores_of(node) + "]}";
  }
  return line + "]}\n";
}

std::string imitate_plugins(const std::string& directory, const Json& cases) {
  const std::string path = directory + "/rules.json";
  const auto text = read_source(path, kMaxConfigBytes);
  if (!text) return text.error();
  const auto gates = parse_gates("");
  if (!gates) return gates.error();
  const auto rules = load_rules(path, *text, *gates);
  if (!rules) return rules.error();
  const auto cluster = read_cluster_of(directory, state_options(*rules), cases["pods"]);
  if (!cluster) return cluster.error();
  Workers workers(0);
  const Engines engines(rules->sets, workers);
  const View view(*cluster->state);
  std::ofstream out(directory + "/winnow-plugins.json");
  for (Pod pod : cluster->asked)
    for (const char* const profile : {"filters", "scores"}) {
      pod.spec.scheduler_name = profile;
      out << line_of(explain(engines, view, pod, nodes_by_name(view), {.suggest = false}));
    }
  return out.good() ? "" : "winnow-plugins.json cannot be written";
}

std::string answer_for(const std::string& directory) {
  const auto text = read_source(directory + "/expressions.json", kMaxConfigBytes);
  if (!text) return text.error();
  rapidjson::Document cases;
  cases.Parse(text->data(), text->size());
  if (cases.HasParseError()) return "expressions.json is no JSON";
  std::string error = evaluate_all(directory, cases);
  return error.empty() ? imitate_plugins(directory, cases) : error;
}

/// Answers for a directory in a process of its own. @return whether all went well.
bool answer_apart(const char* directory) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string error = answer_for(directory);
    if (!error.empty()) std::cerr << directory << ": " << error << std::endl;
    _exit(error.empty() ? 0 : 1);
  }
  int status = 0;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child;
  if (ended && WIFSIGNALED(status)) std::cerr << directory << ": signal " << WTERMSIG(status) << std::endl;
  return ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace
}  // namespace winnow

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "usage: winnow_expressions DIR…\n";
    return 2;
  }
  bool good = true;
  for (int i = 1; i < count; ++i) good = winnow::answer_apart(arguments[i]) && good;
  return good ? 0 : 1;
}
