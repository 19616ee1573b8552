// PodFitsHostPorts: the host ports that the pod's containers ask for (init containers' do not count) are
// free. Upstream: predicates.go PodFitsHostPorts, nodeinfo/host_ports.go CheckConflict v1.16.15.
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

struct WantedPort {
  HostPort port;
  bool any_address;
};

/// The address 0.0.0.0 stands for all of them, on either side.
class FitsHostPorts final : public OneReason<FitsHostPorts> {
 public:
  FitsHostPorts(const View& view, std::vector<WantedPort> wanted)
      : OneReason(Fit::kUnschedulable, "node(s) didn't have free ports for the requested pod ports"),
        view_(view),
        any_address_(view.symbol(kAnyAddress)),
        wanted_(std::move(wanted)) {}

  bool fits(NodeId node) const {
    for (const NodeTable::PortUse& used : view_.ports(node))
      for (const WantedPort& wanted : wanted_)
        if (conflict(used.port, wanted)) return false;
    return true;
  }

 private:
  bool conflict(const HostPort& used, const WantedPort& wanted) const {
    return used.port == wanted.port.port && used.protocol == wanted.port.protocol &&
           (wanted.any_address || used.address == wanted.port.address || used.address == any_address_);
  }

  const View& view_;
  const Symbol any_address_;
  const std::vector<WantedPort> wanted_;
};

}  // namespace

std::unique_ptr<const Predicate> fits_host_ports(const Request& request, const Arguments&) {
  std::vector<WantedPort> wanted;
  for (const Container& container : request.pod.spec.containers)
    for (const ContainerPort& port : container.ports) {
      if (port.host_port <= 0) continue;
      const HostPort host_port{request.view.symbol(port_address(port)),
                               request.view.symbol(port_protocol(port)), port.host_port};
      // Nobody's protocol: nobody is in the way.
      if (host_port.protocol != kNone) wanted.push_back({host_port, port_address(port) == kAnyAddress});
    }
  if (wanted.empty()) return nullptr;
  return std::make_unique<FitsHostPorts>(request.view, std::move(wanted));
}

}  // namespace winnow::predicates
