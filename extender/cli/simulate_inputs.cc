#include "extender/cli/simulate_inputs.h"

#include <csignal>
#include <iostream>
#include <utility>
#include <vector>

#include "cluster/api/names.h"
#include "cluster/expand/expand.h"
#include "cluster/files/cluster_file.h"
#include "cluster/files/object_reader.h"
#include "cluster/function_ref.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/flags/what_if_flags.h"
#include "extender/cli/terminal.h"
#include "extender/explain/explanation_text.h"
#include "extender/service/log/log.h"
#include "extender/what_if/simulate/changes.h"

namespace winnow {
namespace {

std::expected<std::vector<Node>, std::string> read_nodes(const std::string& flag, const std::string& file) {
  const std::vector<std::string> files{file};
  std::expected<ClusterObjects, FileError> objects = read_cluster(files);
  if (!objects) return std::unexpected(objects.error().message);
  if (objects->of<Node>().empty()) return std::unexpected(flag + ": no Node in " + file);
  warn_of_fields(objects->warnings);
  return std::move(objects->of<Node>());
}

/// The first error of the names in the flags; "": the state has them all.
std::string unknown_names(const SimulateFlags& flags, const Changes& changes, const State& state) {
  std::vector<std::string> labelled;
  for (const LabelChange& change : changes.labels) labelled.push_back(change.node);
  const std::pair<const char*, const std::vector<std::string>*> named[] = {
      {"--drain", &flags.drain},
      {"--remove-nodes", &flags.remove_nodes},
      {"--cordon", &flags.cordon},
      {"--set-label", &labelled}};
  for (const auto& [flag, nodes] : named)
    if (auto error = unknown_node(state, flag, *nodes)) return *std::move(error);
  return "";
}

}  // namespace

std::expected<LabelChange, std::string> parse_label_change(std::string_view text) {
  const auto fail = [&](const std::string& why) {
    return std::unexpected("--set-label: \"" + std::string(text) + "\": " + why);
  };
  const std::string_view form = "expected NODE:KEY=VALUE, or NODE:KEY- to remove the label";
  const std::size_t split = text.find_first_of(":/");
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

std::expected<Changes, std::string> changes_of(const SimulateFlags& flags, const State& state) {
  Changes changes{.remove_nodes = flags.remove_nodes, .cordon = flags.cordon};
  // No pod of the files is to come to a node that is drained next.
  changes.cordon.insert(changes.cordon.end(), flags.drain.begin(), flags.drain.end());
  for (const std::string& text : flags.set_labels) {
    auto change = parse_label_change(text);
    if (!change) return std::unexpected(std::move(change).error());
    changes.labels.push_back(std::move(*change));
  }
  if (std::string error = unknown_names(flags, changes, state); !error.empty())
    return std::unexpected(std::move(error));
  for (const std::string& name : flags.delete_pods) {
    const auto id = known_pod(state, name);
    if (!id) return std::unexpected("--delete-pods: " + id.error());
    const PodRecord& pod = state.pod(*id);
    changes.delete_pods.emplace_back(state.pod_namespace(pod), pod.name);
  }
  if (flags.add_nodes.empty()) return changes;
  auto nodes = read_nodes("--add-nodes", flags.add_nodes);
  if (!nodes) return std::unexpected(std::move(nodes).error());
  changes.templates = std::move(*nodes);
  changes.count = flags.count.value_or(1);
  return changes;
}

std::expected<Node, std::string> read_template(const std::string& flag, const std::string& file) {
  auto nodes = read_nodes(flag, file);
  if (!nodes) return std::unexpected(std::move(nodes).error());
  if (nodes->size() > 1)
    return std::unexpected(flag + ": " + std::to_string(nodes->size()) + " Nodes in " + file +
                           ": expected one");
  return std::move(nodes->front());
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
constexpr std::chrono::milliseconds kBetween{200};

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
  if (now - last_ < kBetween) return true;
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
