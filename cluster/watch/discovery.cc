#include "cluster/watch/discovery.h"

#include <algorithm>

#include "cluster/decode/decode.h"

namespace winnow::live {

Resource api_server_slice() {
  return {"endpointslices", "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", "EndpointSlice",
          "metadata.name=kubernetes"};
}

void Discovery::set(std::string_view object) {
  const auto slice = decode<EndpointSlice>(object);
  if (!slice) return;
  const auto port = std::ranges::find(slice->ports, "https", [](const auto& one) { return one.first; });
  if (port == slice->ports.end() || slice->addresses.empty()) return;
  std::vector<std::string> servers = configured_;
  for (const std::string& address : slice->addresses) {
    const bool is_v6 = address.contains(':');
    std::string url =
        "https://" + (is_v6 ? "[" + address + "]" : address) + ":" + std::to_string(port->second);
    if (!std::ranges::contains(servers, url)) servers.push_back(std::move(url));
  }
  servers_.replace(std::move(servers));
}

}  // namespace winnow::live
