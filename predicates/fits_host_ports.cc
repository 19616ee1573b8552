// PodFitsHostPorts, and today's NodePorts: the host ports that the pod asks for are free on the node. Ports
// of init containers do not count, but in today's generation those of sidecars do.
// Upstream: predicates.go PodFitsHostPorts, nodeinfo/host_ports.go CheckConflict v1.16.15; kube-scheduler
// v0.37.0 framework/types.go HostPortInfo.
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

struct WantedPort {
  HostPort port;
  bool any_address;
};

/// The address 0.0.0.0 conflicts with every address, whichever pod has it.
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
  const View& view = request.view;
  const auto ports = host_ports(request.pod.spec, view.state().options().generation);
  if (ports.empty()) return nullptr;
  std::vector<WantedPort> wanted;
  for (const ContainerPort* port : ports) {
    const HostPort host_port{view.symbol(port_address(*port)), view.symbol(port_protocol(*port)),
                             port->host_port};
    // If nothing in the view has this protocol, no port of it can be taken.
    if (host_port.protocol != kNone) wanted.push_back({host_port, port_address(*port) == kAnyAddress});
  }
  return std::make_unique<FitsHostPorts>(view, std::move(wanted));
}

}  // namespace winnow::predicates
