// What `winnow configure` makes: of a file without settings what is shipped, and of every file that
// kube-scheduler takes one that `winnow check` has nothing against, with all that the operator has set.
#include "extender/operate/configure.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <format>
#include <string>
#include <vector>

#include "cluster/text/json_document.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"
#include "extender/config/scheduler_setup.h"
#include "extender/operate/setup_check.h"
#include "tests/extender/service/running_server.h"

namespace winnow::test::configure_test {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kHead =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
constexpr std::string_view kPlain =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
    "profiles: [{schedulerName: default-scheduler}]\n";
constexpr DeploymentMode kWays[] = {DeploymentMode::kNominate, DeploymentMode::kScores,
                                    DeploymentMode::kEverything, DeploymentMode::kBest};

StartFlags start_flags(DeploymentMode way) {
  if (way == DeploymentMode::kBest) return {.answer = AnswerMode::kBest, .allow_missing_rules = true};
  return {.answer = AnswerMode::kOne, .allow_missing_rules = true};
}

Configured made(std::string_view text, const ConfigureWish& wish) {
  auto result = configure(text, wish);
  REQUIRE_MESSAGE(result, result.error().front());
  return std::move(*result);
}

std::string refused(std::string_view text, const ConfigureWish& wish) {
  const auto result = configure(text, wish);
  REQUIRE_FALSE(result);
  return result.error().front();
}

bool same(const std::string& one, const std::string& other) {
  const auto first = load_document(one);
  const auto second = load_document(other);
  REQUIRE_MESSAGE(first, first.error().text(), one);
  REQUIRE_MESSAGE(second, second.error().text(), other);
  return first->root() == second->root();
}

/// The old file's lines, or the new one's.
std::string side(const Configured& made, LineIn which) {
  std::string text;
  for (const DiffLine& line : made.diff)
    if (line.in == LineIn::kBoth || line.in == which) text += line.text + "\n";
  return text;
}

bool says(const Lines& lines, std::string_view what) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.contains(what); });
}

std::string manifest(const std::string& name) {
  return read_file(std::string(WINNOW_ROOT) + "/manifests/kube-scheduler-" + name + ".yaml");
}

std::vector<std::filesystem::path> accepted_files() {
  std::vector<std::filesystem::path> files;
  const std::string folder = std::string(WINNOW_ROOT) + "/tests/extender/config/scheduler_configs/accepted";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

TEST_SUITE("configure") {
  TEST_CASE("of a file that sets nothing, each way makes what is shipped") {
    CHECK(same(made(kPlain, {.way = DeploymentMode::kScores}).scheduler, manifest("scores")));
    CHECK(same(made(kPlain, {.way = DeploymentMode::kEverything}).scheduler, manifest("everything")));
    CHECK(same(made(kPlain, {.way = DeploymentMode::kBest, .release = 37}).scheduler, manifest("best")));
    CHECK(same(made(kPlain, {.way = DeploymentMode::kBest, .release = 38}).scheduler, manifest("best-1.38")));
    for (const DeploymentMode way : kWays) CHECK(same(made(kPlain, {.way = way}).rules, std::string(kPlain)));
  }

  TEST_CASE("nominate leaves kube-scheduler's file as it is") {
    const std::string text =
        std::string(kPlain) + "extenders: [{urlPrefix: http://x.example, filterVerb: f}]\n";
    const Configured result = made(text, {.way = DeploymentMode::kNominate});
    CHECK_FALSE(result.changes_scheduler());
    CHECK(same(result.scheduler, text));
    CHECK(same(result.rules, std::string(kPlain)));
    CHECK(says(result.remarks, "extenders[0].filterVerb: Winnow does not ask this extender"));
  }

  TEST_CASE("a file without profiles gets the one that kube-scheduler has by default") {
    const Configured result = made(kHead, {.way = DeploymentMode::kEverything});
    CHECK(same(result.scheduler, manifest("everything")));
    CHECK(same(result.rules, std::string(kHead)));
  }

  TEST_CASE("best has kube-scheduler bind: a bindVerb goes, and the line says why") {
    const Configured result =
        made(std::string(kPlain) + "extenders: [{urlPrefix: 'http://127.0.0.1:10290', bindVerb: bind}]\n",
             {.way = DeploymentMode::kBest});
    CHECK(same(result.scheduler, manifest("best")));
    const auto gone = std::ranges::find_if(
        result.diff, [](const DiffLine& line) { return line.text.contains("bindVerb: bind"); });
    REQUIRE(gone != result.diff.end());
    CHECK(gone->in == LineIn::kOld);
    CHECK(gone->reason.starts_with("kube-scheduler binds"));
    CHECK_FALSE(std::ranges::contains(result.flags, "--enable-bind"));
  }

  TEST_CASE("every changed line has a reason, or an old one the line that replaces it; and no other line") {
    for (const auto& file : accepted_files())
      for (const DeploymentMode way : kWays)
        if (const auto result = configure(read_file(file.string()), {.way = way}))
          for (auto line = result->diff.begin(); line != result->diff.end(); ++line) {
            CAPTURE(file.filename().string());
            CAPTURE(line->text);
            if (line->in != LineIn::kOld) {
              CHECK(line->reason.empty() == (line->in == LineIn::kBoth));
            } else if (line->reason.empty()) {
              const auto next = std::find_if(line, result->diff.end(),
                                             [](const DiffLine& other) { return other.in != LineIn::kOld; });
              REQUIRE(next != result->diff.end());
              CHECK(next->in == LineIn::kNew);
            }
          }
  }

  TEST_CASE("of every file that kube-scheduler takes: both sides read back, and check finds no error") {
    std::size_t count = 0;
    for (const auto& file : accepted_files())
      for (const DeploymentMode way : kWays) {
        CAPTURE(file.filename().string());
        CAPTURE(static_cast<int>(way));
        const std::string text = read_file(file.string());
        const auto before = read_scheduler_setup(text);
        const auto result = configure(text, {.way = way});
        if (!before || !result) continue;
        ++count;
        DocumentReader reader(text, Merges::kStrict);
        rapidjson::Document first;
        REQUIRE(reader.next(first));
        const auto old_side = load_document(side(*result, LineIn::kOld));
        REQUIRE(old_side);
        CHECK(old_side->root() == first);
        CHECK(same(side(*result, LineIn::kNew), result->scheduler));
        if (way == DeploymentMode::kNominate) continue;
        const auto after = read_scheduler_setup(result->scheduler);
        REQUIRE_MESSAGE(after, after.error());
        const auto rules = load_rules("rules.yaml", result->rules, {});
        REQUIRE_MESSAGE(rules, rules.error());
        for (const Finding& finding : check_setup(*after, rules->sets, start_flags(way)))
          CHECK_MESSAGE(!finding.is_error, finding.where, ": ", finding.what);
      }
    CHECK(count > 150);
  }

  TEST_CASE("what runs in kube-scheduler is what ran before, less what the shipped file has off") {
    const auto shipped = read_scheduler_setup(manifest("everything")).value().profiles[0];
    const auto plain = read_scheduler_setup(kPlain).value().profiles[0];
    std::size_t count = 0;
    for (const auto& file : accepted_files()) {
      CAPTURE(file.filename().string());
      const std::string text = read_file(file.string());
      const auto result = configure(text, {.way = DeploymentMode::kEverything});
      const auto before = read_scheduler_setup(text);
      if (!result || !before) continue;
      ++count;
      const auto after = read_scheduler_setup(result->scheduler).value();
      REQUIRE(after.profiles.size() == before->profiles.size());
      for (std::size_t i = 0; i < after.profiles.size(); ++i)
        for (std::size_t p = 0; p < kPoints; ++p) {
          Lines expected = before->profiles[i].plugins[p];
          const Point point = static_cast<Point>(p);
          const bool is_score = point == Point::kScore || point == Point::kPreScore;
          std::erase_if(expected, [&](const std::string& name) {
            return is_score || (plain.runs(name, point) && !shipped.runs(name, point));
          });
          CHECK(after.profiles[i].plugins[p] == expected);
        }
    }
    CHECK(count > 40);
  }

  TEST_CASE("the operator's settings stay") {
    const Configured result =
        made(std::string(kHead) +
                 "leaderElection: {leaderElect: true, resourceName: mine}\n"
                 "clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf, qps: 0.5}\n"
                 "podMaxBackoffSeconds: 20\n"
                 "extenders: [{urlPrefix: 'http://10.0.0.9:8080', prioritizeVerb: p, weight: 2, ignorable: "
                 "true}]\n"
                 "profiles:\n"
                 "- schedulerName: mine\n"
                 "  plugins: {multiPoint: {enabled: [{name: TaintToleration, weight: 7}]}}\n"
                 "  pluginConfig:\n"
                 "  - name: NodeResourcesFit\n"
                 "    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 3}]}}\n",
             {.way = DeploymentMode::kScores});
    for (const DiffLine& line : result.diff) CHECK(line.in != LineIn::kOld);
    CHECK(says({result.scheduler}, "podMaxBackoffSeconds: 20\n"));
    CHECK(says({result.scheduler}, "- urlPrefix: http://127.0.0.1:10290 "));
    CHECK(says({result.rules}, "multiPoint: {enabled: [{name: TaintToleration, weight: 7}]}"));
    CHECK_FALSE(says({result.rules}, "leaderElection"));
  }

  TEST_CASE("resources that another extender counts are ignored by Winnow's rules, too") {
    const std::string fields = "filterVerb: f, tlsConfig: {insecure: true}, managedResources: ";
    const std::string text = std::string(kHead) +
                             "extenders:\n"
                             "- {urlPrefix: 'http://gpu:1', " +
                             fields + "[{name: a.b/gpu, ignoredByScheduler: true}, {name: a.b/seen}]}\n" +
                             "- {urlPrefix: 'http://nic:1', " + fields +
                             "[{name: a.b/nic, ignoredByScheduler: false}]}\n" +
                             "- {urlPrefix: 'http://nobody:1', filterVerb: f}\n";
    for (const DeploymentMode way :
         {DeploymentMode::kNominate, DeploymentMode::kScores, DeploymentMode::kEverything}) {
      const Configured result = made(text, {.way = way});
      CHECK(same(result.rules, std::string(kHead) +
                                   "extenders: [{urlPrefix: 'http://gpu:1', managedResources: "
                                   "[{name: a.b/gpu, ignoredByScheduler: true}]}]\n"));
      CHECK(says({result.rules}, "\n# Of its extenders: the resources with ignoredByScheduler."));
      const LoadedRules rules = load_rules("rules.yaml", result.rules, {}).value();
      CHECK(says(rules.notes, "extenders: a.b/gpu is ignoredByScheduler, so NodeResourcesFit ignores it"));
    }
    const std::string winnows = std::string(kHead) +
                                "extenders: [{urlPrefix: 'http://127.0.0.1:10290', managedResources: " +
                                "[{name: a.b/gpu, ignoredByScheduler: true}]}]\n";
    CHECK(same(made(winnows, {.way = DeploymentMode::kNominate}).rules, std::string(kHead)));
    CHECK_FALSE(says({made(kPlain, {.way = DeploymentMode::kScores}).rules}, "extenders"));
  }

  TEST_CASE("scores: Winnow's weight is more than that of all scorers together") {
    const std::string plugins =
        "profiles: [{plugins: {multiPoint: {enabled: [{name: ImageLocality, weight: 40}]}}}]\n";
    CHECK(says({made(kPlain, {.way = DeploymentMode::kScores}).scheduler}, "weight: 16 "));
    CHECK(says({made(std::string(kHead) + plugins, {.way = DeploymentMode::kScores}).scheduler},
               "weight: 55 "));
  }

  TEST_CASE("what a profile enables at a point of its own is off there too") {
    const Configured result =
        made(std::string(kHead) +
                 "profiles:\n"
                 "- percentageOfNodesToScore: 20\n"
                 "  plugins:\n"
                 "    score: {enabled: [{name: ImageLocality, weight: 3}], disabled: null}\n"
                 "    filter: {enabled: [{name: NodeName}], disabled: [{name: NodeAffinity}]}\n"
                 "  pluginConfig:\n"
                 "  - {name: DefaultPreemption, args: {minCandidateNodesAbsolute: 7}}\n",
             {.way = DeploymentMode::kEverything});
    const SchedulerProfile profile = read_scheduler_setup(result.scheduler).value().profiles[0];
    CHECK(profile.percentage == 20);  // The user's own: a sample is enough.
    CHECK(profile.min_candidate_percentage == 100);
    CHECK(says({result.scheduler}, "minCandidateNodesAbsolute: 7"));
    CHECK_FALSE(profile.runs("ImageLocality", Point::kScore));
    CHECK_FALSE(profile.runs("NodeName", Point::kFilter));
    CHECK_FALSE(says({result.scheduler}, "enabled"));
    CHECK(says({result.rules}, "{name: ImageLocality, weight: 3}"));
  }

  TEST_CASE("filters that the operator has off are told of, and are not Winnow's to miss") {
    const std::string text =
        std::string(kHead) + "profiles: [{plugins: {filter: {disabled: [{name: NodePorts}]}}}]\n";
    const Configured best = made(text, {.way = DeploymentMode::kBest});
    CHECK(says(best.remarks, "NodePorts is disabled, and Winnow has no rule for host ports"));
    CHECK(std::ranges::contains(best.flags, "--scheduler-filters=NodeResourcesFit"));
    CHECK_FALSE(says(best.flags, "--allow-missing-rules"));
    CHECK(says(made(text, {.way = DeploymentMode::kScores}).remarks,
               "NodePorts is disabled, and without filterVerb"));
    const std::string name =
        std::string(kHead) + "profiles: [{plugins: {filter: {disabled: [{name: NodeName}]}}}]\n";
    CHECK(says(made(name, {.way = DeploymentMode::kBest}).flags, "--allow-missing-rules"));
  }

  TEST_CASE("kube-scheduler keeps what a Policy has no rule for") {
    const std::string text = read_file(std::string(WINNOW_ROOT) + "/manifests/policy.yaml");
    const LoadedRules policy = load_rules("policy.yaml", text, {}).value();
    const Configured result = made(kPlain, {.way = DeploymentMode::kEverything, .rules = &policy});
    CHECK(result.rules.empty());
    const SchedulerProfile profile = read_scheduler_setup(result.scheduler).value().profiles[0];
    CHECK(profile.runs("VolumeZone", Point::kFilter));
    CHECK(profile.runs("VolumeZone", Point::kPreFilter));
    CHECK(profile.runs("NodeDeclaredFeatures", Point::kFilter));
    CHECK_FALSE(profile.runs("NodeName", Point::kFilter));
    CHECK(says(result.remarks, "VolumeZone stays on, for Winnow has no rule for zones of volumes"));
    const Configured best = made(kPlain, {.way = DeploymentMode::kBest, .rules = &policy});
    CHECK(says(best.flags, "--allow-missing-rules"));
    for (const Finding& finding :
         check_setup(read_scheduler_setup(best.scheduler).value(), policy.sets,
                     {.answer = AnswerMode::kBest, .enable_bind = true, .bind_address = "127.0.0.1"}))
      CHECK_MESSAGE(!finding.is_error, finding.what);
  }

  TEST_CASE("Winnow's entry: replaced where it scores, refused where it filters") {
    const std::string scores = made(kPlain, {.way = DeploymentMode::kScores}).scheduler;
    CHECK_FALSE(made(scores, {.way = DeploymentMode::kScores}).changes_scheduler());
    CHECK(same(made(scores, {.way = DeploymentMode::kBest}).scheduler, manifest("best")));
    const std::string best = manifest("best");
    CHECK(refused(best, {.way = DeploymentMode::kScores})
              .starts_with("extenders[0].filterVerb: this kube-scheduler asks Winnow already"));
  }

  TEST_CASE("the address") {
    const Configured result =
        made(kPlain, {.way = DeploymentMode::kScores, .url_prefix = "http://10.96.0.7:8080"});
    CHECK(says({result.scheduler}, "- urlPrefix: http://10.96.0.7:8080 "));
    CHECK(refused(kPlain, {.way = DeploymentMode::kScores, .url_prefix = "10.96.0.7"})
              .starts_with("--url-prefix: "));
    CHECK(refused(kPlain, {.way = DeploymentMode::kBest, .url_prefix = "http://10.96.0.7:10290"})
              .contains("Winnow listens on loopback alone"));
    const Configured behind =
        made(kPlain, {.way = DeploymentMode::kScores, .url_prefix = "http://10.96.0.7:10290/winnow"});
    CHECK(says({behind.scheduler}, "- urlPrefix: http://10.96.0.7:10290/winnow "));
    CHECK(std::ranges::contains(behind.flags, "--path-prefix=/winnow"));
  }

  TEST_CASE("another extender at a port that everybody takes is not Winnow's") {
    const std::string text =
        std::string(kHead) +
        "extenders: [{urlPrefix: 'https://gpu.example', prioritizeVerb: prioritize, weight: 1}]\n";
    CHECK(refused(text, {.way = DeploymentMode::kScores, .url_prefix = "https://winnow.example"})
              .starts_with("extenders[0].urlPrefix: has Winnow's port, on another host"));
    CHECK(says({made(text, {.way = DeploymentMode::kScores}).scheduler}, "urlPrefix: https://gpu.example"));
    const std::string own =
        std::string(kHead) +
        "extenders: [{urlPrefix: 'https://winnow.example', prioritizeVerb: prioritize, weight: 1}]\n";
    const Configured same_one =
        made(own, {.way = DeploymentMode::kScores, .url_prefix = "https://winnow.example"});
    CHECK(read_scheduler_setup(same_one.scheduler).value().extenders.size() == 1);
  }

  TEST_CASE("of several documents the first one counts, and that is said") {
    const std::string text = std::string(kPlain) + "---\nleaderElection: {leaderElect: false}\n";
    CHECK(says(made(text, {.way = DeploymentMode::kScores}).remarks,
               "kube-scheduler.yaml: kube-scheduler reads its first document alone"));
    CHECK_FALSE(says(made(std::string(kPlain) + "---\n", {.way = DeploymentMode::kScores}).remarks,
                     "first document"));
    CHECK_FALSE(says(made(kPlain, {.way = DeploymentMode::kScores}).remarks, "first document"));
  }

  TEST_CASE("what stands in the way is said in the file's words") {
    const std::string other =
        std::string(kHead) + "extenders: [{urlPrefix: 'http://o:1', filterVerb: f, ignorable: true}]\n";
    CHECK(refused(other, {.way = DeploymentMode::kBest}).contains("this extender comes behind Winnow"));
    made(other, {.way = DeploymentMode::kEverything});
    CHECK(refused("kind: Pod\napiVersion: v1\n", {.way = DeploymentMode::kBest}).starts_with("apiVersion: "));
    CHECK(refused("profiles: [", {.way = DeploymentMode::kBest}).starts_with("line 1, column"));
    CHECK(refused("", {.way = DeploymentMode::kBest}) != "");
  }

  TEST_CASE("plugins that a kube-scheduler was built with stay, and are told of where they score") {
    const std::string text =
        std::string(kHead) + "profiles: [{plugins: {multiPoint: {enabled: [{name: Gang}]}}}]\n";
    const Configured result = made(text, {.way = DeploymentMode::kEverything});
    CHECK(says({result.scheduler}, "name: Gang"));
    CHECK(says(result.remarks, "profiles[0].plugins: if Gang scores, its scores count no more"));
    CHECK_FALSE(says(made(text, {.way = DeploymentMode::kScores}).remarks, "Gang"));
    const Configured named = made(text, {.way = DeploymentMode::kEverything, .file_name = "mine.yaml"});
    CHECK_FALSE(says(named.remarks, "kube-scheduler.yaml"));
    CHECK(says(named.remarks, "mine.yaml: profiles[0].plugins: if Gang scores"));
  }
}

}  // namespace
}  // namespace winnow::test::configure_test
