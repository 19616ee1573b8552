#include "extender/engine/preemption/taking_back.h"

#include <algorithm>

#include "extender/engine/plugin_checks.h"

namespace winnow {
namespace {

using predicates::today::ClassicCheck;
using Plugin = predicates::today::Row;

/// Of a victim of a candidate; null where nobody knows more of it than its UID.
const PodSpec* spec_of(const State& state, const Victim& victim) {
  if (victim.pod != kNone) return &state.spec(state.pod(victim.pod));
  return victim.given ? &victim.given->spec : nullptr;
}

/// The pod and the victims of one candidate, against the rules.
class Coverage {
 public:
  Coverage(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate)
      : rules_(rules), pod_(pod.spec) {
    for (const Victim& victim : candidate.victims)
      if (const PodSpec* spec = spec_of(state, victim)) victims_.push_back(spec);
  }

  bool is_full() const {
    return std::ranges::all_of(predicates::today::plugins(), [this](const Plugin& plugin) {
      return plugin.turned_by_eviction == nullptr || !plugin.turned_by_eviction(pod_, victims_) ||
             is_decided(plugin) || is_nobodys(plugin);
    });
  }

 private:
  bool is_decided(const Plugin& plugin) const {
    const ConfiguredPredicate* const rule = find_check(rules_, plugin);
    if (rule == nullptr || !rule->filters || !rule->pre_filters) return false;
    return rules_.generation == Generation::kToday ||
           (weakness(rules_, *rule, plugin).empty() && reads_alike(plugin.classic));
  }

  /// Winnow's own plugins are checked by nobody where the rules do not have them.
  bool is_nobodys(const Plugin& plugin) const {
    return plugin.best == predicates::today::Best::kOwn && find_check(rules_, plugin) == nullptr;
  }

  bool reads_alike(const ClassicCheck& classic) const {
    return classic.lacking.empty() && !(classic.skips_init_containers && has_init_containers());
  }

  bool has_init_containers() const {
    return !pod_.init_containers.empty() || std::ranges::any_of(victims_, [](const PodSpec* victim) {
      return !victim->init_containers.empty();
    });
  }

  const RuleSet& rules_;
  const PodSpec& pod_;
  std::vector<const PodSpec*> victims_;
};

}  // namespace

bool may_take_back(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate) {
  return Coverage(rules, state, pod, candidate).is_full();
}

}  // namespace winnow
