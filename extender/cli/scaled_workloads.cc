#include "extender/cli/scaled_workloads.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <format>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "cluster/expand/expand.h"
#include "cluster/expand/more_pods.h"
#include "cluster/state/state.h"
#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/words.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/cli/named_pods.h"
#include "extender/explain/explanation_text.h"

namespace winnow {
namespace {

/// The kinds whose pods another object makes for each node.
bool is_of_nodes(std::string_view kind) { return kind == "DaemonSet" || kind == "Node"; }

/// A value of --scale.
struct WrittenScale {
  std::string kind;  ///< "": none was said.
  ObjectName name;
  std::uint32_t wanted = 0;
};

std::optional<std::uint32_t> number_of(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > kMostPodsOfObject)
    return std::nullopt;
  return number;
}

std::expected<WrittenScale, std::string> read_scale(const CommonFlags& common, const std::string& value) {
  const auto fail = [&] {
    return std::unexpected(std::format("--scale: {}: expected NAMESPACE/NAME=N, with N up to {}",
                                       go_quote(value), kMostPodsOfObject));
  };
  const std::size_t equals = value.rfind('=');
  if (equals == std::string::npos) return fail();
  const auto wanted = number_of(std::string_view(value).substr(equals + 1));
  if (!wanted) return fail();
  WrittenScale scale{.kind = {}, .name = {}, .wanted = *wanted};
  std::string name = value.substr(0, equals);
  if (const std::size_t first = name.find('/'); first != name.rfind('/')) {
    scale.kind = name.substr(0, first);
    name.erase(0, first + 1);
  }
  auto named = named_pod(common, name);  // A workload is named as a pod is.
  if (!named) return fail();
  scale.name = std::move(*named);
  return scale;
}

/// "deploy", "deployments" and "Deployment" name one kind.
bool is_kind(std::string_view kind, std::string_view word) {
  static constexpr std::pair<std::string_view, std::string_view> kShort[] = {
      {"rs", "ReplicaSet"}, {"rc", "ReplicationController"}, {"sts", "StatefulSet"}};
  for (const auto& [letters, full] : kShort)
    if (word == letters) return kind == full;
  if (word.size() > 1 && lower(word.back()) == 's' &&
      equal_but_for_case(kind, word.substr(0, word.size() - 1)))
    return true;
  return !word.empty() && equal_but_for_case(kind.substr(0, word.size()), word);
}

std::string listed(const std::vector<const KnownWorkload*>& workloads) {
  std::vector<std::string> names;
  for (const KnownWorkload* workload : workloads) names.push_back(workload->name);
  return joined_and(names);
}

std::expected<const KnownWorkload*, std::string> find_scaled(const std::vector<KnownWorkload>& workloads,
                                                             const WrittenScale& scale) {
  std::vector<const KnownWorkload*> found;
  std::vector<std::string> known;
  for (const KnownWorkload& workload : workloads) {
    if (is_of_nodes(workload.kind())) continue;
    known.emplace_back(workload.full_name());
    if (workload.full_name() == scale.name.full() &&
        (scale.kind.empty() || is_kind(workload.kind(), scale.kind)))
      found.push_back(&workload);
  }
  if (found.size() == 1) return found.front();
  if (found.size() > 1)
    return std::unexpected(std::format("--scale: {} names {}: expected KIND/NAMESPACE/NAME=N",
                                       go_quote(scale.name.full()), listed(found)));
  return std::unexpected(
      std::format("--scale: no pod of the cluster is of a workload {}{}",
                  go_quote((scale.kind.empty() ? "" : scale.kind + '/') + scale.name.full()),
                  near_pods(scale.name, known)));
}

KnownBefore known(const KnownWorkload& workload) {
  return {.workload = workload.name,
          .on_nodes = workload.on_nodes,
          .waiting = workload.pods.size() - workload.on_nodes};
}

}  // namespace

std::expected<Scaling, std::string> scaling_of(const CommonFlags& common,
                                               const std::vector<std::string>& values, const State& state) {
  Scaling scaling;
  if (values.empty()) return scaling;
  const std::vector<KnownWorkload> workloads = workloads_of(state);
  for (const std::string& value : values) {
    const auto scale = read_scale(common, value);
    if (!scale) return std::unexpected(scale.error());
    const auto found = find_scaled(workloads, *scale);
    if (!found) return std::unexpected(found.error());
    const KnownWorkload& workload = **found;
    if (std::ranges::contains(scaling.told, workload.name, &KnownBefore::workload))
      return std::unexpected(std::format("--scale: {} is scaled twice", workload.name));
    KnownBefore& told = scaling.told.emplace_back(known(workload));
    told.wanted = scale->wanted;
    const std::size_t now = workload.pods.size();
    if (scale->wanted < now) {
      auto gone = first_to_go(state, workload, now - scale->wanted);
      told.gone = gone.size();
      std::ranges::move(gone, std::back_inserter(scaling.gone));
    }
    told.made = scale->wanted > now ? scale->wanted - now : 0;
    if (told.made > 0)
      scaling.sets.push_back(more_pods(state, workload.name, state.to_pod(pattern_of(state, workload)),
                                       static_cast<std::uint32_t>(told.made)));
    for (const PodId pod : workload.pods)
      if (const PodRecord& record = state.pod(pod); !record.assigned)
        scaling.waiting.emplace(state.pod_namespace(record), record.name);
  }
  for (const auto& one : scaling.gone) scaling.waiting.erase(one);
  return scaling;
}

std::vector<KnownBefore> known_before(const std::vector<KnownWorkload>& workloads,
                                      const std::vector<PodSet>& sets) {
  std::vector<KnownBefore> told;
  for (const PodSet& set : sets) {
    const KnownWorkload* const workload = find_workload(workloads, set.source());
    if (!workload || is_of_nodes(workload->kind())) continue;
    told.push_back(known(*workload));
    told.back().made = set.size();
  }
  return told;
}

std::string why_no_pods(const std::vector<KnownWorkload>& workloads, const std::vector<PodSet>& sets) {
  std::string text;
  for (const PodSet& set : sets) {
    const KnownWorkload* const workload = find_workload(workloads, set.source());
    text += text.empty() ? "" : "; ";
    if (!workload || workload->kind() != "StatefulSet") {
      text += set.source() +
              (set.is_daemon_set() ? " has all its pods already, or no node wants one" : " asks for no pod");
      continue;
    }
    text += std::format("{} has {} already; --replicas above {}, or --scale {}={}, makes more",
                        workload->name, count_pods(workload->pods.size()), workload->pods.size(),
                        workload->full_name(), workload->pods.size() + 1);
  }
  return text;
}

std::string workload_hint(const State& state, const std::vector<std::string>& files) {
  std::vector<KnownWorkload> workloads;
  for (const std::string& file : files) {
    std::error_code error;
    if (file == "-" || std::filesystem::exists(file, error)) continue;
    if (workloads.empty()) workloads = workloads_of(state);
    for (const KnownWorkload& workload : workloads) {
      const std::string_view full = workload.full_name();
      if (is_of_nodes(workload.kind()) || (full != file && full.substr(full.find('/') + 1) != file)) continue;
      return std::format("; {} is in the cluster: --scale {}=N scales it", workload.name, full);
    }
  }
  return "";
}

}  // namespace winnow
