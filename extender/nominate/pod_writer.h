// The way from a decision to the patch of the pod: what is written, and the interfaces in between.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "cluster/client/servers/pod_patcher.h"
#include "cluster/clock.h"
#include "extender/nominate/transition.h"

namespace winnow {

// Nominator → WriteQueue (NominationWriters) → PodWriter → the API server; and back: WriteOwner →
// WaitingPods.

/// Names one decision about one pod. A result for an older decision is ignored.
using Ticket = std::uint64_t;

/// A write to one pod, in the order of the members. What is empty or false is left out.
struct NominationWrite {
  Ticket ticket = 0;
  live::PodIdentity pod;
  std::string instead_of;  ///< Our nomination that the pod may have now.
  std::string node;        ///< The nomination; "" with an `instead_of`: that is taken away.
  std::string gate;        ///< The scheduling gate to be removed.
  std::uint64_t term = 0;  ///< The term of the lead in which it was decided; it is written in that one only.
  unsigned tries = 0;      ///< That have ended without a clear outcome.
  bool unclear = false;    ///< One of them may have written the nomination.
};

/// What came of a write.
struct WriteReport {
  Ticket ticket = 0;
  NominationEvent event = NominationEvent::kUnclear;
  std::uint64_t version = 0;  ///< The pod's resource version, as the write has last seen it; 0: not seen.
  bool gate_stays = false;    ///< The nomination is written, and the gate could not be removed.
};

/// The end of one try: what is told to WaitingPods, and for the log and the metrics.
struct WriteResult {
  WriteReport report;
  live::PatchOutcome outcome = live::PatchOutcome::kUnknown;  ///< Of the last patch that was sent.
  bool sent = false;                                          ///< False: no patch was.
  std::string error;                                          ///< One line; "": none.
  /// What is left to be done, later, as the outcome is not known. Then the report is not to be told.
  std::optional<NominationWrite> again;
};

/// Where decided writes go. NominationWriters is one; a test keeps them. Thread-safe.
class WriteQueue {
 public:
  virtual ~WriteQueue() = default;
  /// Whether another write may be added. Asked before a pod is decided.
  virtual bool has_room() const = 0;
  /// Never blocks.
  virtual void add(NominationWrite write) = 0;
};

/// Patches pods. live::PodPatcher does it for a live cluster; a test gives another. Calls block, and come
/// from several threads.
class PodWriter {
 public:
  virtual ~PodWriter() = default;
  /// Writes status.nominatedNodeName. See live::PodPatcher::nominate().
  virtual live::PatchResult nominate(const live::PodIdentity& pod, const std::string& node,
                                     const std::string& instead_of, live::Clock::Time deadline,
                                     const std::stop_token& stop) = 0;
  /// Removes one of spec.schedulingGates. See live::PodPatcher::remove_gate().
  virtual live::PatchResult remove_gate(const live::PodIdentity& pod, std::string_view gate,
                                        live::Clock::Time deadline, const std::stop_token& stop) = 0;
};

/// Who has ordered the writes. Called by the threads that write.
class WriteOwner {
 public:
  virtual ~WriteOwner() = default;
  /// Whether the decision still holds, so that its write is worth a try.
  virtual bool is_wanted(Ticket ticket) const = 0;
  /// Is told after each try.
  virtual void on_done(const NominationWrite& write, const WriteResult& result) = 0;
};

/// Whether this process may nominate. Thread-safe.
class Leadership {
 public:
  virtual ~Leadership() = default;
  /// The number of the lead; 0: another replica leads, or nobody.
  virtual std::uint64_t term() const = 0;
  /// When the lead ends if nothing renews it. No patch is waited for beyond it.
  virtual live::Clock::Time until() const = 0;
};

}  // namespace winnow
