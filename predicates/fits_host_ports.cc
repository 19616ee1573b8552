// PodFitsHostPorts, and today's NodePorts: the host ports that the pod asks for are free on the node. Ports
// of init containers do not count, but in today's generation those of sidecars do.
// Upstream: predicates.go PodFitsHostPorts, nodeinfo/host_ports.go CheckConflict v1.16.15; kube-scheduler
// v0.37.0 framework/types.go HostPortInfo.
#include <algorithm>

#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

/// A port of a protocol, with any address or with one.
struct WantedPort {
  std::int32_t port;
  Symbol protocol;
  bool any_address;
  Symbol address;  ///< kNone where any address will do.
  auto operator<=>(const WantedPort&) const = default;
};

/// In order, each once.
std::vector<WantedPort> in_order(std::vector<WantedPort> wanted) {
  std::ranges::sort(wanted);
  const auto repeated = std::ranges::unique(wanted);
  wanted.erase(repeated.begin(), repeated.end());
  return wanted;
}

/// The address 0.0.0.0 conflicts with every address, whichever pod has it.
class FitsHostPorts final : public OneReason<FitsHostPorts> {
 public:
  FitsHostPorts(const View& view, std::vector<WantedPort> wanted)
      : OneReason(Fit::kUnschedulable, "node(s) didn't have free ports for the requested pod ports"),
        view_(view),
        any_address_(view.symbol(kAnyAddress)),
        wanted_(in_order(std::move(wanted))) {}

  bool fits(NodeId node) const {
    return std::ranges::none_of(view_.ports(node),
                                [this](const NodeTable::PortUse& used) { return is_wanted(used.port); });
  }

 private:
  bool is_wanted(const HostPort& used) const {
    const auto has = [&](bool any_address, Symbol address) {
      return std::ranges::binary_search(wanted_, WantedPort{used.port, used.protocol, any_address, address});
    };
    if (has(true, kNone) || has(false, used.address)) return true;
    if (used.address != any_address_) return false;
    const auto first = std::ranges::lower_bound(wanted_, WantedPort{used.port, used.protocol, false, 0});
    return first != wanted_.end() && first->port == used.port && first->protocol == used.protocol;
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
    // If nothing in the view has this protocol, no port of it can be taken.
    const Symbol protocol = view.symbol(port_protocol(*port));
    if (protocol == kNone) continue;
    const bool any_address = port_address(*port) == kAnyAddress;
    const Symbol address = any_address ? kNone : view.symbol(port_address(*port));
    wanted.push_back({port->host_port, protocol, any_address, address});
  }
  return std::make_unique<FitsHostPorts>(view, std::move(wanted));
}

}  // namespace winnow::predicates
