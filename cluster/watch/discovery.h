// The list of API servers, read from the cluster itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/servers/api_servers.h"
#include "cluster/watch/object_sink.h"
#include "cluster/watch/reflector.h"

namespace winnow::live {

/// The EndpointSlice default/kubernetes, which the API servers maintain.
Resource api_server_slice();

/// A sink that keeps the list of servers up to date: the configured ones, then the slice's ready addresses at
/// its port "https". If the slice is empty or deleted, the list stays. For one reflector of
/// api_server_slice().
class Discovery : public ObjectSink {
 public:
  /// @param servers  must outlive this. Its current servers are the configured ones.
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
