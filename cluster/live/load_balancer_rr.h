// kube-proxy's round robin with client affinity.
//
// cluster/live is the cluster as its API servers tell it: load_balancer_rr.h and api_servers.h choose the server,
// client_config.h says who we are (kubeconfig.h, service_account.h), https_transport.h sends requests over
// transport.h's interface, reflector.h keeps one resource, object_sink.h is where its objects go.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/live/clock.h"

namespace winnow::live {

/// A port of a service: "default/kubernetes:https".
struct ServicePortName {
  std::string ns, name, port;
  auto operator<=>(const ServicePortName&) const = default;
};

/// The rest of this header is to come.
class LoadBalancerRR {};

}  // namespace winnow::live
