// The list of API servers, read from the cluster itself.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/watch/resource.h"

namespace winnow {

struct EndpointSlice;

}  // namespace winnow

namespace winnow::live {

/// The EndpointSlice default/kubernetes, which the API servers maintain.
Resource api_server_slice();

/// A sink that keeps the list of servers up to date: the configured ones, then the slice's ready addresses at
/// its port "https". If the slice is empty or deleted, the list stays. So it does for a slice whose
/// addressType is neither IPv4 nor IPv6, such as FQDN. An address that is none of the slice's type is
/// skipped. For one reflector of api_server_slice().
class Discovery : public ObjectSink {
 public:
  /// @param servers  must outlive this. Its current servers are the configured ones.
  /// @param on_skipped  is told in one line what is skipped, and why. Null: nobody is.
  explicit Discovery(ApiServers& servers, std::function<void(const std::string&)> on_skipped = {})
      : servers_(servers), configured_(servers.servers()), on_skipped_(std::move(on_skipped)) {}

  void begin_list() override {}
  bool list(std::string_view object) override { return set(object); }
  void end_list(std::string_view) override {}
  bool set(std::string_view object) override;
  bool remove(std::string_view) override { return true; }
  void flush() override {}

 private:
  void use(const EndpointSlice& slice);
  void skip(const std::string& line) const;

  ApiServers& servers_;
  const std::vector<std::string> configured_;
  const std::function<void(const std::string&)> on_skipped_;
};

}  // namespace winnow::live
