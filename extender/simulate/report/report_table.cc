#include "extender/simulate/report/report_table.h"

#include <algorithm>
#include <format>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/printable.h"
#include "extender/explain/text.h"
#include "extender/simulate/report/report_usage.h"
#include "extender/simulate/report/tally.h"

namespace winnow {
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
      say(added + " were added. One more is of no use: " + needed.pod +
              " does not fit on it either: " + needed.why + '.',
          kRed);
    else
      say(added + " more " + std::string(verb(needed.nodes, "is", "are")) + " not enough.", kRed);
  }

  void notes() {
    if (result_.cut_short) say("Stopped early: this is what was known by then.", kYellow);
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
