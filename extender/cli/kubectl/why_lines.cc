#include "extender/cli/kubectl/why_lines.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/text/json/json_string.h"
#include "cluster/text/printable.h"
#include "extender/explain/failures.h"
#include "extender/explain/json.h"
#include "extender/explain/outlook.h"
#include "extender/explain/table_options.h"
#include "extender/explain/text.h"

namespace winnow {
namespace {

/// For a pod with gates it is said after them.
std::string where_it_fits(const Explanation& it) {
  const auto fitting = static_cast<std::size_t>(std::ranges::count(it.nodes, true, &NodeExplanation::fits));
  std::string text = it.gates.empty() || it.error ? it.pod : "Without them it";
  if (it.node) text += " is on " + *it.node + ", and asked anew";
  if (it.error) return text + ": error: " + *it.error + ".";
  if (fitting == 0) return text + std::format(" fits none of {}.", count_nodes(it.nodes.size()));
  text += std::format(" fits {} of {}", with_thousands(fitting), count_nodes(it.nodes.size()));
  const auto best =
      std::ranges::find_if(it.nodes, [&](const NodeExplanation& node) { return node.name == it.selected; });
  if (best == it.nodes.end()) return text + ".";
  text += "; the best is " + best->name;
  return text + (best->scored ? std::format(", with a score of {}.", best->total) : ".");
}

std::string sentence_of(const FailureGroup& group) {
  std::string text = count_nodes(group.nodes.size()) + ": " + group.reason;
  if (!text.ends_with('.')) text += '.';
  if (group.error || group.rule.empty()) return text;
  if (group.evictable == 0) return text + " Evictions cannot help.";
  if (group.evictable == group.nodes.size()) return text + " Evictions might help.";
  return text + std::format(" Evictions might help on {} of them.", with_thousands(group.evictable));
}

void append_gates(std::string& out, const std::vector<std::string>& gates) {
  if (gates.empty()) return;
  out += R"(,"gates":)";
  char before = '[';
  for (const std::string& gate : gates) {
    out += std::exchange(before, ',');
    append_quoted(out, gate);
  }
  out += ']';
}

}  // namespace

void append_why(std::string& out, const Explanation& explanation) {
  if (!explanation.gates.empty())
    out += printable(explanation.pod + ' ' + waits_for_gates(explanation.gates) + '.') + '\n';
  out += printable(where_it_fits(explanation)) + '\n';
  for (const FailureGroup& group : group_failures(explanation))
    out += "  " + printable(sentence_of(group)) + '\n';
  append_outlook(out, explanation, {.width = 0});
}

void append_why_json(std::string& out, const Explanation& explanation) {
  const auto text = [&](const char* key, const std::optional<std::string>& value) {
    if (!value) return;
    out += std::format(",\"{}\":", key);
    append_quoted(out, *value);
  };
  out += R"({"pod":)";
  append_quoted(out, explanation.pod);
  out += std::format(R"(,"nodes":{},"feasible":{})", explanation.nodes.size(), explanation.feasible);
  text("selected", explanation.selected);
  text("error", explanation.error);
  text("node", explanation.node);
  append_gates(out, explanation.gates);
  out += R"(,"reasons":[)";
  bool first = true;
  for (const FailureGroup& group : group_failures(explanation)) {
    out += std::format(R"({}{{"nodes":{},"rule":)", first ? "" : ",", group.nodes.size());
    append_quoted(out, group.rule);
    out += R"(,"reason":)";
    append_quoted(out, group.reason);
    out += std::format(R"(,"evictionMightHelp":{}}})", group.evictable);
    first = false;
  }
  out += ']';
  append_held_places(out, explanation.held);
  out += "}\n";
}

}  // namespace winnow
