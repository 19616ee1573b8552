#include "extender/cli/kubectl/node_list.h"

#include <algorithm>
#include <cstddef>
#include <format>
#include <string_view>
#include <tuple>

#include "cluster/state/held_places.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "extender/explain/explanation.h"
#include "extender/explain/explanation_text.h"

namespace winnow {

void append_columns(std::string& out, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns(printable(row[i])));
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string cell = printable(row[i]);
      line += cell;
      if (i + 1 < row.size()) line.append(widths[i] - columns(cell) + 3, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

namespace {

std::string status_of(std::uint16_t flags) {
  std::string status = "Ready";
  for (unsigned place = 0; place < kMaxBadConditions; ++place)
    if (bad_condition(flags, place) == kNotReady) status = "NotReady";
  return flags & kUnschedulable ? status + ",SchedulingDisabled" : status;
}

/// Thousandths of a core, as cores: "3.5".
std::string cores(std::int64_t milli) {
  std::string text = std::format("{}.{:03}", milli / 1000, milli % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string gibibytes(std::int64_t bytes) {
  return std::format("{:.1f}", static_cast<double>(bytes) / (1 << 30));
}

std::string with_share(std::string text, const Amount& amount) {
  if (amount.allocatable <= 0) return text;
  const double share =
      100.0 * static_cast<double>(amount.requested) / static_cast<double>(amount.allocatable);
  return text + std::format(" ({:.0f}%)", share);
}

std::string cpu_text(const Amount& amount) {
  return with_share(cores(amount.requested) + '/' + cores(amount.allocatable), amount);
}

std::string bytes_text(const Amount& amount) {
  return with_share(gibibytes(amount.requested) + '/' + gibibytes(amount.allocatable) + "Gi", amount);
}

/// Why the node does not take the pod: the reasons of the first rule that fails, or of all rules.
std::string refusal_of(const NodeExplanation& node, bool all) {
  std::string text;
  for (const FilterEntry& entry : node.filters) {
    if (entry.fits) continue;
    if (entry.error) text += (text.empty() ? "" : ", ") + ("error: " + *entry.error);
    for (const std::string& reason : entry.reasons) text += (text.empty() ? "" : ", ") + reason;
    if (!all) break;
  }
  return text.empty() ? "no rule says why" : text;
}

bool takes(const NodeLine& line) { return line.asked != nullptr && line.asked->fits; }

std::vector<std::string> cells_of(const NodeLine& line, const Explanation* explanation, bool wide,
                                  bool shows_held, const NodeNames& names) {
  std::vector<std::string> cells = {names.of(line.name), line.status, cpu_text(line.cpu),
                                    bytes_text(line.memory),
                                    std::format("{}/{}", line.pods.requested, line.pods.allocatable)};
  if (wide) cells.push_back(bytes_text(line.ephemeral));
  if (shows_held) cells.push_back(line.held.empty() ? "-" : std::to_string(line.held.size()));
  if (explanation == nullptr) return cells;
  if (line.asked == nullptr) {
    cells.insert(cells.end(), {"unknown", "-", "was not asked about"});
  } else if (!line.asked->fits) {
    cells.insert(cells.end(), {"no", "-", names.in(refusal_of(*line.asked, wide))});
  } else {
    cells.push_back(explanation->selected == line.name ? "best" : "yes");
    cells.push_back(line.asked->scored ? std::to_string(line.asked->total) : "-");
  }
  return cells;
}

void append_json_amount(std::string& out, std::string_view key, const Amount& amount) {
  out +=
      std::format(R"(,"{}":{{"requested":{},"allocatable":{}}})", key, amount.requested, amount.allocatable);
}

void append_json_line(std::string& out, const NodeLine& line) {
  out += R"({"name":)";
  append_quoted(out, line.name);
  out += R"(,"status":)";
  append_quoted(out, line.status);
  append_json_amount(out, "milliCPU", line.cpu);
  append_json_amount(out, "memory", line.memory);
  append_json_amount(out, "ephemeralStorage", line.ephemeral);
  append_json_amount(out, "pods", line.pods);
  if (!line.held.empty()) {
    out += R"(,"held":[)";
    for (const std::string& place : line.held) {
      if (&place != &line.held.front()) out += ',';
      append_quoted(out, place);
    }
    out += ']';
  }
  if (line.asked != nullptr) {
    out += std::format(R"(,"fits":{})", line.asked->fits);
    if (takes(line) && line.asked->scored)
      out += std::format(R"(,"total":{},"answer":{})", line.asked->total, line.asked->answer);
    if (!line.asked->fits) {
      out += R"(,"reason":)";
      append_quoted(out, refusal_of(*line.asked, false));
    }
  }
  out += '}';
}

}  // namespace

std::vector<NodeLine> node_lines(const State& state, const Explanation* explanation) {
  const NodeColumns& table = state.nodes();
  std::vector<NodeLine> lines;
  for (std::size_t i = 0; i < table.name.size(); ++i) {
    if (table.name[i].empty()) continue;
    lines.push_back({.name = table.name[i],
                     .status = status_of(table.flags[i]),
                     .cpu = {table.requested_cpu[i], table.allocatable_cpu[i]},
                     .memory = {table.requested_memory[i], table.allocatable_memory[i]},
                     .ephemeral = {table.requested_ephemeral[i], table.allocatable_ephemeral[i]},
                     .pods = {table.pods[i], table.allocatable_pods[i]}});
  }
  std::ranges::sort(lines, {}, &NodeLine::name);
  for (const HeldPlace& place : held_places(state, nullptr, HeldClocks{})) {
    const auto line = std::ranges::lower_bound(lines, place.node, {}, &NodeLine::name);
    if (line != lines.end() && line->name == place.node) line->held.push_back(to_text(place));
  }
  if (explanation == nullptr) return lines;
  for (NodeLine& line : lines) {
    const auto found = std::ranges::lower_bound(explanation->nodes, line.name, {}, &NodeExplanation::name);
    if (found != explanation->nodes.end() && found->name == line.name) line.asked = &*found;
  }
  const auto rank = [&](const NodeLine& line) {
    const bool best = explanation->selected == line.name;
    // ~ turns the order round, of every number.
    return std::tuple(!takes(line), takes(line) ? ~line.asked->total : 0, !best);
  };
  std::ranges::stable_sort(lines, {}, rank);
  return lines;
}

void append_node_list(std::string& out, const std::vector<NodeLine>& lines, const Explanation* explanation,
                      OutputForm form) {
  if (form == OutputForm::kName) {
    for (const NodeLine& line : lines)
      if (explanation == nullptr || takes(line)) out += "node/" + printable(line.name) + '\n';
    return;
  }
  if (form == OutputForm::kJson) {
    out += R"({"nodes":[)";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out += ',';
      append_json_line(out, lines[i]);
    }
    out += "]}\n";
    return;
  }
  const bool wide = form == OutputForm::kWide;
  std::vector<std::vector<std::string>> rows = {{"NAME", "STATUS", "CPU", "MEMORY", "PODS"}};
  if (wide) rows.front().push_back("EPHEMERAL");
  const bool shows_held = std::ranges::any_of(lines, [](const NodeLine& line) { return !line.held.empty(); });
  if (shows_held) rows.front().push_back("HELD");
  if (explanation != nullptr) rows.front().insert(rows.front().end(), {"FITS", "SCORE", "REASON"});
  const NodeNames names = names_of(lines);
  for (const NodeLine& line : lines) rows.push_back(cells_of(line, explanation, wide, shows_held, names));
  append_columns(out, rows);
  if (!names.note().empty()) out += printable(names.note()) + '\n';
}

}  // namespace winnow
