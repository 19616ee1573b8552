// Single questions to a cluster, for commands that do not watch it.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/client/transport/https_transport.h"
#include "extender/operate/cluster_uses.h"

namespace winnow {

struct CommonFlags;

/// The API servers of the flags. The first one that answers is asked. For one thread.
class ClusterAsker {
 public:
  /// @return the asker, or one line: the flag or the file, and what was expected.
  static std::expected<ClusterAsker, std::string> make(const CommonFlags& flags);

  /// Waits for 10 seconds for each server at most. @return the answer, or what each server has to say.
  std::expected<live::ApiResponse, std::string> ask(const live::ApiRequest& request) const;

 private:
  ClusterAsker(std::vector<std::string> servers, std::unique_ptr<live::HttpsTransport> transport)
      : servers_(std::move(servers)), transport_(std::move(transport)) {}

  std::vector<std::string> servers_;
  std::unique_ptr<live::HttpsTransport> transport_;
};

/// Where the cluster is that the flags name. A pod's service account is not taken for a cluster here.
enum class NamedCluster : std::uint8_t { kUnnamed, kFiles, kLive };
/// @return where; or an error of one line where they name two.
std::expected<NamedCluster, std::string> named_cluster(const CommonFlags& flags);

/// What the cluster of named_cluster() uses. @return nothing without these flags, or where the cluster that
/// KUBECONFIG alone names does not answer, which is logged; or an error of one line.
std::expected<std::optional<ClusterUses>, std::string> uses_from(const CommonFlags& flags);

}  // namespace winnow
