// The API servers, as the cluster itself tells of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/servers/api_servers.h"
#include "cluster/watch/object_sink.h"
#include "cluster/watch/reflector.h"

namespace winnow::live {

/// The EndpointSlice default/kubernetes, which every API server keeps.
Resource api_server_slice();

/// Keeps the servers equal to those configured and, behind them, what the slice's port "https" has ready.
/// While the slice has nobody, or is gone, they stay as they are. For one reflector of api_server_slice().
class Discovery : public ObjectSink {
 public:
  /// @param servers  outlives this; as configured so far.
  explicit Discovery(ApiServers& servers) : servers_(servers), configured_(servers.servers()) {}

  void begin_list() override {}
  void list(std::string_view object) override { set(object); }
  void end_list(std::string_view) override {}
  void set(std::string_view object) override;
  void remove(std::string_view) override {}
  void flush() override {}

 private:
  ApiServers& servers_;
  const std::vector<std::string> configured_;
};

}  // namespace winnow::live
