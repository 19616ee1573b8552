// Configurations: a Policy, a KubeSchedulerConfiguration, and kube-scheduler's own file.
#include <cstdint>
#include <memory>

#include "cluster/files/cluster_file.h"
#include "cluster/state/view.h"
#include "cluster/text/characters.h"
#include "cluster/text/json_document.h"
#include "extender/config/extenders.h"
#include "extender/config/kept_config.h"
#include "extender/config/rules.h"
#include "extender/config/rules_summary.h"
#include "extender/config/scheduler_setup.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/operate/configure.h"
#include "tests/fuzz/fuzz.h"

namespace winnow::fuzz {
namespace {

using Loaded = std::expected<LoadedRules, std::string>;

std::vector<const RuleSet*> sets_of(const LoadedRules& loaded) {
  std::vector<const RuleSet*> sets;
  for (const RuleSet& set : loaded.sets) sets.push_back(&set);
  return sets;
}

/// A node and a pod, in the way of each generation.
const State& small_state(Generation generation) {
  static const auto kMake = [](Generation of) {
    auto state = std::make_unique<State>(State::Options{.generation = of});
    load(*state, read_cluster_text("cluster", R"({"kind":"List","items":[
        {"kind":"Node","metadata":{"name":"n0","labels":{"zone":"a","disk":"ssd"}},
         "status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110","example.com/widget":"3"}}},
        {"kind":"Node","metadata":{"name":"n1","labels":{"zone":"b"}},
         "status":{"allocatable":{"cpu":"8","memory":"8Gi","pods":"110"}}},
        {"kind":"Service","metadata":{"name":"s"},"spec":{"selector":{"app":"web"}}},
        {"kind":"Pod","metadata":{"name":"p0","labels":{"app":"web"}},"spec":{"nodeName":"n0",
         "containers":[{"resources":{"requests":{"cpu":"1"}}}]}}]})")
                     .value());
    return state;
  };
  static const auto kClassic = kMake(Generation::kClassic), kToday = kMake(Generation::kToday);
  return generation == Generation::kClassic ? *kClassic : *kToday;
}

/// The rules do not stop at any arguments that the reader has accepted.
void ask(const std::vector<RuleSet>& sets) {
  static Workers workers(0);
  static const Pod kPod = [] {
    Pod pod;
    pod.metadata.name = "web";
    pod.metadata.namespace_ = "default";
    pod.metadata.labels["app"] = "web";
    pod.spec.containers.emplace_back().resources.requests["cpu"] = Quantity::of_units(1);
    return pod;
  }();
  for (const RuleSet& set : sets) {
    const State& state = small_state(set.generation);
    const View view(state);
    const std::vector<NodeId> nodes = view.all_nodes();
    const Engine engine(set, workers);
    PassTimes times;
    const Request request{kPod, view, nodes, state.options().accounting};
    static_cast<void>(engine.filter(request, true, times));
    const auto scored = engine.prioritize(request, true, times);
    if (scored) must(scored->totals.size() == nodes.size(), "each node has a score");
  }
}

void check_summary(const RulesSummary& summary) {
  std::string json;
  append_json(json, summary);
  must(is_one_line(json), "a summary is one line", json);
  const auto back = read_rules_summary(json);
  must(back.has_value() && *back == summary, "a summary that is written is read back", json);
}

void check_loaded(const LoadedRules& loaded, std::string_view text, const Gates& gates) {
  must(!loaded.sets.empty(), "a configuration has rules");
  for (const std::string& line : loaded.notes) check_error(line);
  for (const std::string& line : loaded.warnings) check_error(line);
  const RulesSummary summary = summarize(sets_of(loaded));
  check_summary(summary);
  const Loaded again = load_rules("f", text, gates);
  must(again.has_value() && summarize(sets_of(*again)) == summary,
       "rules that are loaded twice are the same");
  // The notation does not matter.
  DocumentReader reader{std::string(text)};
  rapidjson::Document document;
  must(reader.next(document).value_or(false), "a configuration is a document");
  const std::string json = json_of(document);
  const Loaded from_json = load_rules("f", json, gates);
  must(from_json.has_value(), "a configuration that is written as JSON is read back", json);
  must(summarize(sets_of(*from_json)) == summary, "it has the same fingerprint", json);
  // What a recording keeps of it.
  const std::string kept = kept_config(text);
  const Loaded from_kept = load_rules("f", kept, gates);
  must(from_kept.has_value(), "what is kept of a configuration is read back", kept);
  must(summarize(sets_of(*from_kept)) == summary, "it has the same fingerprint", kept);
  must(kept_config(kept) == kept, "and is kept as it is", kept);
  static_cast<void>(needed(loaded.sets));
  for (const MissingRule& missing : missing_for_best(loaded)) check_error(missing.text());
  ask(loaded.sets);
}

void rules_with(std::string_view text, const Gates& gates) {
  const Loaded loaded = load_rules("f", text, gates);
  if (loaded) return check_loaded(*loaded, text, gates);
  must(loaded.error().starts_with("f: "), "an error names the file", loaded.error());
  check_error(loaded.error());
}

void rules(std::string_view text) { rules_with(text, Gates{}); }

/// The first line has the gates.
void gated_rules(std::string_view text) {
  const std::size_t end = text.find('\n');
  const auto gates = parse_gates(text.substr(0, end));
  if (gates && end != std::string_view::npos) rules_with(text.substr(end + 1), *gates);
}

/// One side of what `winnow configure` shows, without the reasons.
std::string side_of(const Configured& made, LineIn which) {
  std::string text;
  for (const DiffLine& line : made.diff)
    if (line.in == LineIn::kBoth || line.in == which) text += line.text + "\n";
  return text;
}

void configured(std::string_view text, DeploymentMode way) {
  const auto made = configure(text, {.way = way});
  if (!made) {
    for (const std::string& line : made.error()) check_error(line);
    return;
  }
  for (const std::string& line : made->remarks) check_error(line);
  DocumentReader reader{std::string(text), Merges::kStrict};
  rapidjson::Document was;
  must(reader.next(was).value_or(false), "a configuration is a document");
  const auto old_side = load_document(side_of(*made, LineIn::kOld));
  must(old_side.has_value() && old_side->root() == was, "the old side is the operator's file",
       side_of(*made, LineIn::kOld));
  const auto new_side = load_document(side_of(*made, LineIn::kNew));
  const auto file = load_document(made->scheduler);
  must(new_side.has_value() && file.has_value() && new_side->root() == file->root(),
       "the new side is the new file", made->scheduler);
  must(read_scheduler_setup(made->scheduler).has_value(), "kube-scheduler reads its new file",
       made->scheduler);
  must(load_rules("f", made->rules, Gates{}).has_value(), "Winnow reads its rules", made->rules);
}

void setup(std::string_view text) {
  const auto read = read_scheduler_setup(text);
  if (!read) return check_error(read.error());
  const auto again = read_scheduler_setup(text);
  must(again.has_value() && again->profiles.size() == read->profiles.size(),
       "a file that is read twice is the same");
  must(load_rules("f", text, Gates{}).has_value(), "what kube-scheduler reads Winnow reads");
  for (const DeploymentMode way : {DeploymentMode::kNominate, DeploymentMode::kScores,
                                   DeploymentMode::kEverything, DeploymentMode::kBest})
    configured(text, way);
}

void summary(std::string_view text) {
  const auto read = read_rules_summary(std::string(text));
  if (read) check_summary(*read);
}

constexpr Part kParts[] = {rules, gated_rules, setup, summary};

}  // namespace
}  // namespace winnow::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return winnow::fuzz::run_part(data, size, winnow::fuzz::kParts);
}
