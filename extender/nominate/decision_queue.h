// Which waiting pod is decided next, and which one is looked at next.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extender/nominate/pod_writer.h"

namespace winnow {

/// The queue of waiting pods. It has the parts of kube-scheduler's SchedulingQueue. Upstream:
/// pkg/scheduler/backend/queue/scheduling_queue.go v1.37.0.
///
/// The order is that of kube-scheduler's PrioritySort: the higher priority first, then who has waited in the
/// queue for longer. kube-scheduler's time in the queue begins when it is told of the pod, and anew after
/// each failed attempt. So the order here is the one in which the watch tells of pods, and a pod that
/// kube-scheduler has refused goes behind its equals. A list tells of pods by name, as it does to a
/// kube-scheduler that starts. Upstream: pkg/scheduler/framework/plugins/queuesort/priority_sort.go,
/// backend/queue/scheduling_queue.go AddUnschedulablePodIfNotPresent v1.37.0.
///
/// A function that throws, as for want of memory, leaves the pod where it was; go_behind() leaves it nowhere.
/// Not synchronised.
class DecisionQueue {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Arrival = std::uint64_t;  ///< Grows from pod to pod, in the order in which the watch tells of them.

  /// Where a pod is.
  enum class Place : std::uint8_t {
    kNowhere,        ///< In the decider's hand, or nothing is to be decided.
    kActive,         ///< To be decided, as soon as its turn comes.
    kBackoff,        ///< To be decided after a pause.
    kUnschedulable,  ///< No node was found, or it was left out: it is looked at in each round.
    kAside,          ///< Not to be looked at for now.
  };

  /// A pod in the queue. It is its owner's, and only the queue changes it. remove() before it is destroyed.
  class Entry {
   public:
    Entry() = default;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    const std::string& key() const { return key_; }
    Place place() const { return place_; }
    Ticket ticket() const { return ticket_; }  ///< 0: none.

   private:
    friend DecisionQueue;
    using Rank = std::pair<std::int64_t, Arrival>;  ///< The priority, negated; the order of arrival.
    std::string key_;
    Rank rank_;
    Place place_ = Place::kNowhere;
    Time until_{};  ///< kBackoff: the end of the pause.
    Ticket ticket_ = 0;
  };

  // Places.
  /// The pod comes behind its equals. @param entry  a new one; it is in no place. @param key  NAMESPACE/NAME.
  void arrive(Entry& entry, std::string key, std::int32_t priority);
  /// @param place  any but kBackoff.
  void put(Entry& entry, Place place) { move(entry, place, {}); }
  /// Puts the pod into kBackoff until that time.
  void back_off(Entry& entry, Time until) { move(entry, Place::kBackoff, until); }
  /// The pod goes behind its equals, where it is.
  void go_behind(Entry& entry);
  /// Takes the pod out of all places, and its ticket away. Never throws.
  void remove(Entry& entry);
  /// Makes those active whose pause has ended. @return the first active pod, which stays active; null: none.
  Entry* first(Time now);
  /// The arrival of the last pod that came, or that went behind its equals.
  Arrival last_arrival() const { return arrivals_; }

  // Tickets.
  /// Names the next decision about the pod. A ticket that it had holds no more.
  Ticket new_ticket(Entry& entry);
  /// The pod has no ticket any more. Never throws.
  void drop_ticket(Entry& entry);
  /// The pod of the ticket; null: it holds no more.
  Entry* find(Ticket ticket);
  bool has(Ticket ticket) const { return tickets_.contains(ticket); }

  // Rounds of looks.
  /// Begins a round of these pods, the first of the order first. To be called when no round goes on.
  void begin_round(std::vector<const Entry*> pods);
  bool in_round() const { return !round_.empty(); }
  /// The key of the next pod of the round, which may be gone by now; nothing: the round has ended.
  std::optional<std::string> next_of_round();

 private:
  void move(Entry& entry, Place place, Time until);

  std::map<Entry::Rank, Entry*> active_;
  std::map<std::pair<Time, Arrival>, Entry*> backoff_;
  std::unordered_map<Ticket, Entry*> tickets_;
  std::vector<std::string> round_;  ///< The keys that are left, the next one last.
  Arrival arrivals_ = 0;
  Ticket last_ticket_ = 0;
};

}  // namespace winnow
