#include "tests/extender/reuse/reuse_trial.h"

#include <algorithm>
#include <format>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/api/node_metrics.h"
#include "cluster/state/overlay.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engines.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"
#include "tests/ask.h"
#include "tests/cluster/state/random_cluster.h"
#include "tests/extender/reuse/random_rules.h"

namespace winnow::test {
namespace {

/// An object's labels as what expressions read of it.
std::string fields_of(const StringMap& labels) {
  std::string fields;
  for (const auto& [key, value] : labels)
    fields += std::format(R"({}"{}":"{}")", fields.empty() ? "" : ",", key, value);
  return R"({"metadata":{"labels":{)" + fields + "}}}";
}

StateOptions with_expressions(StateOptions options) {
  options.pod_fields = options.node_fields = {"/metadata/labels"};
  options.node_load = true;
  return options;
}

/// One rule set, with and without what is kept.
struct Sides {
  Sides(RuleSet set, RuleReads reads, Workers& workers, const ReuseOptions& options)
      : rules(std::move(set)),
        kept(std::move(reads), options),
        reusing(rules, workers, &kept),
        plain(rules, workers) {}

  RuleSet rules;
  KeptAnswers kept;
  Engine reusing, plain;
};

class Trial {
 public:
  Trial(std::uint64_t seed, bool lie)
      : random_(seed, seed % 4 == 0 ? 20 : 1'000'000, seed % 4 == 1 ? kManyNodes : 12),
        draws_(seed ^ 0x5eed),
        generation_(seed % 2 == 0 ? Generation::kClassic : Generation::kToday),
        options_(with_expressions(with_facts(seed % 2 != 0   ? kPlugins
                                             : seed % 4 == 0 ? kExact
                                                             : kDefaults))),
        state_(options_),
        lie_(lie),
        is_calm_(seed % 3 != 0 && !lie),
        has_many_nodes_(seed % 4 == 1) {
    for (std::size_t i = 0; i < 30 || (has_many_nodes_ && i < 2 * kManyNodes); ++i) change_node();
    for (int i = 0; i < 60; ++i) change_pod();
    for (int i = 0; i < 25; ++i) change_other();
    for (int i = 0; i < 4; ++i) add_class();
    for (int i = 0; i < 2; ++i) load_rules();
  }

  void run(std::size_t steps, ReuseTrial& result) {
    for (std::size_t step = 0; step < steps && result.difference.empty(); ++step) {
      change();
      for (std::size_t asked = 1 + draws_.below(2); asked > 0 && result.difference.empty(); --asked) {
        result.difference = ask(*sides_[draws_.below(sides_.size())]);
        result.questions += 2;
      }
      if (!result.difference.empty()) result.difference += std::format(" (at step {})", step);
    }
    for (const auto& sides : sides_) result.counts += sides->kept.counts();
    result.counts += before_;
  }

 private:
  /// So many that rules with few domains have groups of them: see Priority::groups().
  static constexpr std::size_t kManyNodes = 80;

  // Events.
  void change() {
    // In a calm cluster pods come and go, and little else happens: what is kept lives long. A lie shows
    // sooner in another.
    switch (is_calm_ && !draws_.one_in(8) ? 6 + draws_.below(10) : draws_.below(16)) {
      case 0:
        return load_rules();
      case 1:
        return add_class();
      case 2:
      case 3:
        return change_node();
      case 4:
      case 5:
        return change_other();
      case 6:
        if (state_.groups.has_wanted()) state_.groups.keep_wanted();
        return;
      case 7:
        return;  // Nothing changes.
      case 8:
        return nominate();
      default:
        return change_pod();
    }
  }
  void change_node() {
    const std::string name = random_.node_name();
    if (draws_.one_in(6))
      state_.remove_node(name);
    else
      state_.set_node(with_fields(random_.node(name)));
  }
  void change_pod() {
    const std::string ns = random_.ns(), name = random_.pod_name();
    if (draws_.one_in(4))
      state_.remove_pod(ns, name);
    else if (!classes_.empty() && draws_.one_in(2))
      place_one_of_a_class();
    else
      state_.set_pod(with_fields(random_.pod(ns, name)));
  }
  template <class Object>
  static Object with_fields(Object object) {
    object.fields = fields_of(object.metadata.labels);
    return object;
  }
  /// Usage of a node, of a moment that pods may have been running at.
  NodeMetrics metrics() {
    NodeMetrics made;
    made.metadata.name = random_.node_name();
    now_ += static_cast<std::int64_t>(draws_.below(3)) * 1'000'000'000;
    if (!draws_.one_in(4))
      made.usage = NodeUsage{.cpu = static_cast<double>(draws_.below(5)), .memory = 1, .taken = now_};
    if (draws_.one_in(2)) made.metrics["gpu"] = static_cast<double>(draws_.below(3));
    return made;
  }
  void place_one_of_a_class() {
    Pod placed = one_of(draws_.below(classes_.size()));
    placed.spec.node_name = random_.node_name();
    state_.set_pod(placed);
  }
  void nominate() {
    Pod pod = random_.pod(random_.ns(), random_.pod_name());
    pod.spec.node_name.clear();
    pod.status.nominated_node_name = random_.node_name();
    pod.status.phase.clear();
    state_.set_pod(pod);
  }
  template <class Object>
  void put(Object object) {
    if (draws_.one_in(4))
      ObjectWriter<Object>::remove(state_, object.metadata.namespace_, object.metadata.name);
    else
      ObjectWriter<Object>::set(state_, std::move(object));
  }
  void change_other() {
    switch (draws_.below(10)) {
      case 8:
      case 9:
        return put(metrics());
      case 0:
        return put(random_.storage_class(random_.class_name()));
      case 1:
        return put(random_.csi_node(random_.node_name()));
      case 2:
        return put(random_.persistent_volume(random_.volume_name()));
      case 3:
        return put(random_.volume_claim(random_.ns(), random_.claim_name()));
      case 4: {
        Service service;
        service.metadata = meta(random_.ns(), "s" + std::to_string(draws_.below(4)));
        service.selector = random_.label_selector().match_labels;
        return put(std::move(service));
      }
      case 5: {
        ReplicaSet set;
        set.metadata = meta(random_.ns(), "r" + std::to_string(draws_.below(4)));
        set.selector = random_.label_selector();
        return put(std::move(set));
      }
      case 6: {
        Namespace ns;
        ns.metadata = meta("", random_.ns());
        ns.metadata.labels = random_.labels();
        return put(std::move(ns));
      }
      default: {
        DeviceClass devices;
        devices.metadata = meta("", "gpu");
        devices.extended_resource_name = "example.com/r" + std::to_string(draws_.below(3));
        return put(std::move(devices));
      }
    }
  }
  /// The rules are loaded anew, as at a reload. Some sets stay and go on.
  void load_rules() {
    const ReuseOptions options{.memory = draws_.one_in(4) ? 20'000U : 1U << 24,
                               .least_nodes = 0,
                               .from_question = 1U + static_cast<std::uint32_t>(draws_.below(2))};
    RuleSet rules = random_rules(draws_, generation_, options_.accounting);
    RuleReads reads = reads_of(rules);
    if (lie_)
      for (auto* const list : {&reads.predicates, &reads.priorities}) std::ranges::fill(*list, Reads::kNode);
    auto sides = std::make_unique<Sides>(std::move(rules), std::move(reads), workers_, options);
    if (sides_.size() < 2) {
      sides_.push_back(std::move(sides));
      return;
    }
    auto& old = sides_[draws_.below(2)];
    before_ += old->kept.counts();
    old = std::move(sides);
  }

  // Questions.
  void add_class() {
    Pod pod = with_fields(random_.pod(random_.ns(), "asked"));
    pod.spec.node_name.clear();
    pod.status.phase.clear();
    if (has_many_nodes_ && !draws_.one_in(3)) heed_own_pods(pod);
    if (classes_.size() < 4)
      classes_.push_back(std::move(pod));
    else
      classes_[draws_.below(4)] = std::move(pod);
  }
  /// The pod is scored by the pods of its class in each zone, and sometimes may not be beside one.
  void heed_own_pods(Pod& pod) {
    constexpr const char* kZone = "failure-domain.beta.kubernetes.io/zone";
    const LabelSelector own{pod.metadata.labels, {}};
    pod.spec.node_selector.clear();
    pod.spec.affinity.emplace();
    if (draws_.one_in(2))
      pod.spec.topology_spread_constraints = {{.max_skew = 1,
                                               .topology_key = draws_.one_in(3) ? "disk" : kZone,
                                               .when_unsatisfiable = "ScheduleAnyway",
                                               .label_selector = own}};
    PodAffinityTerm term;
    term.label_selector = own;
    term.topology_key = kZone;
    if (draws_.one_in(2)) pod.spec.affinity->pod_anti_affinity.emplace().preferred = {{10, term}};
    term.topology_key = "kubernetes.io/hostname";
    if (draws_.one_in(2)) pod.spec.affinity->pod_anti_affinity.emplace().required = {term};
  }
  Pod one_of(std::size_t number) {
    Pod pod = classes_[number];
    pod.metadata.name = std::format("asked-{}-{}", number, draws_.below(8));
    pod.metadata.uid = pod.metadata.name;
    return pod;
  }
  /// Often the nodes of the question before, or all of them but one.
  std::vector<NodeId> some_nodes(const View& view) {
    if (!view.has_overlay() && !draws_.one_in(4)) {
      std::erase_if(nodes_, [&](NodeId node) { return view.find_node(view.node_name(node)) != node; });
      if (nodes_.size() > 1 && draws_.one_in(4)) {
        std::vector<NodeId> fewer = nodes_;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(draws_.below(fewer.size())));
        return fewer;
      }
      if (!nodes_.empty()) return nodes_;
    }
    std::vector<NodeId> nodes = other_nodes(view);
    if (!view.has_overlay()) nodes_ = nodes;
    return nodes;
  }
  std::vector<NodeId> other_nodes(const View& view) {
    std::vector<NodeId> nodes = view.all_nodes();
    for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[draws_.below(i)]);
    if (draws_.one_in(3) && !nodes.empty()) nodes.resize(1 + draws_.below(nodes.size()));
    return nodes;
  }

  std::string ask(const Sides& sides) {
    const Pod pod = one_of(draws_.below(classes_.size()));
    std::optional<Overlay> overlay;
    if (draws_.one_in(8)) {
      overlay.emplace(state_);
      overlay->remove_pod(random_.ns(), random_.pod_name());
    }
    const View view(state_, overlay ? &*overlay : nullptr);
    const std::vector<NodeId> nodes = some_nodes(view);
    const Request request{.pod = pod, .view = view, .nodes = nodes, .accounting = options_.accounting};
    PassTimes unused;
    if (draws_.one_in(10)) end_a_question(sides, request);
    const Filtered is = sides.reusing.filter(request, /*all_rules=*/false, unused);
    const Filtered expected = sides.plain.filter(request, /*all_rules=*/false, unused);
    std::vector<NodeId> fitting;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (std::string text = difference(is, expected, i); !text.empty())
        return std::format("{} on {}: {}", pod.metadata.name, view.node_name(nodes[i]), text);
      if (expected.fits(i)) fitting.push_back(nodes[i]);
    }
    if (is.fitting) {
      const FittingNodes all = fitting_of(expected, nodes);
      if (is.fitting->nodes != all.nodes || is.fitting->places != all.places ||
          is.fitting->errors != all.errors)
        return std::format("{}: the nodes that fit, or the errors, are others", pod.metadata.name);
      if (draws_.one_in(2)) fitting.clear();
    }
    // As often for nodes that the pod does not fit: what is kept of these must be right as well.
    Request scoring = request;
    if (!draws_.one_in(3)) {
      if (!fitting.empty())
        scoring.nodes = fitting;
      else if (is.fitting && !is.fitting->nodes.empty())
        scoring.nodes = is.fitting->nodes;  // As they are shared with what is kept.
    }
    return difference(sides.reusing.prioritize(scoring, /*keep_raw=*/true, unused),
                      sides.plain.prioritize(scoring, /*keep_raw=*/true, unused), sides.rules);
  }

  /// A question whose time ends midway has no answer, and must leave the next ones right.
  void end_a_question(const Sides& sides, const Request& request) {
    PassTimes unused;
    for (const bool filters : {true, false}) {
      ends_early = draws_.one_in(3) ? EndsEarly::kAtBind : EndsEarly::kAtMap;
      try {
        if (filters)
          sides.reusing.filter(request, /*all_rules=*/false, unused);
        else
          static_cast<void>(sides.reusing.prioritize(request, /*keep_raw=*/draws_.one_in(2), unused));
      } catch (const OutOfTime&) {
      }
      ends_early = EndsEarly::kNowhere;
    }
  }

  static std::string difference(const Filtered& is, const Filtered& expected, std::size_t i) {
    if (is.fits(i) && expected.fits(i)) return "";
    const auto words = [&](const Filtered& one) {
      if (one.fits(i)) return std::string("fits");
      std::string text = std::format("{} {}:", one.rules->predicates[one.failed_by[i]].name,
                                     static_cast<int>(one.verdict[i].fit()));
      for (const std::string_view reason : one.reasons(one.failed_by[i], one.verdict[i]))
        text.append(" ").append(reason);
      return text;
    };
    const std::string a = words(is), b = words(expected);
    return a == b ? "" : std::format("{}, expected {}", a, b);
  }
  static std::string difference(const std::expected<Scored, ScoringError>& is,
                                const std::expected<Scored, ScoringError>& expected, const RuleSet& rules) {
    if (!is || !expected) {
      const bool alike = !is && !expected && is.error().text == expected.error().text;
      return alike ? "" : "one of the two fails, or with another error";
    }
    if (is->totals == expected->totals && is->raw == expected->raw && is->scores == expected->scores)
      return "";
    const std::size_t n = is->totals.size();
    for (std::size_t i = 0; i < is->raw.size(); ++i)
      if (is->raw[i] != expected->raw[i])
        return std::format("{}: raw {}, expected {}", rules.priorities[i / n].name, is->raw[i],
                           expected->raw[i]);
    return "scores differ";
  }

  RandomCluster random_;
  Draws draws_;
  std::int64_t now_ = 1;  ///< Of measurements, in nanoseconds.
  const Generation generation_;
  const State::Options options_;
  State state_;
  const bool lie_, is_calm_, has_many_nodes_;
  Workers workers_{0};
  std::vector<Pod> classes_;
  std::vector<NodeId> nodes_;  ///< That were asked about.
  std::vector<std::unique_ptr<Sides>> sides_;
  ReuseCounts before_;
};

}  // namespace

ReuseTrial try_reuse(std::uint64_t seed, std::size_t steps, bool lie) {
  ReuseTrial result;
  Trial(seed, lie).run(steps, result);
  return result;
}

}  // namespace winnow::test
