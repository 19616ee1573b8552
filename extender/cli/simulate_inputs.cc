#include "extender/cli/simulate_inputs.h"

#include <algorithm>
#include <csignal>
#include <format>
#include <iostream>
#include <span>
#include <utility>
#include <vector>

#include "cluster/api/names.h"
#include "cluster/expand/expand.h"
#include "cluster/files/cluster_file.h"
#include "cluster/files/object_reader.h"
#include "cluster/function_ref.h"
#include "cluster/text/words.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/what_if_flags.h"
#include "extender/cli/named_nodes.h"
#include "extender/cli/named_pods.h"
#include "extender/cli/terminal.h"
#include "extender/explain/explanation_text.h"
#include "extender/service/log/log.h"
#include "extender/what_if/simulate/changes.h"

namespace winnow {
namespace {

/// Takes away what a node has of its own state, and no new one: that it is cordoned, and the taints that
/// controllers set for conditions. @return what was taken away, in words; "": nothing.
/// Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go v1.37.0.
std::string renew(Node& node) {
  std::vector<std::string> words;
  if (std::exchange(node.spec.unschedulable, false)) words.emplace_back("the cordon");
  std::erase_if(node.spec.taints, [&](const Taint& taint) {
    constexpr std::string_view kSet = "node.kubernetes.io/";
    constexpr std::string_view kOfNodes[] = {"not-ready",      "unreachable",        "unschedulable",
                                             "disk-pressure",  "pid-pressure",       "memory-pressure",
                                             "out-of-service", "network-unavailable"};
    if (!taint.key.starts_with(kSet)) return false;
    const std::string_view name = std::string_view(taint.key).substr(kSet.size());
    if (!std::ranges::contains(kOfNodes, name)) return false;
    if (name != "unschedulable") words.push_back("the taint " + taint.key);
    return true;
  });
  return joined_and(words);
}

/// The label changes, one for each node that they name.
std::expected<std::vector<LabelChange>, std::string> label_changes(std::span<const LabelledNode> nodes,
                                                                   const SimulateFlags& flags) {
  std::vector<LabelChange> changes;
  for (const std::string& text : flags.set_labels) {
    auto change = parse_label_change(text);
    if (!change) return std::unexpected(std::move(change).error());
    auto named = named_nodes(nodes, "--set-label", std::span(&change->node, 1));
    if (!named) return std::unexpected(std::move(named).error());
    for (std::string& node : *named) {
      changes.push_back(*change);
      changes.back().node = std::move(node);
    }
  }
  return changes;
}

}  // namespace

std::expected<LabelChange, std::string> parse_label_change(std::string_view text) {
  const auto fail = [&](const std::string& why) {
    return std::unexpected("--set-label: \"" + std::string(text) + "\": " + why);
  };
  const std::string_view form = "expected NODES:KEY=VALUE, or NODES:KEY- to remove the label";
  // A colon is in no label, and a slash may be in one that the nodes have.
  const std::size_t split = text.find_first_of(text.contains(':') ? ":" : "/");
  if (split == std::string_view::npos || split == 0) return fail(std::string(form));
  LabelChange change{.node = std::string(text.substr(0, split)), .key = {}, .value = {}};
  std::string_view label = text.substr(split + 1);
  const std::size_t equals = label.find('=');
  if (equals == std::string_view::npos) {
    if (!label.ends_with('-')) return fail(std::string(form));
    label.remove_suffix(1);
  } else {
    if (equals + 1 < label.size()) change.value = label.substr(equals + 1);
    label = label.substr(0, equals);
  }
  change.key = label;
  if (const std::string errors = label_key_errors(change.key, Generation::kToday); !errors.empty())
    return fail("key: " + errors);
  if (change.value)
    if (const std::string errors = label_value_errors(*change.value, Generation::kToday); !errors.empty())
      return fail("value: " + errors);
  return change;
}

std::string resolve_nodes(SimulateFlags& flags, const State& state) {
  if (flags.drain.empty() && flags.remove_nodes.empty() && flags.fail_nodes.empty() && flags.cordon.empty())
    return "";
  const std::vector<LabelledNode> nodes = labelled_nodes(state);
  for (const auto& [flag, values] :
       {std::pair("--drain", &flags.drain), std::pair("--remove-nodes", &flags.remove_nodes),
        std::pair("--fail-nodes", &flags.fail_nodes), std::pair("--cordon", &flags.cordon)}) {
    auto named = named_nodes(nodes, flag, *values);
    if (!named) return std::move(named).error();
    *values = std::move(*named);
  }
  using Named = std::pair<const char*, const std::vector<std::string>*>;
  const Named drain{"--drain", &flags.drain}, remove{"--remove-nodes", &flags.remove_nodes},
      fail{"--fail-nodes", &flags.fail_nodes}, cordon{"--cordon", &flags.cordon};
  for (const auto& [one, other] :
       {std::pair(remove, drain), std::pair(cordon, drain), std::pair(fail, drain), std::pair(fail, remove)})
    for (const std::string& node : *other.second)
      if (std::ranges::contains(*one.second, node))
        return std::format("{} and {} both name node \"{}\"", one.first, other.first, node);
  return "";
}

std::expected<std::vector<Node>, std::string> read_templates(const std::string& flag,
                                                             const std::string& file) {
  const std::vector<std::string> files{file};
  std::expected<ClusterObjects, FileError> objects = read_cluster(files);
  if (!objects) return std::unexpected(objects.error().message);
  if (objects->of<Node>().empty()) return std::unexpected(flag + ": no Node in " + file);
  warn_of_fields(objects->warnings);
  for (Node& node : objects->of<Node>())
    if (const std::string without = renew(node); !without.empty())
      stderr_line(
          std::format("note: {}: nodes like {} are added without {}", flag, node.metadata.name, without));
  return std::move(objects->of<Node>());
}

std::expected<Changes, std::string> changes_of(const CommonFlags& common, const SimulateFlags& flags,
                                               const State& state) {
  Changes changes{.remove_nodes = flags.remove_nodes, .fail_nodes = flags.fail_nodes, .cordon = flags.cordon};
  // No pod of the files is to come to a node that is drained next.
  changes.cordon.insert(changes.cordon.end(), flags.drain.begin(), flags.drain.end());
  if (!flags.set_labels.empty()) {
    auto labels = label_changes(labelled_nodes(state), flags);
    if (!labels) return std::unexpected(std::move(labels).error());
    changes.labels = std::move(*labels);
  }
  for (const std::string& name : flags.delete_pods) {
    const auto id = known_pod(state, common, name);
    if (!id) return std::unexpected("--delete-pods: " + id.error());
    const PodRecord& pod = state.pod(*id);
    changes.delete_pods.emplace_back(state.pod_namespace(pod), pod.name);
  }
  if (flags.add_nodes.empty()) return changes;
  auto nodes = read_templates("--add-nodes", flags.add_nodes);
  if (!nodes) return std::unexpected(std::move(nodes).error());
  changes.templates = std::move(*nodes);
  changes.count = flags.count.value_or(1);
  return changes;
}

std::expected<NewObjects, std::string> new_pods_of(const std::vector<std::string>& files,
                                                   const ExpandOptions& options, const State& state) {
  auto objects = read_new_objects(files, options, state);
  if (!objects) return std::unexpected(objects.error().message);
  if (objects->sets.empty()) return std::unexpected("--pods: no pod in " + files.front());
  warn_of_fields(objects->added.warnings);
  warn_of_refused(objects->added.refused);
  for (const auto& [kind, count] : objects->added.skipped)
    log_info("kind not used", {{"kind", kind}, {"objects", count}});
  return std::move(*objects);
}

WatchedKinds simulation_needs(bool new_pods) {
  WatchedKinds needs = kind_of<PersistentVolumeClaim> | kind_of<PodDisruptionBudget>;
  if (new_pods) needs |= needs::kNewPods;
  return needs;
}

namespace {

/// Shorter runs show nothing.
constexpr std::chrono::milliseconds kBetweenLines{200};

volatile std::sig_atomic_t stopped = 0;

void stop(int signal) {
  stopped = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

SimulateProgress::SimulateProgress()
    : shows_(has_terminal_for_errors()), last_(std::chrono::steady_clock::now()) {
  stopped = 0;
  before_ = std::signal(SIGINT, stop);
}

SimulateProgress::~SimulateProgress() {
  end();
  if (before_ != SIG_ERR) std::signal(SIGINT, before_);
}

bool SimulateProgress::tell(std::size_t done, std::size_t all) {
  return tell([&] { return with_thousands(done) + " of " + with_thousands(all) + " pods"; });
}

bool SimulateProgress::tell(FunctionRef<std::string()> words) {
  if (stopped) return false;
  if (!shows_) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kBetweenLines) return true;
  last_ = now;
  has_line_ = true;
  std::cerr << "\r\x1b[K" << words() << std::flush;
  return true;
}

void SimulateProgress::end() {
  if (has_line_) std::cerr << "\r\x1b[K" << std::flush;
  has_line_ = false;
}

}  // namespace winnow
