#include "extender/engine/victims.h"

#include <algorithm>
#include <numeric>

#include "cluster/rule/budget.h"
#include "cluster/rule/reasons.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/disruption_budgets.h"
#include "extender/engine/engine.h"
#include "extender/engine/preemption_candidates.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"
#include "predicates/records.h"

namespace winnow {
namespace {

/// How many candidates one copy of the view's overlay serves.
constexpr std::size_t kCandidatesPerCopy = 8;

/// A candidate's node, as victims leave it and come back.
class TriedNode {
 public:
  virtual ~TriedNode() = default;
  /// A victim that nobody knows more of, or that only the request has, is not there.
  virtual void leave(const Victim& victim) = 0;
  virtual void come(const Victim& victim) = 0;
  /// Undoes the last come().
  virtual void leave_again(const Victim& victim) = 0;
  virtual bool fits() const = 0;
};

/// By the trials of the rules. All victims are pods of the state.
class NodeOfTrials final : public TriedNode {
 public:
  NodeOfTrials(NodeTrials& trials, NodeId node) : trials_(trials) { trials_.begin(node); }

  void leave(const Victim& victim) override {
    if (victim.pod != kNone) trials_.change(victim.pod, -1);
  }
  void come(const Victim& victim) override { trials_.change(victim.pod, +1); }
  void leave_again(const Victim& victim) override { leave(victim); }
  bool fits() const override { return trials_.fits(); }

 private:
  NodeTrials& trials_;
};

/// On an overlay, which is left as it was. The rules are bound anew each time.
class NodeOfOverlay final : public TriedNode {
 public:
  /// @param before  the cluster that `begun` was asked about.
  NodeOfOverlay(const Engine& engine, const Filtered& begun, const Pod& pod, const View& before,
                Overlay& overlay, const std::string& node_name)
      : engine_(engine),
        begun_(begun),
        pod_(pod),
        before_changes_(before),
        overlay_(overlay),
        node_name_(node_name),
        unchanged_(overlay.mark()) {}
  NodeOfOverlay(const NodeOfOverlay&) = delete;
  NodeOfOverlay& operator=(const NodeOfOverlay&) = delete;
  ~NodeOfOverlay() override { overlay_.return_to(unchanged_); }

  void leave(const Victim& victim) override {
    if (victim.pod == kNone) return;
    const PodRecord& record = overlay_.state().pod(victim.pod);
    overlay_.remove_pod(overlay_.state().pod_namespace(record), record.name);
  }
  void come(const Victim& victim) override {
    before_ = overlay_.mark();
    if (victim.pod == kNone) return overlay_.add_pod(*victim.given);
    const PodRecord& record = overlay_.state().pod(victim.pod);
    overlay_.restore_pod(overlay_.state().pod_namespace(record), record.name);
  }
  void leave_again(const Victim&) override { overlay_.return_to(before_); }
  bool fits() const override {
    return engine_.fits_after(begun_, pod_, before_changes_, overlay_, node_name_);
  }
  /// The reasons of a node that refuses the pod.
  void tell_why(std::vector<std::string>& why) const {
    engine_.fits_after(begun_, pod_, before_changes_, overlay_, node_name_, &why);
  }

 private:
  const Engine& engine_;
  const Filtered& begun_;
  const Pod& pod_;
  const View& before_changes_;
  Overlay& overlay_;
  const std::string& node_name_;
  const std::size_t unchanged_;
  std::size_t before_ = 0;
};

/// One candidate's dry run.
class DryRun {
 public:
  DryRun(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate)
      : rules_(rules), state_(state), pod_(pod), candidate_(candidate) {}

  /// @return nothing if the pod does not fit without the victims; no victims if it fits beside them all.
  std::optional<Eviction> run(TriedNode& node) const {
    for (const Victim& victim : candidate_.victims) node.leave(victim);
    if (!node.fits()) return std::nullopt;
    return put_back(node);
  }

 private:
  std::optional<Eviction> put_back(TriedNode& node) const {
    const std::vector<std::size_t> order = by_priority();
    std::vector<ObjectMeta> pods;
    for (const std::size_t i : order) pods.push_back(metadata(candidate_.victims[i]));
    const std::vector<bool> breaks =
        break_budgets(state_.objects.of<PodDisruptionBudget>(), pods, rules_.generation);
    const bool may_stay = !candidate_.named || may_reprieve(rules_, state_, pod_, candidate_);
    Eviction eviction;
    for (const bool breaking : {true, false})
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (breaks[i] != breaking || (may_stay && stays(node, candidate_.victims[order[i]]))) continue;
        eviction.victims.push_back(order[i]);
        eviction.violations += breaking;
      }
    std::ranges::sort(eviction.victims);
    return eviction;
  }

  static bool stays(TriedNode& node, const Victim& victim) {
    if (victim.pod == kNone && !victim.given) return false;
    node.come(victim);
    if (node.fits()) return true;
    node.leave_again(victim);
    return false;
  }

  std::vector<std::size_t> by_priority() const {
    std::vector<std::size_t> order(candidate_.victims.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) {
      const Victim& victim = candidate_.victims[i];
      if (victim.pod != kNone) return state_.spec(state_.pod(victim.pod)).priority.value_or(0);
      return victim.given ? victim.given->spec.priority.value_or(0) : 0;
    });
    return order;
  }

  ObjectMeta metadata(const Victim& victim) const {
    if (victim.pod != kNone) return state_.metadata_of(victim.pod);
    return victim.given ? victim.given->metadata : ObjectMeta();
  }

  const RuleSet& rules_;
  const State& state_;
  const Pod& pod_;
  const Candidate& candidate_;
};

/// The candidates whose nodes the view knows, judged in chunks.
class Selection {
 public:
  Selection(const Engine& engine, const View& view, const Pod& pod, std::span<const Candidate> candidates,
            const Budget* budget, bool reasons, Evictions& evictions)
      : engine_(engine),
        view_(view),
        pod_(pod),
        candidates_(candidates),
        budget_(budget),
        reasons_(reasons),
        evictions_(evictions) {
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (const NodeId node = view.find_node(candidates[i].node_name); node != kNone) {
        nodes_.push_back(node);
        places_.push_back(i);
      }
  }

  void run() {
    if (nodes_.empty()) return;
    Request request{.pod = pod_,
                    .view = view_,
                    .nodes = nodes_,
                    .accounting = view_.state().options().accounting,
                    .budget = budget_};
    begun_ = engine_.begin(request);
    request.reason_lists = begun_.reason_lists.get();
    passing_ = passing_others(engine_, begun_, nodes_);
    std::ranges::sort(passing_);
    const NodeTrials trials(engine_, begun_, request);
    engine_.workers().for_each_chunk(
        nodes_.size(), kCandidatesPerCopy,
        [&](std::size_t begin, std::size_t end) { judge(begin, end, NodeTrials(trials)); });
  }

 private:
  void judge(std::size_t begin, std::size_t end, NodeTrials trials) {
    std::optional<Overlay> overlay;
    for (std::size_t i = begin; i < end; ++i) {
      if (budget_) budget_->check();
      const std::size_t place = places_[i];
      if (begun_.fits(i)) try_node(i, trials, overlay);
      evictions_.judged[place] = 1;
    }
  }

  void note(std::size_t place, std::optional<Eviction> found) {
    if (found && found->victims.empty()) {
      evictions_.needless[place] = candidates_[place].victims.empty() ? 0 : 1;
      found.reset();
    }
    evictions_.by_candidate[place] = std::move(found);
  }

  /// @param overlay  made at its first use.
  void try_node(std::size_t i, NodeTrials& trials, std::optional<Overlay>& overlay) {
    const Candidate& candidate = candidates_[places_[i]];
    const DryRun dry_run(engine_.rules(), view_.state(), pod_, candidate);
    const std::optional<Eviction>& eviction = evictions_.by_candidate[places_[i]];
    const bool are_known = std::ranges::none_of(
        candidate.victims, [](const Victim& victim) { return victim.given.has_value(); });
    const bool passes = std::ranges::binary_search(passing_, nodes_[i]);
    if (are_known && passes) {
      NodeOfTrials node(trials, nodes_[i]);
      note(places_[i], dry_run.run(node));
    }
    if (eviction || (are_known && !reasons_)) return;
    if (!overlay) overlay.emplace(view_.overlay());
    NodeOfOverlay node(engine_, begun_, pod_, view_, *overlay, candidate.node_name);
    if (!are_known) note(places_[i], dry_run.run(node));
    if (eviction || !reasons_) return;
    for (const Victim& victim : candidate.victims) node.leave(victim);
    node.tell_why(evictions_.why[places_[i]]);
  }

  const Engine& engine_;
  const View& view_;
  const Pod& pod_;
  std::span<const Candidate> candidates_;
  const Budget* const budget_;
  const bool reasons_;
  Evictions& evictions_;
  std::vector<NodeId> nodes_;
  std::vector<std::size_t> places_;
  std::vector<NodeId> passing_;  ///< Those of nodes_ that pass the rules which look at no pods; sorted.
  Filtered begun_;
};

}  // namespace

Evictions select_victims(const Engine& engine, const View& view, const Pod& pod,
                         std::span<const Candidate> candidates, const Budget* budget, bool reasons) {
  Evictions evictions;
  evictions.by_candidate.resize(candidates.size());
  evictions.why.resize(candidates.size());
  evictions.needless.resize(candidates.size());
  evictions.judged.resize(candidates.size());
  try {
    Selection(engine, view, pod, candidates, budget, reasons, evictions).run();
  } catch (const OutOfTime&) {
    evictions.cut_short = true;  // What has been judged stands.
  }
  return evictions;
}

namespace {

using predicates::ClassicCheck;
using Plugin = predicates::Record;

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
    return std::ranges::all_of(predicates::plugins(), [this](const Plugin& plugin) {
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
    return plugin.is_own() && find_check(rules_, plugin) == nullptr;
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

bool may_reprieve(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate) {
  return Coverage(rules, state, pod, candidate).is_full();
}

}  // namespace winnow
