// Pods as a watch tells of them, and a queue of waiting pods at a made-up time.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <utility>

#include "cluster/client/servers/pod_patcher.h"
#include "extender/nominate/waiting_pods.h"
#include "tests/builders.h"
#include "tests/cluster/manual_clock.h"

namespace winnow::test {

/// A pod that waits, as an event of that resource version shows it. Its UID is "uid-NAME".
inline Pod told(const std::string& name, int version) {
  Pod made = pod(name).uid("uid-" + name).cpu("1").phase("Pending");
  made.metadata.resource_version = std::to_string(version);
  return made;
}
inline Pod with_priority(Pod made, int priority) {
  made.spec.priority = priority;
  return made;
}
inline Pod nominated(Pod made, const std::string& node,
                     const std::string& by = std::string(live::kNominationManager)) {
  made.status.nominated_node_name = node;
  made.status.nominated_by = by;
  return made;
}
/// kube-scheduler has tried the pod in vain.
inline Pod given_up(Pod made, const std::string& text = "0/2 nodes are available: 2 Insufficient cpu.") {
  made.status.conditions = {{"PodScheduled", "False", "Unschedulable", text}};
  return made;
}
inline Pod bound(Pod made, const std::string& node) {
  made.spec.node_name = node;
  return made;
}
inline Pod with_resource_claims(Pod made) {
  made.spec.resource_claims = {{.name = "gpu", .resource_claim_name = "one"}};
  return made;
}
inline Pod in_a_group(Pod made) {
  made.spec.in_pod_group = true;
  return made;
}
/// As the API server makes it, and leaves it when the gates are gone.
inline Pod gated(Pod made, std::vector<std::string> gates) {
  made.spec.scheduling_gates = std::move(gates);
  made.status.conditions = {{"PodScheduled", "False", "SchedulingGated",
                             "Scheduling is blocked due to non-empty scheduling gates"}};
  return made;
}

/// The queue, with a clock that the test moves.
struct Queue {
  explicit Queue(const std::string& gate = "", bool release_infeasible = true)
      : Queue(WaitingPods::Options{.gate = gate, .release_infeasible = release_infeasible}) {}
  explicit Queue(WaitingPods::Options options) : pods(std::move(options), clock) {}

  Stage stage(const std::string& name = "p") const {
    const auto status = pods.status_of("default", name);
    return status ? status->stage : Stage::kForgotten;
  }
  /// The name of the next pod to decide; "": none.
  std::string next_name() {
    const auto next = pods.next();
    return next ? next->facts.name : "";
  }
  Ticket next() {
    const auto next = pods.next();
    return next ? next->ticket : 0;
  }
  void report(Ticket ticket, NominationEvent event, std::uint64_t version = 0) {
    pods.report({.ticket = ticket, .event = event, .version = version});
  }

  live::test::ManualClock clock;
  WaitingPods pods;
};

/// Has the pod nominated for the node, with a write of that version.
inline Ticket stand(Queue& queue, const Pod& pod, const std::string& node, std::uint64_t version) {
  queue.pods.on_pod(pod);
  const Ticket ticket = queue.next();
  REQUIRE(queue.pods.chosen(ticket, node));
  queue.report(ticket, NominationEvent::kWritten, version);
  return ticket;
}

}  // namespace winnow::test
