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

#include "cluster/text/characters.h"
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

std::vector<ReasonTally> tally_reasons(const SimulationResult& result, PodEnd end) {
  std::vector<ReasonTally> reasons;
  std::map<std::uint32_t, std::size_t> places;
  for (const SimulatedPod& pod : result.pods) {
    if (pod.end != end) continue;
    const auto [it, is_new] = places.try_emplace(pod.why, reasons.size());
    if (is_new) reasons.push_back({.why = pod.why});
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
  constexpr std::array<std::string_view, 5> kWords = {"waiting", "new", "drained", "lost", "preempted"};
  return kWords[static_cast<std::size_t>(origin)];
}

std::string_view to_string(PodEnd end) {
  constexpr std::array<std::string_view, kPodEnds> kWords = {"untried", "placed",  "nowhere",
                                                             "gated",   "blocked", "notRemade"};
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
  json.key("daemonPods").number(result.daemon_pods).raw(",");
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

void write_until_full(JsonPieces& json, const UntilFull& full) {
  json.raw(",").key("untilFull").raw("{").key("pods").number(full.pods).raw(",");
  json.key("rounds").number(full.rounds);
  if (!full.stopped_by.empty()) {
    json.raw(",").key("stoppedBy").text(full.stopped_by).raw(",").key("message").text(full.why.text).raw(",");
    write_reasons(json, full.why.reasons);
  }
  json.raw("}");
}

void write_nodes_needed(JsonPieces& json, const NodesNeeded& needed) {
  json.raw(",").key("nodesNeeded").raw("{").key("nodes").number(needed.nodes).raw(",");
  json.key("enough").flag(needed.enough);
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

void write_amounts(JsonPieces& json, std::string_view key, const Amounts& amounts) {
  json.raw(",").key(key).raw("{").key("milliCPU").number(amounts.cpu).raw(",");
  json.key("memory").number(amounts.memory).raw(",").key("pods").number(amounts.pods).raw("}");
}

}  // namespace

void write_node(JsonPieces& json, const NodeUsage& node, std::string_view before, std::string_view after) {
  json.raw("{").key("node").text(node.name);
  if (!node.zone.empty()) json.raw(",").key("zone").text(node.zone);
  write_amounts(json, "allocatable", node.allocatable);
  if (node.before) write_amounts(json, before, *node.before);
  if (node.after) write_amounts(json, after, *node.after);
  json.raw("}");
}

void write_json(const SimulationResult& result, WriteText write) {
  JsonPieces json(write);
  json.raw("{");
  write_counts(json, result);
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
                                  [&](const NodeUsage& node) { write_node(json, node, "before", "after"); });
  json.raw("}\n").flush();
}

namespace {

/// Workloads and reasons, unless all are wanted.
constexpr std::size_t kMostRows = 20;

std::string_view verb(std::size_t pods, std::string_view one, std::string_view more) {
  return pods == 1 ? one : more;
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
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
      : out_(out), result_(result), options_(options), width_(line_width(options.table)) {}

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
    reasons(PodEnd::kGated, "was not tried:", "were not tried:");
    reasons(PodEnd::kNotRemade, "is gone for good:", "are gone for good:");
    append_usage(out_, result_.nodes,
                 {.width = width_, .unicode = options_.unicode, .all_nodes = options_.table.all_nodes});
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
                                       std::pair(result_.count(PodEnd::kGated), "behind scheduling gates"),
                                       std::pair(result_.count(PodEnd::kNotRemade), "gone for good"),
                                       std::pair(result_.count(PodEnd::kUntried), "not tried")})
      if (count > 0) text += std::format(", {} {}", with_thousands(count), words);
    say(text + '.', nowhere + blocked > 0 ? kRed : kBold);
    if (result_.nodes_needed) nodes_needed(*result_.nodes_needed);
  }

  void until_full(const UntilFull& full) {
    say(count_pods(full.pods) + std::string(verb(full.pods, " fits", " fit")) +
            (full.rounds == full.pods ? "." : rounds_of(full)),
        kBold);
    if (full.stopped_by.empty()) return;
    say("The next, " + full.stopped_by + ", does not: " + full.why.text);
    std::vector<std::pair<std::string, std::size_t>> reasons = full.why.reasons;
    std::ranges::stable_sort(reasons, std::greater{}, &std::pair<std::string, std::size_t>::second);
    if (!reasons.empty())
      say(std::format("What runs out first: {} ({}).", reasons.front().first,
                      count_nodes(reasons.front().second)));
  }

  /// ": all of --pods twice, and 9 more."
  static std::string rounds_of(const UntilFull& full) {
    if (full.rounds == 0) return ", and not all of --pods once.";
    const std::string times = full.rounds == 1   ? "once"
                              : full.rounds == 2 ? "twice"
                                                 : with_thousands(full.rounds) + " times";
    const std::size_t more = full.pods - std::min(full.pods, full.rounds * full.round);
    return ": all of --pods " + times +
           (more > 0 ? std::format(", and {} more.", with_thousands(more)) : ".");
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
      say(added + " were added. One more is of no use: " + of_no_use(needed) + ": " + needed.why + '.', kRed);
    else
      say(added + " more " + std::string(verb(needed.nodes, "is", "are")) + " not enough.", kRed);
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

  void notes() {
    if (result_.cut_short) say("Stopped early: this is what was known by then.", kYellow);
    new_nodes(result_.new_nodes);
    if (result_.evictions > 0) say(count_pods(result_.evictions) + " would be evicted.");
    if (result_.daemon_pods > 0)
      say(std::format("{} of DaemonSets or of a kubelet {} left out: they go with their nodes.",
                      count_pods(result_.daemon_pods), verb(result_.daemon_pods, "is", "are")));
    if (result_.leaving > 0) say(count_pods(result_.leaving) + " were being deleted already.");
  }

  std::vector<std::string> node_counts(const std::map<std::uint32_t, std::size_t>& nodes) const {
    std::vector<std::string> names;
    for (const auto& [node, pods] : nodes)
      names.push_back(
          printable(result_.nodes[node].name) +
          (pods == 1 ? "" : std::format(" {}{}", options_.unicode ? "×" : "x", with_thousands(pods))));
    return names;
  }

  void list(std::string_view prefix, const std::vector<std::string>& names) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    append_list(out_, views, options_.table.all_nodes ? 0 : 2,
                {.width = width_, .prefix = prefix, .indent = 6});
  }

  void workloads() {
    std::size_t rows = 0, hidden = 0;
    for (const WorkloadTally& tally : tally_workloads(result_)) {
      if (tally.of(PodEnd::kPlaced) == 0) continue;
      if (rows == kMostRows) {
        ++hidden;
        continue;
      }
      if (rows++ == 0) out_ += '\n';
      const std::size_t placed = tally.of(PodEnd::kPlaced);
      std::string text = tally.name + ": " + count_pods(placed);
      if (placed < tally.pods) text += " of " + with_thousands(tally.pods);
      text += came_from(tally.origin);
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
      if (pod.from != kNone) text += " from " + result_.nodes[pod.from].name;
      text += (options_.unicode ? " → " : " > ") + result_.nodes[pod.node].name;
      append_paragraph(out_, printable(text), {.width = width_, .prefix = "  ", .indent = 4});
    }
  }

  void reasons(PodEnd end, std::string_view one, std::string_view more) {
    const std::vector<ReasonTally> tallies = tally_reasons(result_, end);
    if (tallies.empty()) return;
    const std::size_t pods = result_.count(end);
    out_ += '\n';
    say(std::format("{} {}", count_pods(pods), verb(pods, one, more)), kBold);
    for (const ReasonTally& tally : tallies) {
      if (&tally - tallies.data() == kMostRows && !options_.all_pods) {
        rest(std::format("and {} more reasons", with_thousands(tallies.size() - kMostRows)));
        break;
      }
      append_paragraph(out_, printable(tally.why == kNone ? "" : result_.whys[tally.why].text),
                       {.width = width_, .prefix = "  ", .indent = 4});
      std::vector<std::string> names;
      for (const auto& [name, count] : tally.workloads)
        names.push_back(printable(name) + (count == 1 ? "" : " (" + count_pods(count) + ")"));
      list("      ", names);
    }
  }

  std::string& out_;
  const SimulationResult& result_;
  const ReportOptions& options_;
  const std::size_t width_;
};

}  // namespace

void append_report(std::string& out, const SimulationResult& result, const ReportOptions& options) {
  Report(out, result, options).write();
}

}  // namespace winnow
