// Which of kube-scheduler's checks nobody makes, where it leaves them to Winnow.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"

namespace winnow::test {
namespace {

using Names = std::vector<std::string>;

LoadedRules load(const std::string& text, const std::string& gates = "") {
  return load_rules("rules", text, parse_gates(gates).value()).value();
}

std::string policy(const Names& predicates) {
  std::string list;
  for (const std::string& name : predicates) list += (list.empty() ? "{name: " : ", {name: ") + name + "}";
  return "kind: Policy\napiVersion: v1\npriorities: []\npredicates: [" + list + "]\n";
}

std::string config(const std::string& profile) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [" +
         profile + "]\n";
}

/// `PLUGIN: WHAT` of each.
Names missing(const LoadedRules& loaded) {
  Names names;
  for (const MissingRule& one : missing_for_best(loaded))
    names.push_back(std::string(one.plugin) + ": " + std::string(one.what));
  return names;
}

bool lacks(const LoadedRules& loaded, std::string_view plugin) {
  return std::ranges::contains(missing_for_best(loaded), plugin, &MissingRule::plugin);
}

/// All that a Policy can name of what kube-scheduler-best.yaml leaves to Winnow.
const Names kAll = {"GeneralPredicates",      "NoDiskConflict",        "MaxCSIVolumeCountPred",
                    "NoVolumeZoneConflict",   "EvenPodsSpread",        "MatchInterPodAffinity",
                    "PodToleratesNodeTaints", "CheckNodeUnschedulable"};

/// What no classic predicate knows.
const Names kNeverClassic = {
    "VolumeRestrictions: ReadWriteOncePod claims",
    "NodeVolumeLimits: volumes of in-tree kinds that a CSI driver attaches, and nodes without a volume's CSI "
    "driver",
    "PodTopologySpread: minDomains, matchLabelKeys, nodeAffinityPolicy and nodeTaintsPolicy of hard "
    "topologySpreadConstraints",
    "InterPodAffinity: namespaceSelector of required pod affinity and anti-affinity",
    "NodeDeclaredFeatures: features that nodes declare"};

Names without(Names names, const std::string& name) {
  std::erase(names, name);
  return names;
}

TEST_SUITE("missing rules") {
  TEST_CASE("the default plugins miss nothing, with arguments and weights of any kind") {
    CHECK(missing(load(config(""))) == Names());
    CHECK(missing(load(config("{schedulerName: a, plugins: {score: {disabled: [{name: '*'}]}}}"))) ==
          Names());
  }

  TEST_CASE("classic rules at their fullest lack what they do not know") {
    CHECK(missing(load(policy(kAll))) == kNeverClassic);
  }

  TEST_CASE("the default provider") {
    Names expected = kNeverClassic;
    expected[2] = "PodTopologySpread: hard topologySpreadConstraints";
    CHECK(missing(classic_rules({})) == expected);
    CHECK(missing(classic_rules(parse_gates("EvenPodsSpread=true").value())) == kNeverClassic);
  }

  TEST_CASE("each predicate that is not named is missed") {
    struct Row {
      const char* predicate;
      const char* misses;
    };
    const Row rows[] = {
        {"GeneralPredicates", "NodeName: a pod's spec.nodeName"},
        {"GeneralPredicates", "NodeAffinity: nodeSelector and required node affinity"},
        {"NoDiskConflict", "VolumeRestrictions: inline disks in use and ReadWriteOncePod claims"},
        {"MaxCSIVolumeCountPred", "NodeVolumeLimits: volume limits of CSI drivers"},
        {"NoVolumeZoneConflict", "VolumeZone: zones of volumes"},
        {"EvenPodsSpread", "PodTopologySpread: hard topologySpreadConstraints"},
        {"MatchInterPodAffinity", "InterPodAffinity: required pod affinity and anti-affinity"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.predicate);
      CHECK_FALSE(std::ranges::contains(missing(load(policy(kAll))), std::string(row.misses)));
      CHECK(std::ranges::contains(missing(load(policy(without(kAll, row.predicate)))),
                                  std::string(row.misses)));
    }
  }

  TEST_CASE("a rule under another name, or one that refuses more, covers as well") {
    Names parts = without(kAll, "GeneralPredicates");
    for (const char* part : {"PodFitsResources", "PodFitsHost", "PodFitsPorts", "PodSelectorMatches"})
      parts.emplace_back(part);
    CHECK(missing(load(policy(parts))) == kNeverClassic);
    const LoadedRules by_condition =
        load(policy({"CheckNodeCondition", "GeneralPredicates"}), "TaintNodesByCondition=false");
    CHECK_FALSE(lacks(by_condition, "NodeUnschedulable"));
    CHECK(lacks(by_condition, "TaintToleration"));
  }

  TEST_CASE("a gate that takes a rule's effect away leaves it missing") {
    CHECK(std::ranges::contains(missing(load(policy(kAll), "AttachVolumeLimit=false")),
                                "NodeVolumeLimits: volume limits of CSI drivers"));
    CHECK(lacks(load(policy(kAll), "ExactV116=true"), "VolumeZone"));
    constexpr std::string_view kFit[] = {"NodeResourcesFit"};
    CHECK(missing_rules(load(policy(kAll)).sets.front(), kFit).empty());
    CHECK(missing_rules(load(policy(kAll), "ExactV116=true").sets.front(), kFit).size() == 1);
  }

  TEST_CASE("a plugin that a profile of the rules has switched off is missed, and no other") {
    for (const std::string_view plugin : left_to_winnow_by_best()) {
      CAPTURE(plugin);
      const std::string off = "{disabled: [{name: " + std::string(plugin) + "}]}";
      const auto found = missing_for_best(
          load(config("{schedulerName: a}, {schedulerName: b, plugins: {filter: " + off + "}}")));
      REQUIRE(found.size() == 1);
      CHECK(found[0].plugin == plugin);
      CHECK(found[0].text().ends_with(": the plugin is disabled in the rules' profile b"));
      // Filter alone checks, or fails for every pod.
      CHECK(missing(load(config("{schedulerName: a, plugins: {preFilter: " + off + "}}"))) == Names());
    }
  }

  TEST_CASE("a missing rule is named in one line") {
    const auto found = missing_for_best(load(policy({})));
    REQUIRE_FALSE(found.empty());
    CHECK(found.front().text() ==
          "no rule for a pod's spec.nodeName (kube-scheduler's NodeName): the predicate GeneralPredicates is "
          "not "
          "among the rules");
    for (const MissingRule& one : found) CHECK_FALSE(one.text().contains('\n'));
  }
}

}  // namespace
}  // namespace winnow::test
