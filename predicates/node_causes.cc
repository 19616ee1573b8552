#include "predicates/node_causes.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "cluster/api/node.h"
#include "cluster/api/pod.h"
#include "cluster/api/selector.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/shared_args.h"
#include "cluster/state/pod_requests.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

std::string_view word_of(Operator op) {
  constexpr std::array<std::string_view, 6> kWords = {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
  return kWords[static_cast<std::size_t>(op)];
}

Cause cause_of(const Requirement& requirement, const std::string& from, std::optional<std::int64_t> term) {
  Cause cause{"label"};
  cause.with("key", requirement.key).with("operator", std::string(word_of(requirement.op)));
  if (!requirement.values.empty()) cause.with("wanted", requirement.values);
  cause.with("from", from);
  if (term) cause.with("term", *term);
  return cause;
}

Cause never(const std::string& from, std::optional<std::int64_t> term, std::string why) {
  Cause cause{"term"};
  cause.with("from", from);
  if (term) cause.with("term", *term);
  cause.with("why", std::move(why));
  return cause;
}

}  // namespace

void NodeCauses::add(const Selector& selector, const std::string& from) {
  Term term;
  for (const Requirement& requirement : selector.requirements())
    term.tests.push_back(
        {NodeMatcher(view_, Selector::all_of({requirement})), cause_of(requirement, from, std::nullopt)});
  if (selector.is_nothing()) term.never = never(from, std::nullopt, "matches nothing");
  all_.push_back({std::move(term)});
}

void NodeCauses::add(const NodeSelector& selector, const std::string& from) {
  OneOf terms;
  const bool are_many = selector.terms.size() > 1;
  for (std::size_t i = 0; i < selector.terms.size(); ++i)
    terms.push_back(term_of(selector.terms[i], from,
                            are_many ? std::optional(static_cast<std::int64_t>(i + 1)) : std::nullopt));
  if (terms.empty()) terms.push_back({{}, never(from, std::nullopt, "has no terms")});
  all_.push_back(std::move(terms));
}

void NodeCauses::add(const PodSpec& pod, Generation generation) {
  add(generation == Generation::kToday ? selector_from_set(pod.node_selector)
                                       : selector_from_set_v116(pod.node_selector),
      "nodeSelector");
  if (pod.affinity && pod.affinity->node_affinity && pod.affinity->node_affinity->required)
    add(*pod.affinity->node_affinity->required, "nodeAffinity");
}

NodeCauses::Term NodeCauses::term_of(const NodeSelectorTerm& written, const std::string& from,
                                     std::optional<std::int64_t> number) {
  Term term;
  if (written.match_expressions.empty() && written.match_fields.empty())
    term.never = never(from, number, "is empty");
  if (!written.match_expressions.empty()) {
    const auto selector = parse_node_requirements(written.match_expressions);
    if (!selector) term.never = never(from, number, selector.error());
    if (selector)
      for (const Requirement& requirement : selector->requirements())
        term.tests.push_back(
            {NodeMatcher(view_, Selector::all_of({requirement})), cause_of(requirement, from, number)});
  }
  for (const SelectorRequirement& field : written.match_fields) {
    Cause cause{"field"};
    cause.with("field", field.key).with("operator", field.op).with("wanted", field.values);
    cause.with("from", from);
    if (number) cause.with("term", *number);
    const NodeSelectorTerm alone{.match_expressions = {}, .match_fields = {field}};
    term.tests.push_back({NodeMatcher(view_, alone), std::move(cause), /*is_of_field=*/true});
  }
  return term;
}

void NodeCauses::find(const Term& term, NodeId node, std::vector<Cause>& causes) const {
  if (term.never) causes.push_back(*term.never);
  for (const Test& test : term.tests) {
    if (test.matcher.matches(node)) continue;
    Cause& cause = causes.emplace_back(test.cause);
    const Symbol value = test.is_of_field ? kNone : view_.label(test.cause.text("key"))[node];
    std::optional<std::string> text;
    if (test.cause.text("field") == "metadata.name")  // Of other fields nothing is known.
      text = view_.node_name(node);
    else if (value != kNone)
      text = view_.text(value);
    if (!text) continue;
    const auto place = std::ranges::find(cause.fields, "from", &Cause::Field::first);
    cause.fields.insert(place, {"value", *text});
  }
}

void NodeCauses::find(NodeId node, std::vector<Cause>& causes) const {
  for (const OneOf& terms : all_) {
    std::vector<Cause> failing;
    const bool holds = std::ranges::any_of(terms, [&](const Term& term) {
      const std::size_t before = failing.size();
      find(term, node, failing);
      return failing.size() == before;
    });
    if (!holds) std::ranges::move(failing, std::back_inserter(causes));
  }
}

// The causes of the rules of node.cc.

std::unique_ptr<const CauseFinder> causes_of_node_name(const Request& request, const Arguments&) {
  const std::string& name = request.pod.spec.node_name;
  if (name.empty()) return nullptr;
  return make_cause_finder([&view = request.view, name](NodeId node, std::vector<Cause>& causes) {
    if (view.node_name(node) != name) causes.push_back(Cause{"nodeName"}.with("wanted", name));
  });
}

std::unique_ptr<const CauseFinder> causes_of_cordon(const Request& request, const Arguments&) {
  return make_cause_finder([&view = request.view](NodeId node, std::vector<Cause>& causes) {
    if ((view.column(&NodeTable::flags)[node] & kUnschedulable) != 0) causes.emplace_back("unschedulable");
  });
}

namespace {

std::unique_ptr<const CauseFinder> find_flag(const Request& request, NodeFlag flag, const char* condition) {
  return make_cause_finder([&view = request.view, flag, condition](NodeId node, std::vector<Cause>& causes) {
    if ((view.column(&NodeTable::flags)[node] & flag) != 0)
      causes.push_back(Cause{"condition"}.with("condition", condition));
  });
}

}  // namespace

std::unique_ptr<const CauseFinder> causes_of_memory_pressure(const Request& request, const Arguments&) {
  return find_flag(request, kMemoryPressure, "MemoryPressure");
}

std::unique_ptr<const CauseFinder> causes_of_disk_pressure(const Request& request, const Arguments&) {
  return find_flag(request, kDiskPressure, "DiskPressure");
}

std::unique_ptr<const CauseFinder> causes_of_pid_pressure(const Request& request, const Arguments&) {
  return find_flag(request, kPidPressure, "PIDPressure");
}

std::unique_ptr<const CauseFinder> causes_of_conditions(const Request& request, const Arguments&) {
  return make_cause_finder([&view = request.view](NodeId node, std::vector<Cause>& causes) {
    const std::uint16_t flags = view.column(&NodeTable::flags)[node];
    for (unsigned place = 0; place < kMaxBadConditions; ++place)
      if (const unsigned bad = bad_condition(flags, place); bad != 0)
        causes.push_back(
            Cause{"condition"}.with("condition", bad == kNotReady ? "Ready" : "NetworkUnavailable"));
    if ((flags & kUnschedulable) != 0) causes.emplace_back("unschedulable");
  });
}

std::unique_ptr<const CauseFinder> causes_of_features(const Request& request, const Arguments&) {
  const std::uint8_t needed = needed_features(request.pod.spec);
  return make_cause_finder([&view = request.view, needed](NodeId node, std::vector<Cause>& causes) {
    const auto missing = static_cast<std::uint8_t>(needed & ~view.column(&NodeTable::features)[node]);
    for (std::string& name : feature_names(missing))
      causes.push_back(Cause{"feature"}.with("feature", std::move(name)));
  });
}

namespace {

std::unique_ptr<const CauseFinder> find_labels(const Request& request,
                                               const std::vector<std::string>& present,
                                               const std::vector<std::string>& absent,
                                               const std::string& from) {
  std::vector<Requirement> requirements;
  for (const std::string& key : present)
    requirements.push_back({.key = key, .op = Operator::kExists, .values = {}});
  for (const std::string& key : absent)
    requirements.push_back({.key = key, .op = Operator::kDoesNotExist, .values = {}});
  NodeCauses labels(request.view);
  labels.add(Selector::all_of(std::move(requirements)), from);
  return make_cause_finder(
      [labels = std::move(labels)](NodeId node, std::vector<Cause>& causes) { labels.find(node, causes); });
}

}  // namespace

std::unique_ptr<const CauseFinder> causes_of_label_presence(const Request& request,
                                                            const Arguments& arguments) {
  const auto& [labels, presence] = arguments.get<LabelsPresence>();
  return presence ? find_labels(request, labels, {}, "labelsPresence")
                  : find_labels(request, {}, labels, "labelsPresence");
}

std::unique_ptr<const CauseFinder> causes_of_node_label(const Request& request, const Arguments& arguments) {
  const auto& args = arguments.get_or_default<NodeLabelArgs>();
  return find_labels(request, args.present_labels, args.absent_labels, "NodeLabel");
}

}  // namespace winnow::predicates
