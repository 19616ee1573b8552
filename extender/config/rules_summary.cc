#include "extender/config/rules_summary.h"

#include "cluster/text/json.h"
#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/engine/ruleset.h"

namespace winnow {
namespace {

RulesProfile profile_of(const RuleSet& rules) {
  RulesProfile profile{.scheduler_name = rules.scheduler_name, .predicates = {}, .priorities = {}};
  for (const ConfiguredPredicate& rule : rules.predicates) profile.predicates.push_back(rule.name);
  for (const ConfiguredPriority& rule : rules.priorities)
    profile.priorities.emplace_back(rule.name, rule.weight);
  return profile;
}

void append_json(std::string& out, const RulesProfile& profile) {
  out += '{';
  if (!profile.scheduler_name.empty()) {
    out += R"("schedulerName":)";
    append_quoted(out, profile.scheduler_name);
    out += ',';
  }
  out += R"("predicates":[)";
  for (std::size_t i = 0; i < profile.predicates.size(); ++i) {
    if (i > 0) out += ',';
    append_quoted(out, profile.predicates[i]);
  }
  out += R"(],"priorities":[)";
  for (std::size_t i = 0; i < profile.priorities.size(); ++i) {
    out += i > 0 ? R"(,{"name":)" : R"({"name":)";
    append_quoted(out, profile.priorities[i].first);
    out += R"(,"weight":)" + std::to_string(profile.priorities[i].second) + '}';
  }
  out += "]}";
}

using Json = rapidjson::Value;

/// The elements of an array member; none if there is no such member.
std::vector<const Json*> items_at(const Json& object, const char* key) {
  std::vector<const Json*> items;
  const auto member = object.FindMember(key);
  if (member != object.MemberEnd() && member->value.IsArray())
    for (const Json& item : member->value.GetArray()) items.push_back(&item);
  return items;
}

RulesProfile read_profile(const Json& json) {
  RulesProfile profile{
      .scheduler_name = std::string(string_at(json, "schedulerName")), .predicates = {}, .priorities = {}};
  for (const Json* item : items_at(json, "predicates"))
    if (item->IsString()) profile.predicates.emplace_back(string_of(*item));
  for (const Json* item : items_at(json, "priorities")) {
    if (!item->IsObject()) continue;
    const auto weight = item->FindMember("weight");
    const bool has_weight = weight != item->MemberEnd() && weight->value.IsInt64();
    profile.priorities.emplace_back(string_at(*item, "name"), has_weight ? weight->value.GetInt64() : 0);
  }
  return profile;
}

}  // namespace

RulesSummary summarize(const std::vector<const RuleSet*>& sets) {
  RulesSummary summary;
  summary.kind = sets.front()->generation == Generation::kClassic ? "Policy" : "KubeSchedulerConfiguration";
  summary.fingerprint = fingerprint_of(sets);
  for (const RuleSet* rules : sets) summary.profiles.push_back(profile_of(*rules));
  return summary;
}

void append_json(std::string& out, const RulesSummary& summary) {
  out += R"({"kind":)";
  append_quoted(out, summary.kind);
  out += R"(,"fingerprint":)";
  append_quoted(out, summary.fingerprint);
  out += R"(,"profiles":[)";
  for (std::size_t i = 0; i < summary.profiles.size(); ++i) {
    if (i > 0) out += ',';
    append_json(out, summary.profiles[i]);
  }
  out += "]}";
}

std::optional<RulesSummary> read_rules_summary(const std::string& json) {
  const auto document = load_document(json);
  if (!document || !document->root().IsObject()) return std::nullopt;
  const Json& root = document->root();
  RulesSummary summary{.kind = std::string(string_at(root, "kind")),
                       .fingerprint = std::string(string_at(root, "fingerprint")),
                       .profiles = {}};
  if (summary.kind.empty() || summary.fingerprint.empty()) return std::nullopt;
  for (const Json* item : items_at(root, "profiles"))
    if (item->IsObject()) summary.profiles.push_back(read_profile(*item));
  return summary;
}

}  // namespace winnow
