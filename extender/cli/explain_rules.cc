#include "extender/cli/explain_rules.h"

#include <algorithm>
#include <format>

#include "cluster/text/characters.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/cli/winnow_server.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"
#include "extender/config/rules_summary.h"

namespace winnow {
namespace {

/// A list of differences as one text.
class Differences {
 public:
  void add(const std::string& difference) { text_ += (text_.empty() ? "" : "; ") + difference; }
  void add_names(std::string_view where, const std::vector<std::string>& names) {
    if (names.empty()) return;
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    add(std::format("only {}: {}", where, list));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::vector<std::string> names_of(const RulesProfile& profile) {
  std::vector<std::string> names = profile.predicates;
  for (const auto& [name, weight] : profile.priorities)
    if (!std::ranges::contains(names, name)) names.push_back(name);
  return names;
}

std::vector<std::string> names_of(const std::vector<RulesProfile>& profiles) {
  std::vector<std::string> names;
  for (const RulesProfile& profile : profiles) names.push_back("profile " + profile.scheduler_name);
  return names;
}

/// The names that `others` does not have.
std::vector<std::string> missing(std::vector<std::string> names, const std::vector<std::string>& others) {
  std::erase_if(names, [&](const std::string& name) { return std::ranges::contains(others, name); });
  return names;
}

void compare_names(const std::vector<std::string>& ours, const std::vector<std::string>& theirs,
                   Differences& differences) {
  differences.add_names("there", missing(theirs, ours));
  differences.add_names("here", missing(ours, theirs));
}

/// Compares plugins of 1.37, which may filter in one configuration, and filter and score in the other.
void compare_roles(const RulesProfile& ours, const RulesProfile& theirs, Differences& differences) {
  const auto roles = [](const RulesProfile& profile, const std::string& name) {
    const bool scores =
        std::ranges::contains(profile.priorities, name, &std::pair<std::string, std::int64_t>::first);
    const bool filters = std::ranges::contains(profile.predicates, name);
    return filters && scores ? "filters and scores" : filters ? "filters" : scores ? "scores" : "";
  };
  for (const std::string& name : names_of(ours)) {
    const std::string_view here = roles(ours, name), there = roles(theirs, name);
    if (here != there && !there.empty())
      differences.add(std::format("{} {} there, and {} here", name, there, here));
  }
}

void compare_weights(const RulesProfile& ours, const RulesProfile& theirs, Differences& differences) {
  for (const auto& [name, weight] : ours.priorities) {
    const auto other =
        std::ranges::find(theirs.priorities, name, &std::pair<std::string, std::int64_t>::first);
    if (other != theirs.priorities.end() && other->second != weight)
      differences.add(std::format("{} weighs {} there, and {} here", name, other->second, weight));
  }
}

}  // namespace

std::string describe_rules(const std::string& config, const LoadedRules& rules) {
  if (names_rules(config)) return rules.sets.front().source;
  std::string text = config + " (" + summarize(rules).kind;
  if (rules.sets.front().generation == Generation::kToday) {
    std::string names;
    for (const RuleSet& set : rules.sets) names += (names.empty() ? "" : ", ") + set.scheduler_name;
    text += (rules.sets.size() == 1 ? ", profile " : ", profiles ") + names;
  }
  return text + ")";
}

RulesSummary summarize(const LoadedRules& rules) {
  std::vector<const RuleSet*> sets;
  for (const RuleSet& set : rules.sets) sets.push_back(&set);
  return summarize(sets);
}

std::expected<RulesSummary, std::string> rules_of_server(const ServerFlags& flags) {
  auto server = WinnowServer::make(flags);
  if (!server) return std::unexpected(std::move(server).error());
  const auto body = server->get_good("/rules");
  if (!body) return std::unexpected(body.error());
  auto rules = read_rules_summary(*body);
  if (!rules) return std::unexpected(flags.url + ": GET /rules is not answered as Winnow does");
  return *std::move(rules);
}

std::string difference(const RulesSummary& ours, const RulesSummary& theirs) {
  if (ours == theirs) return "";
  if (ours.kind != theirs.kind)
    return printable(std::format("a {} there, a {} here", theirs.kind, ours.kind));
  Differences all;
  compare_names(names_of(ours.profiles), names_of(theirs.profiles), all);
  for (const RulesProfile& profile : ours.profiles) {
    const auto other =
        std::ranges::find(theirs.profiles, profile.scheduler_name, &RulesProfile::scheduler_name);
    if (other == theirs.profiles.end()) continue;
    Differences differences;
    compare_names(names_of(profile), names_of(*other), differences);
    compare_roles(profile, *other, differences);
    compare_weights(profile, *other, differences);
    if (differences.text().empty()) continue;
    all.add(ours.profiles.size() == 1 ? differences.text()
                                      : "profile " + profile.scheduler_name + ": " + differences.text());
  }
  if (all.text().empty()) return "the names and weights are the same, the arguments or the order are not";
  return printable(all.text());
}

}  // namespace winnow
