// Each rule reads what its row of the table names, and no more: on the clusters of the comparison with
// upstream it says the same where nothing else is there, and something else where one of these kinds is
// missing.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/files/cluster_file.h"
#include "cluster/files/cluster_objects.h"
#include "cluster/rule/policy_argument.h"
#include "cluster/rule/shared_args.h"
#include "extender/config/plugin_table.h"
#include "predicates/records.h"
#include "priorities/records.h"
#include "tests/ask.h"
#include "tests/part.h"

namespace winnow::test {
namespace {

struct Rule {
  std::string name;
  WatchedKinds needs;
  WatchedKinds there;  ///< Also what is there whatever the rule needs.
  std::function<std::string(const View&, const Pod&)> ask;
};

std::string in_one_line(const std::map<std::string, std::string>& verdicts) {
  std::string line;
  for (const auto& [node, verdict] : verdicts) line += node + "=" + verdict + " ";
  return line;
}

Rule predicate(std::string_view name, WatchedKinds needs, WatchedKinds more, const Arguments& arguments) {
  return {std::string(name), needs, needs | more, [name, arguments](const View& view, const Pod& pod) {
            return in_one_line(judge(name, view, pod, arguments));
          }};
}

Rule priority_rule(const priorities::Record& row, WatchedKinds more, const Arguments& arguments) {
  return {std::string(row.name) + " " + std::string(row.argument ? row.argument->name : "score"), row.needs,
          WatchedKinds(row.needs) | more, [row, arguments](const View& view, const Pod& pod) {
            const Scores given = score(row, view, pod, arguments);
            std::string line = given.error + " ";
            for (const auto& [node, points] : given.raw) line += node + "=" + std::to_string(points) + " ";
            for (const auto& [node, points] : given.scores) line += node + "=" + std::to_string(points) + " ";
            return line;
          }};
}

/// Claims are there for all classic rules: the pod's are checked before any of them.
std::vector<Rule> classic_rules() {
  std::vector<Rule> rules;
  for (const predicates::Record& row : predicates::classic())
    rules.push_back(predicate(row.name, row.needs, needs::kClaims,
                              arguments_for(row.argument, "kubernetes.io/hostname")));
  for (const priorities::Record& row : priorities::classic())
    rules.push_back(
        priority_rule(row, needs::kClaims, arguments_for(row.argument, "kubernetes.io/hostname")));
  return rules;
}

/// @param removed  those that kube-scheduler no longer has, or all others.
std::vector<Rule> plugins(bool removed) {
  std::vector<Rule> rules;
  // Without arguments ServiceAffinity does nothing.
  const std::vector<std::string> labels = {"kubernetes.io/hostname"};
  const Arguments service = ServiceAffinityArgs{labels, labels};
  const auto arguments = [&](std::string_view name) {
    return name == "ServiceAffinity" ? service : Arguments();
  };
  const auto wanted = [&](std::string_view name) {
    return (find_plugin_row(name)->kind == PluginKind::kRemoved) == removed;
  };
  for (const predicates::Record& row : predicates::plugins())
    if (wanted(row.name)) rules.push_back(predicate(row.name, row.needs, {}, arguments(row.name)));
  for (const priorities::Record& row : priorities::plugins())
    if (wanted(row.name)) rules.push_back(priority_rule(priority(row.name), {}, arguments(row.name)));
  return rules;
}

/// Without the kinds that are not needed.
ClusterObjects only(ClusterObjects objects, WatchedKinds needs) {
  for_each_kind([&]<class Object>(const Kind<Object>&) {
    if (!needs.has(kind_of<Object>)) objects.template of<Object>().clear();
  });
  return objects;
}

ClusterObjects read(const std::filesystem::path& file) {
  const std::string names[] = {file.string()};
  auto objects = read_cluster(names);
  REQUIRE_MESSAGE(objects.has_value(), file.string());
  return std::move(*objects);
}

/// A cluster of a corpus, as rules see it that read some kinds.
class Cluster {
 public:
  Cluster(const std::filesystem::path& folder, const State::Options& options)
      : objects_(read(folder / "cluster.json.gz")),
        asked_(read(folder / "pods.json.gz").of<Pod>()),
        options_(options) {}

  std::vector<std::string> ask(const Rule& rule, WatchedKinds needs) {
    std::vector<std::string> answers;
    for (const Pod& pod : asked_) answers.push_back(rule.ask(View(with(needs)), pod));
    return answers;
  }

 private:
  const State& with(WatchedKinds needs) {
    const auto known = std::ranges::find(states_, needs, &Known::first);
    if (known != states_.end()) return *known->second;
    auto state = std::make_unique<State>(options_);
    load(*state, only(objects_, needs | kind_of<Node> | kind_of<Pod>));
    return *states_.emplace_back(needs, std::move(state)).second;
  }

  using Known = std::pair<WatchedKinds, std::unique_ptr<State>>;
  ClusterObjects objects_;
  std::vector<Pod> asked_;
  State::Options options_;
  std::vector<Known> states_;
};

WatchedKinds without(WatchedKinds needs, ResourceKind kind) {
  WatchedKinds rest;
  for (const ResourceKind one : kAllKinds)
    if (one != kind && needs.has(one)) rest |= one;
  return rest;
}

WatchedKinds all_kinds() {
  WatchedKinds all;
  for (const ResourceKind kind : kAllKinds) all |= kind;
  return all;
}

std::string missing(const Rule& rule, ResourceKind kind) {
  return rule.name + " " + std::string(info_of(kind).resource);
}

/// Asks the clusters of a corpus, of which sanitizers take some.
/// @param expected  `RULE KIND` of kinds in a rule's row whose absence no cluster of the corpus shows.
void check_needs(const char* corpus, const std::vector<Rule>& rules, const State::Options& options,
                 const std::set<std::string>& expected) {
  std::set<std::string> unseen;
  for (const Rule& rule : rules)
    for (const ResourceKind kind : kAllKinds)
      if (rule.needs.has(kind)) unseen.insert(missing(rule, kind));
  const std::filesystem::path folder = std::string(WINNOW_ROOT) + "/tests/oracle/" + corpus;
  int number = 0;
  for (const auto& seed : std::filesystem::directory_iterator(folder)) {
    if (!seed.is_directory() || number++ % kPart != 0) continue;
    CAPTURE(seed.path().string());
    Cluster cluster(seed.path(), options);
    for (const Rule& rule : rules) {
      CAPTURE(rule.name);
      const auto answers = cluster.ask(rule, rule.there);
      CHECK(answers == cluster.ask(rule, all_kinds()));
      for (const ResourceKind kind : kAllKinds)
        if (unseen.contains(missing(rule, kind)) && answers != cluster.ask(rule, without(rule.there, kind)))
          unseen.erase(missing(rule, kind));
    }
  }
  CHECK(number > 10);
  if (kPart == 1) CHECK(unseen == expected);
  CHECK(std::ranges::includes(unseen, expected));  // Fewer clusters show less.
}

TEST_SUITE("needs of rules") {
  TEST_CASE("classic rules") {
    // Rules of volumes share the sets of kinds.h. So a row may name a kind that its rule does not read, or
    // that no cluster of the corpus shows it to read.
    const std::set<std::string> unseen = {
        "CheckVolumeBinding csinodes",        "GeneralPredicates deviceclasses",
        "MaxAzureDiskVolumeCount csinodes",   "MaxCinderVolumeCount csinodes",
        "MaxEBSVolumeCount csinodes",         "MaxGCEPDVolumeCount csinodes",
        "MaxGCEPDVolumeCount storageclasses", "PodFitsResources deviceclasses"};
    check_needs("corpus", classic_rules(), kDefaults, unseen);
  }
  TEST_CASE("today's plugins") {
    // The filter reads workloads only for defaultConstraints that are hard, which are an argument.
    const std::set<std::string> unseen = {
        // corpus_devices shows it; no ordinary cluster has such a rule.
        "DynamicResources devicetaintrules", "DynamicResources score devicetaintrules",
        // Volumes that only an attachment shows are rare.
        "NodeVolumeLimits volumeattachments", "PodTopologySpread replicasets",
        "PodTopologySpread replicationcontrollers", "PodTopologySpread services",
        "PodTopologySpread statefulsets",
        // The score shares its watched kinds with the filter.
        "VolumeBinding score csinodes"};
    check_needs("corpus_today", plugins(/*removed=*/false), kPlugins, unseen);
  }
  TEST_CASE("plugins that kube-scheduler no longer has") {
    check_needs("corpus_removed", plugins(/*removed=*/true), kPlugins, {});
  }
}

}  // namespace
}  // namespace winnow::test
