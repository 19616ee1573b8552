#include "extender/what_if/simulate/simulation_report.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <format>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/text/characters.h"
#include "cluster/text/words.h"
#include "extender/explain/explanation_text.h"
#include "extender/what_if/simulate/report_usage.h"

namespace winnow {

std::vector<WorkloadTally> tally_workloads(const SimulationResult& result) {
  std::vector<WorkloadTally> workloads;
  std::map<std::pair<std::string_view, PodOrigin>, std::size_t> places;
  for (const SimulatedPod& pod : result.pods) {
    const std::string& name = result.batches[pod.batch].name();
    const auto [it, is_new] = places.try_emplace({name, pod.origin}, workloads.size());
    if (is_new) workloads.push_back({.name = name, .origin = pod.origin});
    WorkloadTally& tally = workloads[it->second];
    ++tally.pods;
    ++tally.ends[static_cast<std::size_t>(pod.end)];
    if (pod.end == PodEnd::kPlaced) ++tally.placed[pod.node];
    if (pod.from != kNone) ++tally.from[pod.from];
  }
  return workloads;
}

namespace {

/// A reason with its numbers of nodes apart.
struct CountedText {
  std::string words;  ///< A number is "#".
  std::vector<std::size_t> numbers;
};

/// "0/40 nodes are available: 27 Insufficient cpu, 6 Insufficient memory." Upstream puts reasons in order
/// with their numbers, "16 …" before "6 …". So they are put in order of text here.
CountedText apart(const Why& why) {
  constexpr std::string_view kBegin = " nodes are available: ";
  const std::size_t at = why.text.find(kBegin);
  const bool has_sign =
      std::ranges::any_of(why.reasons, [](const auto& reason) { return reason.first.contains('#'); });
  if (at == std::string::npos || why.reasons.empty() || has_sign) return {.words = why.text, .numbers = {}};
  CountedText counted{.words = why.text.substr(0, at + kBegin.size()), .numbers = {}};
  for (const auto& [reason, nodes] : why.reasons) {
    counted.words += (counted.numbers.empty() ? "# " : ", # ") + reason;
    counted.numbers.push_back(nodes);
  }
  counted.words += '.';
  return counted;
}

/// The lowest and the highest numbers of texts with the same words.
struct Ranges {
  std::vector<std::size_t> low, high;

  void take(const std::vector<std::size_t>& numbers) {
    if (low.empty()) low = high = numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      low[i] = std::min(low[i], numbers[i]);
      high[i] = std::max(high[i], numbers[i]);
    }
  }
  std::string filled(const std::string& words, const std::string& exact) const {
    if (low == high) return exact;
    std::string text;
    std::size_t at = 0;
    for (const char c : words)
      if (c != '#' || at == low.size())
        text += c;
      else {
        text += low[at] == high[at] ? std::to_string(low[at]) : std::format("{} to {}", low[at], high[at]);
        ++at;
      }
    return text;
  }
};

}  // namespace

std::vector<ReasonTally> tally_reasons(const SimulationResult& result, PodEnd end) {
  std::vector<ReasonTally> reasons;
  std::map<std::uint32_t, std::size_t> places;
  std::map<std::string, std::size_t> by_words;
  std::map<std::size_t, std::pair<std::string, Ranges>> ranges;
  const auto place_of = [&](std::uint32_t why) {
    const std::string text = why == kNone ? "" : result.whys[why].text;
    CountedText counted = why == kNone ? CountedText() : apart(result.whys[why]);
    const auto [known, is_new] = by_words.try_emplace(counted.words, reasons.size());
    if (is_new) reasons.push_back({.text = text, .workloads = {}});
    auto& [words, range] = ranges[known->second];
    words = counted.words;
    range.take(counted.numbers);
    return known->second;
  };
  for (const SimulatedPod& pod : result.pods) {
    if (pod.end != end) continue;
    const auto [it, is_new] = places.try_emplace(pod.why, 0);
    if (is_new) it->second = place_of(pod.why);
    ReasonTally& tally = reasons[it->second];
    ++tally.pods;
    const std::string& name = result.batches[pod.batch].name();
    if (tally.workloads.empty() || tally.workloads.back().first != name) {
      const auto known =
          std::ranges::find(tally.workloads, name, &std::pair<std::string, std::size_t>::first);
      if (known != tally.workloads.end()) {
        ++known->second;
        continue;
      }
      tally.workloads.emplace_back(name, 0);
    }
    ++tally.workloads.back().second;
  }
  for (auto& [place, range] : ranges)
    reasons[place].text = range.second.filled(range.first, reasons[place].text);
  std::ranges::stable_sort(reasons, std::greater{}, &ReasonTally::pods);
  return reasons;
}

std::vector<DaemonTally> tally_daemons(const NewNodes& nodes) {
  std::vector<DaemonTally> daemons;
  for (const NewDaemonPod& pod : nodes.pods) {
    auto known = std::ranges::find(daemons, pod.daemon_set, &DaemonTally::name);
    if (known == daemons.end()) known = daemons.insert(known, {.name = pod.daemon_set});
    ++(pod.why.empty() ? known->placed : known->pending);
    if (known->why.empty()) known->why = pod.why;
  }
  return daemons;
}

std::string_view to_string(PodOrigin origin) {
  constexpr std::array<std::string_view, 6> kWords = {"waiting", "new",       "drained",
                                                      "lost",    "preempted", "failed"};
  return kWords[static_cast<std::size_t>(origin)];
}

std::string_view to_string(PodEnd end) {
  constexpr std::array<std::string_view, kPodEnds> kWords = {"untried", "placed",    "nowhere", "gated",
                                                             "blocked", "notRemade", "stuck"};
  return kWords[static_cast<std::size_t>(end)];
}

namespace {

void write_reasons(JsonPieces& json, const std::vector<std::pair<std::string, std::size_t>>& reasons) {
  json.key("reasons").list(reasons, [&](const auto& reason) {
    json.raw("{").key("reason").text(reason.first).raw(",").key("nodes").number(reason.second).raw("}");
  });
}

void write_counts(JsonPieces& json, const SimulationResult& result) {
  for (std::size_t end = 0; end < kPodEnds; ++end) {
    const auto one = static_cast<PodEnd>(end);
    json.key(to_string(one)).number(result.count(one)).raw(",");
  }
  json.key("evictions").number(result.evictions).raw(",");
  json.key("daemonPods").number(result.daemon_pods_stay + result.daemon_pods_went).raw(",");
  json.key("daemonPodsStay").number(result.daemon_pods_stay).raw(",");
  json.key("leaving").number(result.leaving).raw(",");
  json.key("cutShort").flag(result.cut_short);
}

void write_texts(JsonPieces& json, std::string_view key, const std::vector<std::string>& texts) {
  json.raw(",").key(key).list(texts, [&](const std::string& text) { json.text(text); });
}

void write_new_nodes(JsonPieces& json, const NewNodes& nodes) {
  json.raw(",").key("newNodes").raw("{").key("nodes").number(nodes.nodes).raw(",");
  json.key("daemonSets").list(tally_daemons(nodes), [&](const DaemonTally& daemon) {
    json.raw("{").key("daemonSet").text(daemon.name).raw(",").key("placed").number(daemon.placed).raw(",");
    json.key("pending").number(daemon.pending);
    if (daemon.pending > 0) json.raw(",").key("message").text(daemon.why);
    json.raw("}");
  });
  write_texts(json, "unsure", nodes.unsure);
  json.raw("}");
}

void write_shortage(JsonPieces& json, const Shortage& shortage) {
  json.raw("{").key("nodes").number(shortage.nodes).raw(",");
  write_reasons(json, shortage.reasons);
  json.raw(",").key("fullDomains").list(shortage.full_domains, [&](const FullDomain& domain) {
    json.raw("{").key("topologyKey").text(domain.key).raw(",").key("domain").text(domain.value);
    json.raw(",").key("pods").number(domain.pods).raw(",").key("maxSkew").number(domain.max_skew);
    json.raw(",").key("shuts").number(domain.shuts).raw(",");
    write_reasons(json, domain.reasons);
    json.raw("}");
  });
  json.raw("}");
}

void write_amounts(JsonPieces& json, std::string_view key, const Amounts& amounts) {
  json.raw(",").key(key).raw("{").key("milliCPU").number(amounts.cpu).raw(",");
  json.key("memory").number(amounts.memory).raw(",").key("pods").number(amounts.pods).raw("}");
}

void write_running(JsonPieces& json, const SimulationResult& result) {
  if (result.running.empty()) return;
  json.raw(",").key("workloads").list(result.running, [&](const auto& one) {
    json.raw("{").key("workload").text(one.first).raw(",").key("before").number(one.second.before);
    json.raw(",").key("after").number(one.second.after).raw("}");
  });
}

void write_known_before(JsonPieces& json, const SimulationResult& result) {
  if (result.known_before.empty()) return;
  json.raw(",").key("existing").list(result.known_before, [&](const KnownBefore& one) {
    json.raw("{").key("workload").text(one.workload).raw(",").key("onNodes").number(one.on_nodes);
    json.raw(",").key("pending").number(one.waiting).raw(",").key("come").number(one.made);
    json.raw(",").key("go").number(one.gone);
    if (one.wanted) json.raw(",").key("scaledTo").number(*one.wanted);
    json.raw("}");
  });
}

void write_until_full(JsonPieces& json, const UntilFull& full) {
  json.raw(",").key("untilFull").raw("{").key("pods").number(full.pods).raw(",");
  json.key("rounds").number(full.rounds);
  if (!full.stopped_by.empty()) {
    json.raw(",").key("stoppedBy").text(full.stopped_by).raw(",").key("message").text(full.why.text).raw(",");
    write_reasons(json, full.why.reasons);
    json.raw(",").key("runsOut");
    write_shortage(json, full.shortage);
  }
  json.raw("}");
}

void write_nodes_needed(JsonPieces& json, const NodesNeeded& needed) {
  json.raw(",").key("nodesNeeded").raw("{").key("nodes").number(needed.nodes).raw(",");
  json.key("enough").flag(needed.enough);
  json.raw(",").key("waited").number(needed.waited).raw(",").key("left").number(needed.left);
  json.raw(",").key("ofTemplates").list(needed.of_templates, [&](const auto& one) {
    json.raw("{").key("template").text(one.first).raw(",").key("nodes").number(one.second).raw("}");
  });
  if (!needed.pod.empty()) json.raw(",").key("pod").text(needed.pod).raw(",").key("message").text(needed.why);
  if (!needed.in_the_way.empty()) write_texts(json, "inTheWay", needed.in_the_way);
  json.raw("}");
}

void write_pod(JsonPieces& json, const SimulationResult& result, const SimulatedPod& pod) {
  const Batch& batch = result.batches[pod.batch];
  json.raw("{").key("pod").text(batch.pod_name(pod.index)).raw(",").key("workload").text(batch.name());
  json.raw(",").key("origin").text(to_string(pod.origin)).raw(",").key("result").text(to_string(pod.end));
  if (pod.node != kNone) json.raw(",").key("node").text(result.nodes[pod.node].name);
  if (pod.from != kNone) json.raw(",").key("from").text(result.nodes[pod.from].name);
  if (pod.why != kNone) json.raw(",").key("message").text(result.whys[pod.why].text);
  json.raw("}");
}

}  // namespace

void write_node(JsonPieces& json, const NodeFill& node, std::string_view before, std::string_view after) {
  json.raw("{").key("node").text(node.name);
  if (!node.zone.empty()) json.raw(",").key("zone").text(node.zone);
  write_amounts(json, "allocatable", node.allocatable);
  if (node.before) write_amounts(json, before, *node.before);
  if (node.after) write_amounts(json, after, *node.after);
  json.raw("}");
}

void write_unjudged(JsonPieces& json, const Unjudged& unjudged) {
  if (unjudged.is_empty()) return;
  json.raw(",").key("notJudged").raw("{").key("pods").number(unjudged.pods).raw(",");
  json.key("reasons").list(unjudged.lines, [&](const Unjudged::Line& line) {
    json.raw("{").key("reason").text(line.text).raw(",").key("pods").number(line.pods).raw("}");
  });
  json.raw(",").key("objects").list(unjudged.objects, [&](const LeftOut& one) {
    json.raw("{").key("object").text(one.object).raw(",").key("template").text(one.template_path).raw("}");
  });
  json.raw("}");
}

void write_json(const SimulationResult& result, WriteText write) {
  JsonPieces json(write);
  json.raw("{");
  write_counts(json, result);
  write_unjudged(json, result.unjudged);
  write_known_before(json, result);
  if (result.failed_nodes > 0) json.raw(",").key("failedNodes").number(result.failed_nodes);
  if (result.nowhere.pods > 0) write_amounts(json, "nowhereRequests", result.nowhere);
  write_running(json, result);
  if (!result.without_pods.empty()) write_texts(json, "withoutPods", result.without_pods);
  if (result.new_nodes.nodes > 0 || !result.new_nodes.unsure.empty()) write_new_nodes(json, result.new_nodes);
  if (result.until_full) write_until_full(json, *result.until_full);
  if (result.nodes_needed) write_nodes_needed(json, *result.nodes_needed);
  json.raw(",").key("reasons").list(result.whys, [&](const Why& why) {
    json.raw("{").key("message").text(why.text).raw(",").key("pods").number(why.pods).raw(",");
    write_reasons(json, why.reasons);
    json.raw("}");
  });
  json.raw(",").key("pods").list(result.pods, [&](const SimulatedPod& pod) { write_pod(json, result, pod); });
  json.raw(",").key("nodes").list(result.nodes,
                                  [&](const NodeFill& node) { write_node(json, node, "before", "after"); });
  json.raw("}\n").flush();
}

namespace {

/// Workloads and reasons, unless all are wanted.
constexpr std::size_t kMostRows = 20;

std::string_view verb(std::size_t pods, std::string_view one, std::string_view more) {
  return pods == 1 ? one : more;
}

/// What is said of where pods come from.
std::string_view came_from(PodOrigin origin) {
  switch (origin) {
    case PodOrigin::kDrained:
      return ", drained";
    case PodOrigin::kLost:
      return ", of removed nodes";
    case PodOrigin::kPreempted:
      return ", preempted";
    case PodOrigin::kFailed:
      return ", of failed nodes";
    case PodOrigin::kWaiting:
      return ", pending";
    case PodOrigin::kNew:
      break;
  }
  return "";
}

/// Writes the parts, one after another.
class Report {
 public:
  Report(std::string& out, const SimulationResult& result, const ReportOptions& options)
      : out_(out),
        result_(result),
        options_(options),
        width_(line_width(options.table)),
        names_(names_of(result.nodes)) {}

  void write() {
    headline();
    notes();
    if (options_.all_pods)
      every_pod();
    else
      workloads();
    reasons(PodEnd::kNowhere, "fits nowhere:", "fit nowhere:");
    reasons(PodEnd::kBlocked, "stays on its node, for its eviction is forbidden:",
            "stay on their nodes, for their evictions are forbidden:");
    reasons(PodEnd::kStuck,
            "stays on its failed node, being deleted:", "stay on their failed nodes, being deleted:");
    reasons(PodEnd::kGated, "was not tried:", "were not tried:");
    reasons(PodEnd::kNotRemade, "is gone for good:", "are gone for good:");
    append_usage(out_, result_.nodes,
                 {.width = width_,
                  .unicode = options_.unicode,
                  .all_nodes = options_.table.all_nodes,
                  .names = names_});
    if (!names_.note().empty())
      append_paragraph(out_, printable(names_.note()), {.width = width_, .prefix = "  ", .indent = 2});
  }

 private:
  std::string_view styled(std::string_view style) const { return options_.table.colour ? style : kPlain; }

  void say(const std::string& text, std::string_view style = kPlain) {
    append_paragraph(out_, printable(text), {.width = width_, .indent = 2, .style = styled(style)});
  }

  void rest(const std::string& text) {
    append_paragraph(out_, (options_.unicode ? "… " : "... ") + text,
                     {.width = width_, .prefix = "  ", .indent = 4});
  }

  void headline() {
    const std::size_t placed = result_.count(PodEnd::kPlaced), nowhere = result_.count(PodEnd::kNowhere),
                      blocked = result_.count(PodEnd::kBlocked);
    if (result_.until_full) {
      until_full(*result_.until_full);
      if (result_.pods.size() == result_.until_full->pods) return;
    }
    std::string text = count_pods(result_.pods.size()) + ": " + with_thousands(placed) + " placed";
    if (nowhere > 0)
      text += std::format(", {} {} nowhere", with_thousands(nowhere), verb(nowhere, "fits", "fit"));
    for (const auto& [count, words] : {std::pair(blocked, "not evicted, as budgets forbid it"),
                                       std::pair(result_.count(PodEnd::kStuck), "stuck on failed nodes"),
                                       std::pair(result_.count(PodEnd::kGated), "behind scheduling gates"),
                                       std::pair(result_.count(PodEnd::kNotRemade), "gone for good"),
                                       std::pair(result_.count(PodEnd::kUntried), "not tried")})
      if (count > 0) text += std::format(", {} {}", with_thousands(count), words);
    text += result_.until_full ? "" : count_unjudged(result_.unjudged);
    say(text + '.', nowhere + blocked > 0 ? kRed : kBold);
    if (result_.nodes_needed) nodes_needed(*result_.nodes_needed);
  }

  void until_full(const UntilFull& full) {
    say(count_pods(full.pods) + std::string(verb(full.pods, " fits", " fit")) +
            (full.rounds == full.pods ? "" : rounds_of(full)) + count_unjudged(result_.unjudged) + ".",
        kBold);
    if (full.stopped_by.empty()) return;
    say("The next, " + full.stopped_by + ", does not: " + full.why.text);
    runs_out(full.shortage);
  }

  static std::string counted(const CountedReasons& reasons) {
    std::vector<std::string> texts;
    for (const auto& [reason, nodes] : reasons)
      texts.push_back(std::format("{} ({})", reason, count_nodes(nodes)));
    return joined(texts);
  }

  /// What shuts the nodes that could take a pod.
  void runs_out(const Shortage& shortage) {
    if (shortage.nodes == 0) return say("No node could take it from the start.");
    say(std::format("What runs out first, on the {} that could take one: {}.", count_nodes(shortage.nodes),
                    counted(shortage.reasons)));
    for (const FullDomain& domain : shortage.full_domains)
      say(
          std::format("Of the domains, {}={} has the fewest of these pods ({}), and takes no more: {}. So "
                      "maxSkew {} shuts {} elsewhere.",
                      domain.key, domain.value, domain.pods, counted(domain.reasons), domain.max_skew,
                      count_nodes(domain.shuts)));
  }

  /// ": all of --pods twice, and 9 more"
  static std::string rounds_of(const UntilFull& full) {
    if (full.rounds == 0) return ", and not all of --pods once";
    const std::string times = full.rounds == 1   ? "once"
                              : full.rounds == 2 ? "twice"
                                                 : with_thousands(full.rounds) + " times";
    const std::size_t more = full.pods - std::min(full.pods, full.rounds * full.round);
    return ": all of --pods " + times + (more > 0 ? std::format(", and {} more", with_thousands(more)) : "");
  }

  void nodes_needed(const NodesNeeded& needed) {
    const std::string added = count_nodes(needed.nodes);
    if (needed.enough)
      say(needed.nodes == 0   ? "No node needs to be added."
          : needed.nodes == 1 ? "1 node more is needed: with it all fit."
                              : std::format("{} more are needed: with {} all fit, with {} not yet.", added,
                                            needed.nodes, needed.nodes - 1),
          kBold);
    else if (!needed.pod.empty())
      say(added + std::string(verb(needed.nodes, " was", " were")) + " added" + helped(needed) +
              ". One more is of no use: " + of_no_use(needed) + ": " + needed.why + '.',
          kRed);
    else
      say(added + " more " + std::string(verb(needed.nodes, "is", "are")) + " not enough" + helped(needed) +
              '.',
          kRed);
    if (needed.of_templates.size() < 2 || needed.nodes == 0) return;
    std::vector<std::string> counts;
    for (const auto& [name, nodes] : needed.of_templates)
      counts.push_back(std::format("{} of {}", with_thousands(nodes), name));
    say("Added in turn: " + joined(counts) + '.');
  }

  /// ": 3 of 5 pods that fitted nowhere have a place"
  static std::string helped(const NodesNeeded& needed) {
    if (needed.nodes == 0 || needed.waited <= needed.left) return "";
    const std::size_t placed = needed.waited - needed.left;
    return std::format(": {} of {} that fitted nowhere {} a place", with_thousands(placed),
                       count_pods(needed.waited), verb(placed, "has", "have"));
  }

  static std::string of_no_use(const NodesNeeded& needed) {
    if (needed.in_the_way.empty()) return needed.pod + " does not fit on it either";
    const bool is_one = needed.in_the_way.size() == 1;
    return std::format("{} never fits on it, for the {} {} {} first", needed.pod,
                       is_one ? "pod of DaemonSet" : "pods of DaemonSets", joined(needed.in_the_way),
                       is_one ? "comes" : "come");
  }

  /// The pods of DaemonSets on nodes that were added.
  void new_nodes(const NewNodes& nodes) {
    const std::vector<DaemonTally> daemons = tally_daemons(nodes);
    came_first(daemons, nodes.nodes);
    for (const DaemonTally& daemon : daemons)
      if (daemon.pending > 0)
        say(std::format("{} of DaemonSet {} {} pending on added nodes: {}.", count_pods(daemon.pending),
                        daemon.name, verb(daemon.pending, "stays", "stay"), daemon.why),
            kRed);
    for (const std::string& name : nodes.unsure)
      say(std::format("DaemonSet {} leaves out nodes of the cluster, and its pods do not tell which: maybe "
                      "added ones too. Its file in --pods would tell.",
                      name),
          kYellow);
  }

  void came_first(const std::vector<DaemonTally>& daemons, std::size_t nodes) {
    bool on_each = true;
    std::size_t pods = 0;
    std::vector<std::string> names, counts;
    for (const DaemonTally& daemon : daemons) {
      on_each &= daemon.placed == nodes;
      pods += daemon.placed;
      names.emplace_back(daemon.name);
      if (daemon.placed > 0)
        counts.push_back(std::format("{} ({})", daemon.name, with_thousands(daemon.placed)));
    }
    if (pods == 0) return;
    if (on_each) pods = daemons.size();
    say(std::format("{} DaemonSet {} came first on {}: {}.", with_thousands(pods), verb(pods, "pod", "pods"),
                    on_each ? "each added node" : "added nodes", joined(on_each ? names : counts)));
  }

  /// A workload that is placed, though the cluster has pods of it.
  void known_before(const KnownBefore& one) {
    const std::size_t now = one.on_nodes + one.waiting;
    const std::string pending =
        one.waiting == 0 ? "" : std::format(", {} of them pending", with_thousands(one.waiting));
    const std::string_view name = std::string_view(one.workload).substr(one.workload.find(' ') + 1);
    if (one.wanted)
      return say(std::format(
          "{} is scaled from {} to {}{}: {}.", one.workload, with_thousands(now), count_pods(*one.wanted),
          pending,
          one.gone > 0   ? with_thousands(one.gone) + std::string(verb(one.gone, " goes", " go"))
          : one.made > 0 ? with_thousands(one.made) + std::string(verb(one.made, " comes", " come"))
                         : "it has them already"));
    if (one.workload.starts_with("StatefulSet "))
      return say(
          std::format(
              "{} has {} already{}, which are not made again: {}.", one.workload, count_pods(now), pending,
              one.made > 0
                  ? with_thousands(one.made) + std::string(verb(one.made, " comes", " come")) + " to them"
                  : std::format("none comes. --replicas above {}, or --scale {}={}, makes more", now, name,
                                now + 1)),
          kYellow);
    say(std::format("{} has {} already{}: {} on top. --scale {}=N counts those that are there.", one.workload,
                    count_pods(now), pending,
                    one.made == 0   ? std::string("none comes")
                    : one.made == 1 ? std::string("this one comes")
                                    : std::format("these {} come", with_thousands(one.made)),
                    name),
        kYellow);
  }

  void notes() {
    if (result_.cut_short) say("Stopped early: this is what was known by then.", kYellow);
    for (const std::string& line : tell_unjudged(result_.unjudged)) say(line, kYellow);
    for (const KnownBefore& one : result_.known_before) known_before(one);
    for (const std::string& workload : result_.without_pods) say(workload + " makes no pod here.", kYellow);
    new_nodes(result_.new_nodes);
    if (result_.evictions > 0) say(count_pods(result_.evictions) + " would be evicted.");
    if (result_.failed_nodes > 0)
      say(std::format("{} {}: unreachable, and counted in spreads.", count_nodes(result_.failed_nodes),
                      verb(result_.failed_nodes, "fails and stays", "fail and stay")));
    for (const std::string& zone : lost_zones(result_.nodes))
      say(std::format(
              "Zone {} has no node any more. Where a zone fails, its nodes stay, and spreads count it: "
              "see --fail-nodes.",
              zone),
          kYellow);
    if (const std::size_t pods = result_.daemon_pods_stay; pods > 0)
      say(std::format("{} of DaemonSets or of a kubelet {} on {}.", count_pods(pods),
                      verb(pods, "stays", "stay"), verb(pods, "its node", "their nodes")));
    if (const std::size_t pods = result_.daemon_pods_went; pods > 0)
      say(std::format("{} of DaemonSets or of a kubelet {} left out: {}.", count_pods(pods),
                      verb(pods, "is", "are"),
                      verb(pods, "it goes with its node", "they go with their nodes")));
    if (result_.leaving > 0) say(count_pods(result_.leaving) + " were being deleted already.");
  }

  std::vector<std::string> node_counts(const std::map<std::uint32_t, std::size_t>& nodes) const {
    std::vector<std::string> names;
    for (const auto& [node, pods] : nodes)
      names.push_back(
          printable(names_.of(result_.nodes[node].name)) +
          (pods == 1 ? "" : std::format(" {}{}", options_.unicode ? "×" : "x", with_thousands(pods))));
    return names;
  }

  void list(std::string_view prefix, const std::vector<std::string>& names) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    append_list(out_, views, options_.table.all_nodes || width_ == 0 ? 0 : 2,
                {.width = width_, .prefix = prefix, .indent = 6});
  }

  /// "; 6 of 8 run", where a workload has lost pods for good.
  std::string still_run(const std::string& workload) const {
    const auto found = result_.running.find(workload);
    if (found == result_.running.end() || found->second.after >= found->second.before) return "";
    return std::format("; {} of {} run", with_thousands(found->second.after),
                       with_thousands(found->second.before));
  }

  void workloads() {
    std::size_t rows = 0, hidden = 0;
    for (const WorkloadTally& tally : tally_workloads(result_)) {
      if (tally.of(PodEnd::kPlaced) == 0) continue;
      if (rows == kMostRows && width_ != 0) {
        ++hidden;
        continue;
      }
      if (rows++ == 0) out_ += '\n';
      const std::size_t placed = tally.of(PodEnd::kPlaced);
      std::string text = tally.name + ": " + count_pods(placed);
      if (placed < tally.pods) text += " of " + with_thousands(tally.pods);
      text += std::string(came_from(tally.origin)) + still_run(tally.name);
      append_paragraph(out_, printable(text), {.width = width_, .prefix = "  ", .indent = 4});
      list(options_.unicode ? "    → " : "    > ", node_counts(tally.placed));
    }
    if (hidden > 0) rest(std::format("and {} more workloads; --all-pods shows all", with_thousands(hidden)));
  }

  void every_pod() {
    bool is_first = true;
    for (const SimulatedPod& pod : result_.pods) {
      if (pod.end != PodEnd::kPlaced) continue;
      if (std::exchange(is_first, false)) out_ += '\n';
      std::string text = result_.batches[pod.batch].pod_name(pod.index);
      if (pod.from != kNone) text += " from " + names_.of(result_.nodes[pod.from].name);
      text += (options_.unicode ? " → " : " > ") + names_.of(result_.nodes[pod.node].name);
      append_paragraph(out_, printable(text), {.width = width_, .prefix = "  ", .indent = 4});
    }
  }

  /// " (2 pods; 6 of 8 run)"
  static std::string in_brackets(std::size_t pods, const std::string& run) {
    if (pods == 1) return run.empty() ? "" : " (" + run.substr(2) + ")";
    return " (" + count_pods(pods) + run + ")";
  }

  void reasons(PodEnd end, std::string_view one, std::string_view more) {
    const std::vector<ReasonTally> tallies = tally_reasons(result_, end);
    if (tallies.empty()) return;
    const std::size_t pods = result_.count(end);
    out_ += '\n';
    say(std::format("{} {}", count_pods(pods), verb(pods, one, more)), kBold);
    if (end == PodEnd::kNowhere && pods > 1)
      append_paragraph(
          out_,
          std::format("Together they request {} cpu and {} of memory.",
                      amount_text("cpu", result_.nowhere.cpu), amount_text("memory", result_.nowhere.memory)),
          {.width = width_, .prefix = "  ", .indent = 4});
    for (const ReasonTally& tally : tallies) {
      if (&tally - tallies.data() == kMostRows && !options_.all_pods) {
        rest(std::format("and {} more reasons", with_thousands(tallies.size() - kMostRows)));
        break;
      }
      append_paragraph(out_, printable(tally.text), {.width = width_, .prefix = "  ", .indent = 4});
      std::vector<std::string> names;
      for (const auto& [name, count] : tally.workloads)
        names.push_back(printable(name) + in_brackets(count, still_run(name)));
      list("      ", names);
    }
  }

  std::string& out_;
  const SimulationResult& result_;
  const ReportOptions& options_;
  const std::size_t width_;
  const NodeNames names_;
};

}  // namespace

void append_report(std::string& out, const SimulationResult& result, const ReportOptions& options) {
  Report(out, result, options).write();
}

}  // namespace winnow
