#include "extender/what_if/simulate/report_usage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <format>
#include <functional>
#include <string_view>
#include <utility>

#include "cluster/text/characters.h"
#include "extender/explain/explanation_text.h"
#include "extender/what_if/simulate/result.h"

namespace winnow {
namespace {

constexpr std::size_t kNumbers = 9, kFewestCells = 4, kMostCells = 24, kGap = 2;

using Part = std::int64_t Amounts::*;
constexpr std::pair<std::string_view, Part> kParts[] = {
    {"CPU", &Amounts::cpu}, {"MEMORY", &Amounts::memory}, {"PODS", &Amounts::pods}};

std::int64_t amount(const std::optional<Amounts>& amounts, Part part) {
  return amounts ? (*amounts).*part : 0;
}

double share(std::int64_t amount, std::int64_t all) {
  return all <= 0 ? 0 : static_cast<double>(amount) / static_cast<double>(all);
}

std::int64_t offered_before(const NodeFill& node, Part part) {
  return (node.allocatable_before ? *node.allocatable_before : node.allocatable).*part;
}
/// What was there before, as the same share of what is offered after.
std::int64_t scaled_before(const NodeFill& node, Part part) {
  const std::int64_t then = offered_before(node, part), now = node.allocatable.*part;
  const std::int64_t exact = amount(node.before, part);
  return then == now ? exact : std::llround(share(exact, then) * static_cast<double>(now));
}

std::size_t cells_of(std::int64_t amount, std::int64_t all, std::size_t cells) {
  const double exact = std::clamp(share(amount, all), 0.0, 1.0) * static_cast<double>(cells);
  return static_cast<std::size_t>(std::lround(exact));
}

/// The largest change of a share, cpu and memory and pods alike. A node that came or went is above all
/// others.
double change(const NodeFill& node) {
  if (node.before.has_value() != node.after.has_value()) return 2;
  double largest = 0;
  for (const auto& [title, part] : kParts)
    largest = std::max(largest, std::abs(share(amount(node.after, part) - amount(node.before, part),
                                               node.allocatable.*part)));
  return largest;
}

/// "45→60%", at most nine columns.
std::string numbers(const NodeFill& node, Part part, bool unicode) {
  const auto percent = [&](std::int64_t amount, std::int64_t all) {
    return std::min<long>(std::lround(share(amount, all) * 100), 999);
  };
  const std::int64_t then = offered_before(node, part), now = node.allocatable.*part;
  if (now <= 0) return "";
  const std::string_view arrow = unicode ? "→" : ">";
  const long before = percent(amount(node.before, part), then),
             after = percent(amount(node.after, part), now);
  if (!node.before) return std::format("{}{}%", arrow, after);
  if (!node.after) return std::format("{}%{}", before, arrow);
  if (then == now && amount(node.before, part) == amount(node.after, part)) return std::format("{}%", after);
  return std::format("{}{}{}%", before, arrow, after);
}

void pad_to(std::string& line, std::size_t to) { line.append(to - std::min(to, columns(line)), ' '); }

std::string name_of(const NodeFill& node, bool is_zone, const NodeNames& names) {
  return printable(is_zone ? node.zone : names.of(node.name)) + (!node.before  ? " +"
                                                                 : !node.after ? " -"
                                                                               : "");
}

/// The width of a line but for its name, with the shortest bars; and the least that a name gets.
constexpr std::size_t kShortest = kGap + 3 * (kGap + kFewestCells + 1 + kNumbers), kFewestOfName = 10;

/// One table, of zones or of nodes.
void append_rows(std::string& out, std::string_view title, const std::vector<const NodeFill*>& rows,
                 bool is_zone, const UsageOptions& options) {
  std::size_t names = columns(title);
  for (const NodeFill* row : rows) names = std::max(names, columns(name_of(*row, is_zone, options.names)));
  // Names have what the shortest bars leave, and bars what the names leave.
  const std::size_t room = options.width == 0 ? std::max<std::size_t>(120, kShortest + names) : options.width;
  names = std::min(names, std::max(kFewestOfName, room - std::min(room, kShortest)));
  const std::size_t taken = kGap + names + 3 * (kGap + 1 + kNumbers);
  const std::size_t cells = std::clamp((room - std::min(room, taken)) / 3, kFewestCells, kMostCells);
  const auto begin_cell = [&](std::string& line, std::size_t cell) {
    pad_to(line, kGap + names + kGap + cell * (cells + 1 + kNumbers + kGap));
  };
  const auto finish = [&](std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    out.append(line).append(1, '\n');
  };
  std::string head = "  " + std::string(title);
  for (std::size_t cell = 0; cell < std::size(kParts); ++cell) {
    begin_cell(head, cell);
    head += kParts[cell].first;
  }
  finish(std::move(head));
  for (const NodeFill* row : rows) {
    std::string line = "  " + shorten_middle(name_of(*row, is_zone, options.names), names);
    for (std::size_t cell = 0; cell < std::size(kParts); ++cell) {
      const Part part = kParts[cell].second;
      begin_cell(line, cell);
      line += usage_bar(scaled_before(*row, part), amount(row->after, part), row->allocatable.*part, cells,
                        options.unicode);
      line += ' ' + numbers(*row, part, options.unicode);
    }
    finish(std::move(line));
  }
}

}  // namespace

namespace {

/// What stays, what comes, what goes, what is free.
using BarSigns = std::array<std::string_view, 4>;
constexpr BarSigns kUnicodeSigns = {"█", "▓", "░", "·"}, kAsciiSigns = {"#", "+", "-", "."};
const BarSigns& bar_signs(bool unicode) { return unicode ? kUnicodeSigns : kAsciiSigns; }

/// "Requested, % of allocatable, before→after: █ stays, ▓ comes, ░ goes".
void append_legend(std::string& out, const UsageOptions& options) {
  std::string text(options.title);
  if (const std::size_t arrow = text.find("→"); arrow != std::string::npos && !options.unicode)
    text.replace(arrow, std::string_view("→").size(), ">");
  for (std::size_t i = 0; i < options.words.size(); ++i)
    text += std::format("{}{} {}", i == 0 ? ": " : ", ", bar_signs(options.unicode)[i], options.words[i]);
  append_paragraph(out, text, {.width = options.width, .prefix = "  ", .indent = 2});
}

/// Of the rows a third is for nodes that came or went, where others have changed: those take the pods.
/// @param nodes  that changed, the most first: these come before all others.
void leave_room(std::vector<const NodeFill*>& nodes, std::size_t rows) {
  const auto stays = [](const NodeFill* node) { return node->before && node->after; };
  const auto others = std::ranges::find_if(nodes, stays);
  const auto came_or_went = static_cast<std::size_t>(others - nodes.begin());
  const std::size_t first = std::max(rows / 3, rows - std::min(rows, nodes.size() - came_or_went));
  if (came_or_went > first)
    std::rotate(nodes.begin() + static_cast<std::ptrdiff_t>(first), others, nodes.end());
}

}  // namespace

std::string usage_bar(std::int64_t before, std::int64_t after, std::int64_t all, std::size_t cells,
                      bool unicode) {
  const std::size_t then = cells_of(before, all, cells), now = cells_of(after, all, cells);
  const auto& [stays, comes, goes, free] = bar_signs(unicode);
  std::string bar;
  for (std::size_t cell = 0; cell < cells; ++cell)
    bar += cell < std::min(then, now) ? stays : cell < now ? comes : cell < then ? goes : free;
  return bar;
}

void append_usage(std::string& out, const std::vector<NodeFill>& nodes, const UsageOptions& options) {
  const std::vector<NodeFill> zones = by_zone(nodes);
  std::vector<const NodeFill*> shown;
  for (const NodeFill& node : nodes)
    if (options.all_nodes || change(node) > 0) shown.push_back(&node);
  if (shown.empty()) return;
  const std::size_t changed = shown.size();
  if (!options.all_nodes && shown.size() > options.max_nodes) {
    std::ranges::stable_sort(shown, std::greater{}, [](const NodeFill* node) { return change(*node); });
    leave_room(shown, options.max_nodes);
    shown.resize(options.max_nodes);
    std::ranges::sort(shown);  // As they stand in the list.
  }
  std::vector<const NodeFill*> rows;
  for (const NodeFill& zone : zones) rows.push_back(&zone);
  out += '\n';
  append_legend(out, options);
  if (rows.size() > 1) append_rows(out, "ZONE", rows, true, options);
  append_rows(out, "NODE", shown, false, options);
  if (shown.size() < changed)
    out += std::format("  {} and {} more that changed less; --all-nodes shows all\n",
                       options.unicode ? "…" : "...", count_nodes(changed - shown.size()));
}

}  // namespace winnow
