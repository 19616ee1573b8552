// Records of decisions, for tests of what is made of them.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "extender/engine/ruleset.h"
#include "extender/explain/decision_log.h"

namespace winnow::test {

/// 2026-11-25T12:04:31Z.
inline const DecisionRecord::Time kNoon{std::chrono::seconds(1'795'608'271)};

inline std::shared_ptr<const RuleNames> two_rules() {
  return std::make_shared<const RuleNames>(
      RuleNames{{"NodeResourcesFit", "TaintToleration"}, {"NodeAffinity", "ImageLocality"}});
}

/// A filter call of which nothing is known but the pod: "uid-NAME" in "default".
inline DecisionRecord decided(const std::string& name, DecisionVerb verb = DecisionVerb::kFilter) {
  DecisionRecord record;
  record.pod = "default/" + name;
  record.uid = "uid-" + name;
  record.verb = verb;
  record.time = kNoon;
  record.nodes = 5;
  record.rules = two_rules();
  return record;
}

/// It fits two nodes, of which node-7 is the better one by NodeAffinity.
inline DecisionRecord chosen(const std::string& name, DecisionVerb verb = DecisionVerb::kFilter) {
  DecisionRecord record = decided(name, verb);
  record.fits = record.scored = 2;
  record.given = true;
  record.best = {{"node-7", 722, {700, 22}}, {"node-1", 672, {650, 22}}};
  return record;
}

inline KeptDecision kept(DecisionRecord record) {
  return {std::make_shared<const DecisionRecord>(std::move(record)), nullptr};
}
/// Known a tenth of a second later.
inline KeptDecision ended(DecisionRecord record, DecisionResult result, std::string node = "",
                          std::string said = "") {
  KeptDecision decision = kept(std::move(record));
  decision.ending = std::make_shared<const DecisionEnding>(DecisionEnding{
      result, decision.record->time + std::chrono::milliseconds(100), std::move(node), std::move(said)});
  return decision;
}

/// All that are kept, the newest first.
inline std::vector<KeptDecision> all_of(DecisionLog& log, std::string_view pod = "") {
  std::vector<KeptDecision> all;
  log.visit(pod, [&](const KeptDecision& decision) { return all.push_back(decision), true; });
  return all;
}

/// "NAME VERB RESULT" for each, the newest first.
inline std::vector<std::string> words_of(DecisionLog& log, std::string_view pod = "") {
  std::vector<std::string> words;
  for (const KeptDecision& decision : all_of(log, pod))
    words.push_back(decision.record->pod.substr(decision.record->pod.find('/') + 1) + ' ' +
                    std::string(to_string(decision.record->verb)) + ' ' +
                    std::string(to_string(decision.result())));
  return words;
}

}  // namespace winnow::test
