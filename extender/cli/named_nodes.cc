#include "extender/cli/named_nodes.h"

#include <fnmatch.h>

#include <algorithm>
#include <format>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "cluster/api/selector.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/words.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/explain/explanation_text.h"
#include "extender/explain/node_names.h"
#include "extender/explain/table.h"

namespace winnow {
namespace {

using LabelledNodes = std::span<const LabelledNode>;
using Names = std::vector<std::string>;

/// Splits at the commas that are in no parentheses.
std::vector<std::string_view> parts_of(std::string_view value) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0, depth = 0;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    if (i < value.size() && value[i] == '(') ++depth;
    if (i < value.size() && value[i] == ')' && depth > 0) --depth;
    if (i < value.size() && (value[i] != ',' || depth > 0)) continue;
    if (const std::string_view part = trim(value.substr(begin, i - begin)); !part.empty())
      parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

bool is_pattern(std::string_view part) { return part.find_first_of("*?[") != std::string_view::npos; }

/// The place of " in (" or " notin (", with any blanks before the parenthesis; npos: there is none.
std::size_t set_operator(std::string_view part) {
  const std::size_t open = part.find('(');
  if (open == std::string_view::npos) return open;
  const std::string_view before = trim(part.substr(0, open));
  for (const std::string_view word : {" notin", " in"})
    if (before.ends_with(word)) return before.size() - word.size() + 1;
  return std::string_view::npos;
}

bool is_requirement(std::string_view part) {
  return part.starts_with('!') || part.contains('=') || set_operator(part) != std::string_view::npos;
}

/// "zone" in full, unless a node has that very label.
std::string label_key(LabelledNodes nodes, std::string_view key) {
  const auto has = [&](std::string_view label) {
    return std::ranges::any_of(nodes, [&](const LabelledNode& node) { return node.labels.contains(label); });
  };
  if ((key != "zone" && key != "region") || has(key)) return std::string(key);
  const std::string today = std::format("topology.kubernetes.io/{}", key);
  const std::string once = std::format("failure-domain.beta.kubernetes.io/{}", key);
  return !has(today) && has(once) ? once : today;
}

/// Whether a bare word is not a node's name, but the key of a label: of one that some node has, or of one
/// that no name is like.
bool is_label_key(LabelledNodes nodes, std::string_view part) {
  if (is_pattern(part)) return false;
  if (part.contains('/')) return true;
  if (std::ranges::contains(nodes, part, &LabelledNode::name)) return false;
  const std::string key = label_key(nodes, part);
  return std::ranges::any_of(nodes, [&](const LabelledNode& node) { return node.labels.contains(key); });
}

/// A requirement as it is written, with its key as it is there: it may be short.
struct WrittenRequirement {
  std::string_view key;
  std::string op;
  std::vector<std::string> values;
};

/// Upstream: Parse of apimachinery v0.37.0, pkg/labels/selector.go; without the comparisons of numbers.
WrittenRequirement read_requirement(std::string_view part) {
  if (part.starts_with('!')) return {trim(part.substr(1)), "DoesNotExist", {}};
  if (const std::size_t at = set_operator(part); at != std::string_view::npos) {
    WrittenRequirement in{trim(part.substr(0, at)), part.substr(at).starts_with('n') ? "NotIn" : "In", {}};
    std::string_view inner = part.substr(part.find('(') + 1);
    if (inner.ends_with(')')) inner.remove_suffix(1);
    for (const auto value : std::views::split(inner, ','))
      in.values.emplace_back(trim(std::string_view(value)));
    return in;
  }
  const std::size_t sign = part.find('=');
  if (sign == std::string_view::npos) return {part, "Exists", {}};
  const bool differs = sign > 0 && part[sign - 1] == '!';
  const std::size_t value = sign + (part.substr(sign + 1).starts_with('=') ? 2 : 1);
  return {trim(part.substr(0, sign - (differs ? 1 : 0))),
          differs ? "NotIn" : "In",
          {std::string(trim(part.substr(value)))}};
}

/// What may have been meant by a requirement that no node meets: values of its key, else other keys.
std::string near_labels(LabelledNodes nodes, const WrittenRequirement& written, const std::string& key) {
  std::set<std::string> known;
  for (const LabelledNode& node : nodes)
    if (const auto label = node.labels.find(key); label != node.labels.end())
      known.insert(std::string(written.key) + '=' + label->second);
  std::string meant(written.key);
  if (known.empty())
    for (const LabelledNode& node : nodes)
      for (const auto& [name, value] : node.labels) known.insert(name);
  else
    meant += '=' + (written.values.empty() ? "" : written.values.front());
  const std::vector<std::string_view> names(known.begin(), known.end());
  return did_you_mean(meant, names);
}

/// The nodes of the requirements, which must all hold. @param parts  at least one.
std::expected<Names, std::string> by_labels(LabelledNodes nodes, const std::string& flag,
                                            std::span<const std::string_view> parts) {
  std::vector<Requirement> requirements;
  std::string told, near;
  for (const std::string_view part : parts) {
    const WrittenRequirement written = read_requirement(part);
    const std::string key = label_key(nodes, written.key);
    auto requirement = parse_label_requirement({key, written.op, written.values});
    if (!requirement)
      return std::unexpected(std::format("{}: {}: {}", flag, go_quote(part), requirement.error()));
    const auto meets = [&](const LabelledNode& node) {
      const auto label = node.labels.find(key);
      return matches(*requirement, label == node.labels.end() ? nullptr : &label->second);
    };
    if (near.empty() && std::ranges::none_of(nodes, meets)) near = near_labels(nodes, written, key);
    told += (told.empty() ? "" : ",") + std::string(part);
    requirements.push_back(std::move(*requirement));
  }
  const Selector selector = Selector::all_of(std::move(requirements));
  Names names;
  for (const LabelledNode& node : nodes)
    if (selector.matches(node.labels)) names.push_back(node.name);
  if (names.empty()) return std::unexpected(std::format("{}: no node has {}{}", flag, told, near));
  return names;
}

/// Labels that have this value: the name of a zone is taken for that of a node.
std::vector<std::string> labels_of_value(LabelledNodes nodes, std::string_view value) {
  std::set<std::string> zones, others;
  for (const LabelledNode& node : nodes)
    for (const auto& [key, label] : node.labels) {
      if (label != value || key == "kubernetes.io/hostname") continue;
      const std::string_view last = std::string_view(key).substr(key.find('/') + 1);
      const bool is_short = (last == "zone" || last == "region") && label_key(nodes, last) == key;
      (is_short ? zones : others).insert((is_short ? std::string(last) : key) + '=' + label);
    }
  constexpr std::size_t kMost = 3;
  std::vector<std::string> labels(zones.begin(), zones.end());
  labels.insert(labels.end(), others.begin(), others.end());
  labels.resize(std::min(labels.size(), kMost));
  return labels;
}

/// The names as tables have them, in the order of the nodes.
Names shown_names(LabelledNodes nodes) {
  const NodeNames names = names_of(nodes);
  Names shown;
  for (const LabelledNode& node : nodes) shown.push_back(names.of(node.name));
  return shown;
}

/// What may have been meant: names in full, else as tables have them, else labels of that value.
std::string near_node(LabelledNodes nodes, std::string_view name) {
  if (const std::vector<std::string> labels = labels_of_value(nodes, name); !labels.empty())
    return did_you_mean_one_of(std::vector<std::string_view>(labels.begin(), labels.end()));
  std::vector<std::string_view> known;
  for (const LabelledNode& node : nodes) known.push_back(node.name);
  if (std::string near = did_you_mean(name, known); !near.empty()) return near;
  const Names shown = shown_names(nodes);
  return did_you_mean(name, std::vector<std::string_view>(shown.begin(), shown.end()));
}

bool is_named(const std::string& name, const std::string& part) {
  return is_pattern(part) ? fnmatch(part.c_str(), name.c_str(), 0) == 0 : name == part;
}

/// The nodes that tables call so, or whose names are that and a domain.
Names by_shown_name(LabelledNodes nodes, const std::string& part) {
  const Names shown = shown_names(nodes);
  Names names;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (is_named(shown[i], part) || nodes[i].name.starts_with(part + '.')) names.push_back(nodes[i].name);
  return names;
}

/// The nodes of a name or of a pattern.
std::expected<Names, std::string> by_name(LabelledNodes nodes, const std::string& flag,
                                          const std::string& part) {
  Names names;
  for (const LabelledNode& node : nodes)
    if (is_named(node.name, part)) names.push_back(node.name);
  if (names.empty()) names = by_shown_name(nodes, part);
  if (names.size() > 1 && !is_pattern(part))
    return std::unexpected(std::format("{}: {} is the name of {}: {} and {}", flag, go_quote(part),
                                       count_nodes(names.size()), names[0], names[1]));
  if (!names.empty()) return names;
  if (!is_pattern(part))
    return std::unexpected(
        std::format("{}: node {} is not in the cluster{}", flag, go_quote(part), near_node(nodes, part)));
  std::string letters = part;
  std::erase_if(letters, [](char c) { return c == '*' || c == '?'; });
  return std::unexpected(
      std::format("{}: no node has a name like {}{}", flag, go_quote(part), near_node(nodes, letters)));
}

/// Appends those that are not there yet.
void merge(Names& all, std::set<std::string>& seen, Names more) {
  for (std::string& name : more)
    if (seen.insert(name).second) all.push_back(std::move(name));
}

}  // namespace

std::vector<LabelledNode> labelled_nodes(const State& state) {
  const NodeTable& table = state.nodes();
  std::vector<LabelledNode> nodes;
  for (NodeId id = 0; id < table.name.size(); ++id)
    if (!table.name[id].empty()) nodes.push_back({table.name[id], table.to_node(id).metadata.labels});
  std::ranges::sort(nodes, {}, &LabelledNode::name);
  return nodes;
}

std::expected<Names, std::string> named_nodes(LabelledNodes nodes, const std::string& flag,
                                              std::span<const std::string> values) {
  Names all;
  std::set<std::string> seen;
  for (const std::string& value : values) {
    std::vector<std::string_view> parts = parts_of(value), requirements;
    if (parts.empty())
      return std::unexpected(flag + ": expected names, patterns or labels of nodes, and it is empty");
    for (const std::string_view part : parts) {
      if (is_requirement(part) || is_label_key(nodes, part)) {
        requirements.push_back(part);
        continue;
      }
      auto named = by_name(nodes, flag, std::string(part));
      if (!named) return named;
      merge(all, seen, std::move(*named));
    }
    if (requirements.empty()) continue;
    auto labelled = by_labels(nodes, flag, requirements);
    if (!labelled) return labelled;
    merge(all, seen, std::move(*labelled));
  }
  return all;
}

std::expected<Names, std::string> named_nodes(LabelledNodes nodes, const NodeWords& words) {
  if (words.selector.empty()) return named_nodes(nodes, "--nodes", words.values);
  if (!words.values.empty()) return std::unexpected("--nodes and -l exclude each other");
  return by_labels(nodes, "-l", parts_of(words.selector));
}

std::optional<Names> plain_names(const NodeWords& words) {
  if (!words.selector.empty()) return std::nullopt;
  Names names;
  for (const std::string& value : words.values)
    for (const std::string_view part : parts_of(value)) {
      if (is_pattern(part) || is_requirement(part) || part.contains('/')) return std::nullopt;
      names.emplace_back(part);
    }
  return names;
}

void append_scores_are_among(std::string& out, std::size_t nodes, const TableOptions& table) {
  const std::string text = nodes == 1 ? "Only this node was asked about: its score is by itself."
                                      : std::format(
                                            "Only these {} nodes were asked about: scores, and the "
                                            "choice, are among them alone.",
                                            with_thousands(nodes));
  out += '\n';
  append_paragraph(out, text, {.width = line_width(table), .indent = 2});
}

}  // namespace winnow
