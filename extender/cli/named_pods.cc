#include "extender/cli/named_pods.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cluster/client/access/client_flags.h"
#include "cluster/text/go_format.h"
#include "cluster/text/words.h"
#include "extender/cli/flags/common_flags.h"

namespace winnow {
namespace {

constexpr std::size_t kMostOffered = 3;

std::string_view bare(std::string_view full) { return full.substr(full.find('/') + 1); }

void offer(std::vector<std::string_view>& offered, std::string_view name) {
  if (offered.size() < kMostOffered && !std::ranges::contains(offered, name)) offered.push_back(name);
}

}  // namespace

std::expected<ObjectName, std::string> named_pod(const CommonFlags& flags, std::string_view text) {
  auto pod = parse_pod_name(text, flags.pod_namespace);
  if (!pod || !pod->ns.empty()) return pod;
  // Files have no current context.
  if (flags.cluster.empty()) pod->ns = live::context_namespace(flags.client);
  if (pod->ns.empty()) pod->ns = "default";
  return pod;
}

std::string near_pods(const ObjectName& wanted, std::span<const std::string> known) {
  std::vector<std::string_view> full(known.begin(), known.end()), offered;
  std::ranges::sort(full);
  for (const std::string_view name : full)
    if (bare(name) == wanted.name) offer(offered, name);
  if (!offered.empty()) return did_you_mean_one_of(offered);
  for (const std::string_view name : near_names(wanted.full(), full)) offer(offered, name);
  std::vector<std::string_view> bare_names;
  for (const std::string_view name : full) bare_names.push_back(bare(name));
  const std::vector<std::string_view> near = near_names(wanted.name, bare_names);
  for (const std::string_view name : full)
    if (std::ranges::contains(near, bare(name))) offer(offered, name);
  return did_you_mean_one_of(offered);
}

std::expected<PodId, std::string> known_pod(const State& state, const ObjectName& pod) {
  if (const PodId id = state.find_pod(pod.ns, pod.name); id != kNone) return id;
  std::vector<std::string> full;
  for (PodId id = 0; id < state.pod_capacity(); ++id)
    if (const PodRecord& one = state.pod(id); !one.name.empty())
      full.push_back(std::string(state.pod_namespace(one)) + '/' + one.name);
  return std::unexpected("pod " + go_quote(pod.full()) + " is not in the cluster" + near_pods(pod, full));
}

std::expected<PodId, std::string> known_pod(const State& state, const CommonFlags& flags,
                                            std::string_view text) {
  const auto pod = named_pod(flags, text);
  if (!pod) return std::unexpected(pod.error());
  return known_pod(state, *pod);
}

}  // namespace winnow
