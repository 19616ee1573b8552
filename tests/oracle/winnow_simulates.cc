// Winnow's side of the comparison of simulations: `winnow_simulates DIR`.
//
// Reads a directory as winnow_preempts does, and places its pending pods as `winnow simulate` does. Writes
// DIR/winnow-simulate.json, a line for each attempt in their order: the node and its total, or why there is
// none; who was evicted; and where the pod's claims are after it. With --preemption also what budgets allow
// before it. Usage: winnow_simulates [--gates NAME=VALUE,…] [--preemption] DIR
#include <fstream>
#include <iostream>

#include "cluster/rule/claims.h"
#include "cluster/text/json.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/placer.h"
#include "extender/what_if/simulate/simulation.h"
#include "tests/oracle/winnow_directory.h"

namespace winnow {
namespace {

/// A JSON object in the making.
class Object {
 public:
  Object& key(std::string_view name) {
    if (line_.back() != '{') line_ += ',';
    append_quoted(line_, name);
    line_ += ':';
    return *this;
  }
  Object& text(std::string_view value) {
    append_quoted(line_, value);
    return *this;
  }
  Object& raw(const std::string& value) {
    line_ += value;
    return *this;
  }
  std::string end() const { return line_ + '}'; }

 private:
  std::string line_ = "{";
};

std::string name_of(const ObjectMeta& object) { return object.namespace_ + '/' + object.name; }

std::string victims_of(const Placement& placement) {
  std::string list = "[";
  for (const Pod& victim : placement.victims) {
    if (list.size() > 1) list += ',';
    append_quoted(list, name_of(victim.metadata));
  }
  return list + ']';
}

std::string reasons_of(const Placement& placement) {
  Object reasons;
  for (const auto& [reason, nodes] : placement.reasons) reasons.key(reason).raw(std::to_string(nodes));
  return reasons.end();
}

/// Of each claim of the pod its volume, and the node that it is promised to; "" where there is none.
std::string claims_of(const State& state, const Pod& pod) {
  const View view(state);
  Object claims;
  for (const Volume& volume : pod.spec.volumes) {
    const auto name = claim_name(pod, volume, Generation::kToday);
    if (!name) continue;
    const PersistentVolumeClaim* const claim = view.volumes().claim(pod.metadata.namespace_, *name);
    if (!claim) continue;
    const auto selected = claim->metadata.annotations.find("volume.kubernetes.io/selected-node");
    Object where;
    where.key("volume").text(claim->volume_name);
    where.key("node").text(selected == claim->metadata.annotations.end() ? "" : selected->second);
    claims.key(*name).raw(where.end());
  }
  return claims.end();
}

std::string budgets_of(const State& state) {
  Object budgets;
  for (const auto& [key, budget] : state.objects.of<PodDisruptionBudget>())
    budgets.key(name_of(budget.metadata)).raw(std::to_string(budget.disruptions_allowed));
  return budgets.end();
}

std::string attempt_line(const State& state, const Pod& pod, const Placement& placement, bool preemption) {
  Object line;
  line.key("pod").text(name_of(pod.metadata)).key("node").text(placement.node);
  line.key("total").raw(std::to_string(placement.total));
  line.key("feasible").raw(std::to_string(placement.feasible));
  line.key("message").text(placement.why).key("reasons").raw(reasons_of(placement));
  line.key("victims").raw(victims_of(placement)).key("claims").raw(claims_of(state, pod));
  if (preemption) line.key("budgets").raw(budgets_of(state));
  return line.end() + '\n';
}

/// @return the error, in one line; "" if all went well.
std::string answer_for(const std::string& directory, const std::string& gates, bool preemption) {
  const auto read = read_directory(directory, gates);
  if (!read) return read.error();
  State& state = *read->state;
  Workers workers(0);
  const Engines engines(read->rules.sets, workers);
  std::ofstream out(directory + "/winnow-simulate.json");
  Simulation simulation(state, engines, {.seed = {}, .preemption = preemption}, {}, {});
  simulation.observe([&](const Pod& pod, const Placement& placement) {
    out << attempt_line(state, pod, placement, preemption);
  });
  simulation.add_pending();
  simulation.run();
  return out.good() ? "" : "winnow-simulate.json cannot be written";
}

}  // namespace
}  // namespace winnow

int main(int count, char** arguments) {
  std::string gates;
  bool preemption = false;
  int next = 1;
  for (; next + 1 < count; ++next) {
    const std::string_view flag = arguments[next];
    if (flag == "--preemption") {
      preemption = true;
    } else if (flag == "--gates" && next + 2 < count) {
      gates = arguments[++next];
    } else {
      break;
    }
  }
  if (next + 1 != count) {
    std::cerr << "usage: winnow_simulates [--gates NAME=VALUE,…] [--preemption] DIR\n";
    return 2;
  }
  const std::string error = winnow::answer_for(arguments[next], gates, preemption);
  if (!error.empty()) std::cerr << arguments[next] << ": " << error << '\n';
  return error.empty() ? 0 : 1;
}
