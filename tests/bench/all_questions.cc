// Each rule that is timed has something to say about the pod that it is asked about: a rule that skips the
// pod would be timed as if it cost nothing.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"
#include "tests/bench/questions.h"

namespace winnow::bench {
namespace {

/// What has nothing to say about a pod of the sample, and why.
struct Silent {
  std::string_view rule;
  const char* why;
};
constexpr Silent kSilent[] = {
    {"filter NoDiskConflict", "no pod of the sample has a disk"},
    {"filter MaxCSIVolumeCountPred", "the sample has no claims"},
    {"filter NodeVolumeLimits", "the sample has no claims"},
    {"filter CheckVolumeBinding", "the sample has no claims"},
    {"filter VolumeBinding", "the sample has no claims"},
    {"filter NoVolumeZoneConflict", "the sample has no claims"},
    {"filter VolumeZone", "the sample has no claims"},
    {"filter NodeDeclaredFeatures", "the sample's nodes declare no features"},
    {"filter DynamicResources", "the sample has no devices; winnow_devices measures them"},
    {"filter Expression", "it does nothing without arguments"},
    {"score Expression", "it does nothing without arguments"},
    {"filter NodeLabel", "it does nothing without arguments"},
    {"score NodeLabel", "it does nothing without arguments"},
    {"filter ServiceAffinity", "it does nothing without arguments"},
    {"score ServiceAffinity", "it does nothing without arguments"},
    {"score RequestedToCapacityRatio", "it does nothing without arguments"},
};

bool is_silent(std::string_view rule) { return std::ranges::contains(kSilent, rule, &Silent::rule); }

bool says(const Case<BindPredicate>& one, const Question& question) {
  return one.bind(question.request(), {}) != nullptr;
}
bool says(const Case<BindPriority>& one, const Question& question) {
  const auto bound = one.bind(question.request(), {});
  return bound && *bound != nullptr;
}

/// A small sample, and the caches of both generations that have it.
struct World {
  World() {
    for (ClusterCache* cache : {&classic, &today}) cache->write([&](State& state) { sample.load(state); });
  }

  const Sample sample{{.nodes = 400, .pods = 4000}};
  ClusterCache classic{State::Options{.generation = Generation::kClassic}};
  ClusterCache today{State::Options{.generation = Generation::kToday}};
};

/// A line for each rule that is not as it should be; it has something to say about one of its pods at least.
template <class Bind>
std::vector<std::string> wrong(const std::vector<Case<Bind>>& cases, const char* what, const World& world) {
  std::map<std::string, bool> speaks;
  for (const Case<Bind>& one : cases) {
    const ClusterCache& cache = one.is_plugin ? world.today : world.classic;
    speaks[std::string(what) + ' ' + std::string(one.rule)] |=
        says(one, Question(one.rule, world.sample, cache, one.kind));
  }
  std::vector<std::string> lines;
  for (const auto& [rule, says] : speaks) {
    if (!says && !is_silent(rule))
      lines.push_back(
          "tests/bench/questions.cc: the " + rule +
          " has nothing to say about the pods that it is asked about: write {\"" +
          rule.substr(rule.find(' ') + 1) +
          "\", {Asked::…}} in kinds_by_rule, or change the pod in Question. If nothing is asked of it, "
          "the rule has a row in kSilent of all_questions.cc");
    if (says && is_silent(rule))
      lines.push_back("tests/bench/all_questions.cc: kSilent has " + rule + ", which has something to say");
  }
  return lines;
}

}  // namespace
}  // namespace winnow::bench

int main() {
  using namespace winnow::bench;
  const World world;
  std::vector<std::string> lines = wrong(predicate_cases(), "filter", world);
  std::ranges::move(wrong(priority_cases(), "score", world), std::back_inserter(lines));
  for (const std::string& line : lines) std::puts(line.c_str());
  return lines.empty() ? 0 : 1;
}
