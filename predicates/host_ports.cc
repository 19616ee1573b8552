// PodFitsHostPorts, and today's NodePorts: the host ports that the pod asks for are free on the node. Ports
// of init containers do not count, but in today's generation those of sidecars do.
// Upstream: predicates.go PodFitsHostPorts, nodeinfo/host_ports.go CheckConflict v1.16.15; kube-scheduler
// v0.37.0 framework/types.go HostPortInfo.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "predicates/records.h"
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

/// The host ports that conflict with those of a pod. The address 0.0.0.0 conflicts with every address,
/// whichever pod has it.
class WantedPorts {
 public:
  /// @param ports  the pod's.
  WantedPorts(const View& view, const std::vector<const ContainerPort*>& ports)
      : any_address_(view.symbol(kAnyAddress)) {
    std::vector<WantedPort> wanted;
    for (const ContainerPort* port : ports) {
      // If nothing in the view has this protocol, no port of it can be taken.
      const Symbol protocol = view.symbol(port_protocol(*port));
      if (protocol == kNone) continue;
      const bool any_address = port_address(*port) == kAnyAddress;
      const Symbol address = any_address ? kNone : view.symbol(port_address(*port));
      wanted.push_back({port->host_port, protocol, any_address, address});
    }
    wanted_ = in_order(std::move(wanted));
    for (const WantedPort& one : wanted_) some_ |= bit_of(one.port);
  }

  bool conflict(const HostPort& used) const {
    return (some_ & bit_of(used.port)) != 0 && is_found(used);  // Most ports of most nodes need no search.
  }

 private:
  bool is_found(const HostPort& used) const {
    const auto has = [&](bool any_address, Symbol address) {
      return std::ranges::binary_search(wanted_, WantedPort{used.port, used.protocol, any_address, address});
    };
    if (has(true, kNone) || has(false, used.address)) return true;
    if (used.address != any_address_) return false;
    const auto first = std::ranges::lower_bound(wanted_, WantedPort{used.port, used.protocol, false, 0});
    return first != wanted_.end() && first->port == used.port && first->protocol == used.protocol;
  }

  static std::uint64_t bit_of(std::int32_t port) {
    return std::uint64_t{1} << (static_cast<std::uint32_t>(port) % 64);
  }

  Symbol any_address_;
  std::vector<WantedPort> wanted_;
  std::uint64_t some_ = 0;  ///< bit_of() each wanted port.
};

class FitsHostPorts final : public OneReason<FitsHostPorts> {
 public:
  FitsHostPorts(const View& view, WantedPorts wanted)
      : OneReason(Fit::kUnschedulable, "node(s) didn't have free ports for the requested pod ports"),
        view_(view),
        wanted_(std::move(wanted)) {}

  bool fits(NodeId node) const {
    return std::ranges::none_of(
        view_.ports(node), [this](const NodeTable::PortUse& used) { return wanted_.conflict(used.port); });
  }

 private:
  const View& view_;
  const WantedPorts wanted_;
};

/// Upstream keeps a node's ports as a set. So a pod that leaves frees its ports, even if another pod of the
/// node has one of them too.
class HostPortsTrial final : public Trial {
 public:
  HostPortsTrial(const View& view, WantedPorts wanted)
      : view_(view), wanted_(std::make_shared<const WantedPorts>(std::move(wanted))) {}

  void begin(NodeId node) override {
    conflicts_.clear();
    for (const NodeTable::PortUse& used : view_.ports(node))
      if (wanted_->conflict(used.port)) conflicts_.push_back(used.port);
  }
  void change(PodId pod, std::int32_t by) override {
    const State& state = view_.state();
    for (const HostPort& port : state.footprint(state.pod(pod)).ports) {
      if (!wanted_->conflict(port)) continue;
      std::erase(conflicts_, port);
      if (by > 0) conflicts_.push_back(port);
    }
  }
  bool fits() const override { return conflicts_.empty(); }
  std::unique_ptr<Trial> copy() const override { return std::make_unique<HostPortsTrial>(*this); }

 private:
  const View& view_;
  std::shared_ptr<const WantedPorts> wanted_;
  std::vector<HostPort> conflicts_;  ///< Each once.
};

}  // namespace

std::unique_ptr<const Predicate> fits_host_ports(const Request& request, const Arguments&) {
  const View& view = request.view;
  const auto ports = host_ports(request.pod.spec, view.state().options().generation);
  if (ports.empty()) return nullptr;
  return std::make_unique<FitsHostPorts>(view, WantedPorts(view, ports));
}

std::unique_ptr<Trial> try_fits_host_ports(const Request& request, const Arguments&) {
  const View& view = request.view;
  const auto ports = host_ports(request.pod.spec, view.state().options().generation);
  return std::make_unique<HostPortsTrial>(view, WantedPorts(view, ports));
}

/// Which pod holds each of the ports that are not free.
std::unique_ptr<const CauseFinder> causes_of_host_ports(const Request& request, const Arguments&) {
  const View& view = request.view;
  const auto ports = host_ports(request.pod.spec, view.state().options().generation);
  if (ports.empty()) return nullptr;
  return make_cause_finder(
      [&view, wanted = WantedPorts(view, ports)](NodeId node, std::vector<Cause>& causes) {
        for (const NodeTable::PortUse& used : view.ports(node)) {
          if (!wanted.conflict(used.port)) continue;
          Cause& cause = causes.emplace_back("port");
          cause.with("port", std::int64_t{used.port.port});
          cause.with("protocol", std::string(view.text(used.port.protocol)));
          if (const std::string_view address = view.text(used.port.address); address != kAnyAddress)
            cause.with("address", std::string(address));
          cause.with("heldBy", view.first_pod_on(node, [&](const View::PodHere& pod) {
            return std::ranges::contains(pod.footprint.ports, used.port);
          }));
        }
      });
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// NodePorts: the host ports that the pod asks for are free on the node. A pod without host ports is skipped.
// Upstream: pkg/scheduler/framework/plugins/nodeports/node_ports.go v1.37.0.

BindPredicate node_ports;

std::unique_ptr<const Predicate> node_ports(const Request& request, const Arguments& arguments) {
  return fits_host_ports(request, arguments);
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

namespace {

bool has_host_port(const Container& container) {
  return std::ranges::any_of(container.ports, [](const ContainerPort& port) { return port.host_port != 0; });
}

/// NodePorts: the pod asks for host ports.
bool needs_host_ports(const PodSpec& pod, std::span<const PodSpec* const>) {
  return std::ranges::any_of(pod.containers, has_host_port) ||
         std::ranges::any_of(pod.init_containers, has_host_port);
}

}  // namespace

// The records.

namespace {

constexpr Record kHostPortsRecords[] = {
    {.name = "PodFitsHostPorts",
     .origin = RuleOrigin::kClassic,
     .bind = fits_host_ports,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = try_fits_host_ports,
     .causes = causes_of_host_ports,
     .aliases = {"PodFitsPorts"},
     .aliases_known = AtGates::kAllGates},
    {.name = "NodePorts",
     .origin = RuleOrigin::kToday,
     .bind = today::node_ports,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .follows_by = try_fits_host_ports,
     .causes = causes_of_host_ports,
     .checks = "host ports",
     .classic = {.predicate = "GeneralPredicates", .also = "PodFitsHostPorts", .skips_init_containers = true},
     .best = Best::kKubeScheduler,
     .turned_by_eviction = needs_host_ports,
     .without_pre_filter = "reading \"PreFilterNodePorts\" from cycleState: not found",
     .releases = {{.release = Release::k1_18, .points = points::kPreFilterAndFilter}}},
};

}  // namespace

Records host_ports_records;

std::span<const Record> host_ports_records() { return kHostPortsRecords; }

}  // namespace winnow::predicates
