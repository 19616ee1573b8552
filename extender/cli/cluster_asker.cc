#include "extender/cli/cluster_asker.h"

#include <chrono>

#include "cluster/api/device.h"
#include "cluster/api/node.h"
#include "cluster/api/node_metrics.h"
#include "cluster/api/pod.h"
#include "cluster/api/storage.h"
#include "cluster/api/workload.h"
#include "cluster/client/access/client_flags.h"
#include "cluster/files/cluster_file.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/service/log/log.h"

namespace winnow {
namespace {

constexpr std::chrono::seconds kAnswerWithin{10};

}  // namespace

std::expected<ClusterAsker, std::string> ClusterAsker::make(const CommonFlags& flags) {
  auto config = live::find_client_config(flags.client);
  if (!config) return std::unexpected(std::move(config).error());
  std::vector<std::string> servers = config->servers;
  auto transport = live::HttpsTransport::make(std::move(*config), live::system_clock());
  if (!transport) return std::unexpected(std::move(transport).error());
  return ClusterAsker(std::move(servers), std::move(*transport));
}

std::expected<live::ApiResponse, std::string> ClusterAsker::ask(const live::ApiRequest& request) const {
  std::string errors;
  for (const std::string& server : servers_) {
    auto answer = transport_->call(server, request, kAnswerWithin, {});
    if (answer) return std::move(*answer);
    errors += (errors.empty() ? "" : "; ") + answer.error().message;
  }
  return std::unexpected(errors);
}

std::expected<NamedCluster, std::string> named_cluster(const CommonFlags& flags) {
  const bool is_live = !flags.client.kubeconfig.empty() || !flags.client.masters.empty();
  if (!flags.cluster.empty() && is_live)
    return std::unexpected("--cluster and --kubeconfig both name a cluster: expected one of them");
  if (!flags.cluster.empty()) return NamedCluster::kFiles;
  return is_live || !flags.client.files.empty() ? NamedCluster::kLive : NamedCluster::kUnnamed;
}

namespace {

std::expected<std::optional<ClusterUses>, std::string> ask_live(const CommonFlags& flags) {
  const auto asker = ClusterAsker::make(flags);
  if (!asker) return std::unexpected(asker.error());
  return ask_uses([&](const live::ApiRequest& request) { return asker->ask(request); });
}

}  // namespace

std::expected<std::optional<ClusterUses>, std::string> uses_from(const CommonFlags& flags) {
  const auto named = named_cluster(flags);
  if (!named) return std::unexpected(named.error());
  if (*named == NamedCluster::kUnnamed) return std::nullopt;
  if (*named == NamedCluster::kLive) {
    auto uses = ask_live(flags);
    const bool by_flag = !flags.client.kubeconfig.empty() || !flags.client.masters.empty();
    if (uses || by_flag) return uses;
    // Nobody has asked for it in this call: files can be checked without.
    log_warn("the cluster of KUBECONFIG is not looked at", {{"error", uses.error()}});
    return std::nullopt;
  }
  const auto objects = read_cluster(flags.cluster);
  if (!objects) return std::unexpected(objects.error().message);
  auto uses = find_uses(objects->of<PriorityClass>(), objects->of<StorageClass>(), objects->of<Pod>());
  if (!uses) return std::unexpected(flags.cluster.front() + ": " + uses.error());
  return *uses;
}

}  // namespace winnow
