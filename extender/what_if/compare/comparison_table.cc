#include <algorithm>
#include <cmath>
#include <format>
#include <map>
#include <string_view>
#include <utility>

#include "cluster/text/characters.h"
#include "extender/explain/explanation_text.h"
#include "extender/what_if/compare/causes.h"
#include "extender/what_if/compare/comparison_report.h"
#include "extender/what_if/simulate/report_usage.h"
#include "extender/what_if/simulate/simulation_report.h"

namespace winnow {
namespace {

/// Of each list, unless all is wanted: together a screen.
constexpr std::size_t kMostDifferences = 12, kMostCauses = 6, kMostReasons = 3, kMostPods = 8, kMostNodes = 6;

void pad(std::string& line, std::size_t to) { line.append(to - std::min(to, columns(line)), ' '); }

std::string percent(double share) { return std::format("{}%", std::min(std::lround(share * 100), 9999L)); }

/// Writes the parts, one after another.
class TableWriter {
 public:
  TableWriter(std::string& out, const Comparison& result, const ReportOptions& options)
      : out_(out),
        result_(result),
        options_(options),
        width_(line_width(options.table)),
        names_(names_of(result.nodes)) {}

  void write() {
    configurations();
    headline();
    notes();
    causes();
    for (const std::size_t side : {kA, kB}) nowhere(side);
    pods();
    if (!result_.placed) usage();
    if (!names_.note().empty()) item("  ", names_.note());
  }

 private:
  std::string_view styled(std::string_view style) const { return options_.table.colour ? style : kPlain; }
  std::size_t most(std::size_t some) const { return options_.all_pods ? std::string::npos : some; }

  void say(const std::string& text, std::string_view style = kPlain) {
    append_paragraph(out_, printable(text), {.width = width_, .indent = 2, .style = styled(style)});
  }
  void item(std::string_view prefix, const std::string& text) {
    append_paragraph(out_, printable(text), {.width = width_, .prefix = prefix, .indent = columns(prefix)});
  }
  void rest(std::size_t hidden, std::string_view what) {
    out_ += std::format("  {} and {} more {}; --all-pods shows all\n", options_.unicode ? "…" : "...",
                        with_thousands(hidden), what);
  }

  void configurations() {
    for (const std::size_t side : {kA, kB})
      if (!result_.config[side].empty()) item(result_.label[side] + ": ", result_.config[side]);
    if (result_.one_sided || result_.config[kB].empty()) return;
    if (result_.differences.empty()) return say("A and B have the same rules.");
    say("They differ in this:");
    const std::size_t shown = std::min(result_.differences.size(), most(kMostDifferences));
    for (std::size_t i = 0; i < shown; ++i) item("  - ", to_text(result_.differences[i]));
    if (shown < result_.differences.size()) rest(result_.differences.size() - shown, "differences");
  }

  std::size_t ends_at(std::size_t side, bool stays) const {
    return static_cast<std::size_t>(std::ranges::count_if(result_.pods, [&](const ComparedPod& pod) {
      return pod.end[side] == PodEnd::kPlaced && (pod.node[side] == pod.now) == stays;
    }));
  }
  std::size_t nowhere_at(std::size_t side) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        result_.pods, [&](const ComparedPod& pod) { return pod.end[side] == PodEnd::kNowhere; }));
  }

  void headline() {
    const std::size_t differ = result_.count_differing(), known = result_.count_known();
    const std::string pods = result_.placed ? count_running(known) : count_pods(known);
    const std::string_view style = differ > 0 ? kYellow : kBold;
    if (result_.one_sided) {
      say(std::format("{}: {} would stay, {} would go to another node, {} would fit nowhere{}.", pods,
                      with_thousands(ends_at(kB, true)), with_thousands(ends_at(kB, false)),
                      with_thousands(nowhere_at(kB)), count_unjudged(result_.unjudged[kB])),
          style);
      return;
    }
    say(std::format("{}: {} the same under both, {} {}{}.", pods, with_thousands(known - differ),
                    with_thousands(differ), differ == 1 ? "differs" : "differ", unjudged()),
        style);
    const std::size_t alike = result_.count_differing_by_workload(), nowhere = result_.nowhere_under_both();
    if (!result_.placed && alike < differ)
      say(std::format("With the pods of one workload taken as alike, {} {}.", with_thousands(alike),
                      alike == 1 ? "differs" : "differ"));
    if (!result_.placed && nowhere > 0)
      say(std::format("{} {} nowhere under both.", count_pods(nowhere), nowhere == 1 ? "fits" : "fit"));
    if (!result_.placed) return;
    for (const std::size_t side : {kA, kB})
      say(std::format("Under {}: {} would stay, {} would go to another node, {} would fit nowhere.",
                      result_.label[side], with_thousands(ends_at(side, true)),
                      with_thousands(ends_at(side, false)), with_thousands(nowhere_at(side))));
  }

  bool judge_alike() const { return result_.unjudged[kA] == result_.unjudged[kB]; }

  /// What both sides leave out of account, or what each does.
  std::string unjudged() const {
    if (judge_alike()) return count_unjudged(result_.unjudged[kA]);
    std::string text;
    for (const std::size_t side : {kA, kB})
      if (const std::string counts = count_unjudged(result_.unjudged[side]); !counts.empty())
        text += std::format("{} under {}", counts, result_.label[side]);
    return text;
  }

  void tell_unjudged_of(std::size_t side) {
    for (const std::string& line : tell_unjudged(result_.unjudged[side]))
      say(judge_alike() ? line : std::format("{}: {}", result_.label[side], line), kYellow);
  }

  static std::string count_running(std::size_t pods) {
    return with_thousands(pods) + (pods == 1 ? " running pod" : " running pods");
  }

  void notes() {
    if (result_.cut_short)
      say(std::format("Stopped early: this is what was known by then. {} not compared.",
                      count_pods(result_.pods.size() - result_.count_known())),
          kYellow);
    tell_unjudged_of(kA);
    if (!judge_alike()) tell_unjudged_of(kB);
    if (result_.daemon_pods > 0)
      say(std::format("Left out: {} of DaemonSets or of a kubelet.", count_pods(result_.daemon_pods)));
    if (result_.leaving > 0) say(std::format("Left out: {} being deleted.", count_pods(result_.leaving)));
  }

  void causes() {
    if (result_.causes.empty()) return;
    out_ += '\n';
    say(result_.one_sided ? "Why they would go:" : "Why they differ:", kBold);
    const std::size_t shown = std::min(result_.causes.size(), most(kMostCauses));
    for (std::size_t i = 0; i < shown; ++i) {
      const MoveCause& cause = result_.causes[i];
      item(std::format("  [{}] ", i + 1), count_pods(cause.pods) + ": " + turn_text(cause.turn, result_));
    }
    if (shown < result_.causes.size()) rest(result_.causes.size() - shown, "causes");
  }

  void nowhere(std::size_t side) {
    const std::size_t pods = result_.nowhere_only(side);
    if (pods == 0) return;
    out_ += '\n';
    say(std::format("{} {} nowhere under {}{}:", count_pods(pods), pods == 1 ? "fits" : "fit",
                    result_.label[side], result_.one_sided ? "" : " only"),
        kRed);
    std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> by_reason;  // Pods, by workload.
    for (const ComparedPod& pod : result_.pods)
      if (pod.end[side] == PodEnd::kNowhere && pod.end[1 - side] == PodEnd::kPlaced)
        ++by_reason[pod.why[side]][pod.workload];
    std::size_t shown = 0;
    for (const auto& [why, workloads] : by_reason) {
      if (shown++ == most(kMostReasons)) {
        rest(by_reason.size() - kMostReasons, "reasons");
        break;
      }
      item("  ", why == kNone ? "no reason is known" : result_.whys[why]);
      std::vector<std::string> names;
      for (const auto& [workload, count] : workloads)
        names.push_back(printable(result_.workloads[workload]) +
                        (count == 1 ? "" : " (" + count_pods(count) + ")"));
      const std::vector<std::string_view> views(names.begin(), names.end());
      append_list(out_, views, options_.all_pods ? 0 : 1, {.width = width_, .prefix = "      ", .indent = 6});
    }
  }

  /// The columns of one pod: its name, where it is, both choices, the cause.
  std::vector<std::string> cells(const ComparedPod& pod) const {
    std::vector<std::string> cells{printable(pod.name)};
    const auto add = [&](std::uint32_t node) {
      cells.push_back(node == kNone ? "nowhere" : printable(names_.of(result_.nodes[node].name)));
    };
    if (result_.placed && !result_.one_sided) add(pod.now);
    for (const std::size_t side : {kA, kB})
      if (pod.end[side] == PodEnd::kGated)
        cells.emplace_back("gated");
      else
        add(pod.node[side]);
    cells.push_back(pod.cause == kNone ? "" : std::format("[{}]", pod.cause + 1));
    return cells;
  }

  void pods() {
    std::vector<std::vector<std::string>> rows;
    rows.push_back({"POD"});
    if (result_.placed && !result_.one_sided) rows.front().emplace_back("NOW");
    rows.front().push_back(result_.one_sided ? "NOW" : "UNDER " + result_.label[kA]);
    rows.front().push_back("UNDER " + result_.label[kB]);
    rows.front().emplace_back("WHY");
    const std::size_t differ = result_.count_differing();
    for (const ComparedPod& pod : result_.pods)
      if (pod.differs() && rows.size() <= std::min(differ, most(kMostPods))) rows.push_back(cells(pod));
    if (rows.size() == 1) return;
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(row[i]));
    fit(widths);
    out_ += '\n';
    for (const auto& row : rows) {
      std::string line;
      std::size_t at = 0;
      for (std::size_t i = 0; i < row.size(); ++i) {
        pad(line, at += 2);
        line += shorten_middle(row[i], widths[i]);
        at += widths[i];
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out_ += line + '\n';
    }
    if (rows.size() - 1 < differ) rest(differ - rows.size() + 1, "that differ");
  }

  /// Takes from the widest column until a line fits.
  void fit(std::vector<std::size_t>& widths) const {
    constexpr std::size_t kFewest = 9;
    const auto line = [&] {
      std::size_t sum = 0;
      for (const std::size_t width : widths) sum += 2 + width;
      return sum;
    };
    while (width_ > 0 && line() > width_) {
      const auto widest = std::ranges::max_element(widths);
      if (*widest <= kFewest) break;
      --*widest;
    }
  }

  void usage() {
    const Utilization a = utilization(result_.nodes, &NodeFill::before),
                      b = utilization(result_.nodes, &NodeFill::after);
    const std::pair<std::string, std::pair<std::string, std::string>> rows[] = {
        {"", {result_.label[kA], result_.label[kB]}},
        {"nodes with pods", {with_thousands(a.nodes_used), with_thousands(b.nodes_used)}},
        {"cpu requested, all nodes", {percent(a.cpu), percent(b.cpu)}},
        {"cpu requested, fullest node", {percent(a.highest_cpu), percent(b.highest_cpu)}},
        {"memory requested, all nodes", {percent(a.memory), percent(b.memory)}},
        {"memory requested, fullest node", {percent(a.highest_memory), percent(b.highest_memory)}},
    };
    out_ += '\n';
    for (const auto& [name, values] : rows)
      out_ += std::format("  {:<30}  {:>6}  {:>6}\n", name, values.first, values.second);
    std::string bars;
    append_usage(bars, result_.nodes,
                 {.width = width_,
                  .unicode = options_.unicode,
                  .all_nodes = options_.table.all_nodes,
                  .max_nodes = kMostNodes,
                  .title = "Requested, % of allocatable, under A→under B",
                  .words = {"both", "B only", "A only"},
                  .names = names_});
    out_ += '\n';
    if (bars.empty()) {
      say("What is requested of each node is the same under both.");
      return;
    }
    out_ += bars.substr(1);  // It begins with an empty line.
  }

  std::string& out_;
  const Comparison& result_;
  const ReportOptions& options_;
  const std::size_t width_;
  const NodeNames names_;
};

}  // namespace

void append_comparison(std::string& out, const Comparison& result, const ReportOptions& options) {
  TableWriter(out, result, options).write();
}

}  // namespace winnow
