#include "cluster/client/watch/discovery.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <limits>

#include "cluster/api/decode.h"
#include "cluster/client/access/server_url.h"
#include "cluster/client/servers/api_servers.h"
#include "cluster/text/go_format.h"

namespace winnow::live {

Resource api_server_slice() {
  return {"endpointslices", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", "EndpointSlice",
          "metadata.name=kubernetes"};
}

bool Discovery::set(std::string_view object) {
  const auto slice = decode<EndpointSlice>(object);
  if (slice) use(*slice);
  return slice || slice.error().is_json;
}

void Discovery::use(const EndpointSlice& slice) {
  const bool is_v6 = slice.address_type == "IPv6";
  if (!is_v6 && slice.address_type != "IPv4")
    return skip(std::format("the slice: addressType: {} is not IPv4 or IPv6", go_quote(slice.address_type)));
  const auto port = std::ranges::find(slice.ports, "https", [](const auto& one) { return one.first; });
  if (port == slice.ports.end()) return;
  if (port->second < 1 || port->second > std::numeric_limits<std::uint16_t>::max())
    return skip(std::format("the slice: ports: https: {} is not a port", port->second));
  std::vector<std::string> servers = configured_;
  bool any = false;
  for (const std::string& address : slice.addresses) {
    if (!is_ip_address(address) || address.contains(':') != is_v6) {
      skip(std::format("an endpoint: address: {} is not an {} address", go_quote(address),
                       slice.address_type));
      continue;
    }
    any = true;
    std::string url = std::format("https://{}:{}", is_v6 ? "[" + address + "]" : address, port->second);
    if (!std::ranges::contains(servers, url)) servers.push_back(std::move(url));
  }
  if (any) servers_.replace(std::move(servers));
}

void Discovery::skip(const std::string& line) const {
  if (on_skipped_) on_skipped_(line);
}

}  // namespace winnow::live
