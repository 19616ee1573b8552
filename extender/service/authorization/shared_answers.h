// Answers of others, kept and asked for once by all who wait, and the places of those who wait, by client.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/clock.h"
#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// Answers by key. Thread-safe. Callbacks are called without a lock, and may call this.
template <class Answer>
class SharedAnswers {
 public:
  using Done = std::function<void(const Answer&)>;

  /// @param clock  outlives this.  @param lifetime  of a kept answer.  @param most  answers that are kept.
  SharedAnswers(live::Clock& clock, live::Clock::Duration lifetime, std::size_t most)
      : clock_(clock), lifetime_(lifetime), most_(most) {}

  /// Calls `done` with the answer: now, if it is kept, or from put().
  /// @return true: nobody has asked for it yet. The caller does, and calls put() whatever comes of it.
  bool get(const std::string& key, Done done) {
    std::optional<Answer> kept;
    {
      const MutexLock lock(mutex_);
      Entry& entry = entries_[key];
      if (entry.answer && entry.until > clock_.now()) {
        kept = entry.answer;
      } else {
        entry.answer.reset();
        entry.waiting.push_back(std::move(done));
        return entry.waiting.size() == 1;
      }
    }
    done(*kept);
    return false;
  }

  /// The answer, if it is kept.
  std::optional<Answer> find(const std::string& key) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end() || !found->second.answer || found->second.until <= clock_.now())
      return std::nullopt;
    return found->second.answer;
  }

  /// Whether somebody waits for the answer already.
  bool is_asked(const std::string& key) const {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    return found != entries_.end() && !found->second.waiting.empty();
  }

  /// Gives the answer to all who wait for it. If it throws, as for want of memory, they still wait: an answer
  /// that is not kept can be put then. @param keep  false: the next one asks again.
  void put(const std::string& key, const Answer& answer, bool keep) {
    std::vector<Done> waiting;
    {
      const MutexLock lock(mutex_);
      Entry& entry = entries_[key];
      if (keep) {
        const live::Clock::Time until = clock_.now() + lifetime_;
        order_.emplace_back(until, key);
        entry.answer = answer;
        entry.until = until;
        waiting.swap(entry.waiting);
      } else {
        waiting.swap(entry.waiting);
        entries_.erase(key);
      }
      drop_old();
    }
    for (const Done& done : waiting) done(answer);
  }

  /// How many answers are kept or waited for.
  std::size_t size() const {
    const MutexLock lock(mutex_);
    return entries_.size();
  }

 private:
  struct Entry {
    std::optional<Answer> answer;  ///< Absent: it is waited for.
    live::Clock::Time until{};
    std::vector<Done> waiting;
  };

  // All live equally long, so the first kept is the first to end.
  void drop_old() WINNOW_REQUIRES(mutex_) {
    const live::Clock::Time now = clock_.now();
    for (; !order_.empty() && (order_.size() > most_ || order_.front().first <= now); order_.pop_front()) {
      const auto found = entries_.find(order_.front().second);
      // It may have been asked for anew since.
      if (found != entries_.end() && found->second.answer && found->second.until == order_.front().first)
        entries_.erase(found);
    }
  }

  live::Clock& clock_;
  const live::Clock::Duration lifetime_;
  const std::size_t most_;
  mutable Mutex mutex_;
  TextMap<Entry> entries_ WINNOW_GUARDED_BY(mutex_);
  std::deque<std::pair<live::Clock::Time, std::string>> order_ WINNOW_GUARDED_BY(mutex_);  ///< Of those kept.
};

// The places of requests that wait for a review of their token, by client.

/// The client of a connection: its address without the port, and of IPv6 the network of 64 bits, which one
/// machine may have for itself. A name for comparisons.
/// @param remote  as in http::Request.
std::string client_of(std::string_view remote);

/// How many wait. One client cannot take the places of all, and no unknown token those of known ones. A token
/// is known for kKnown after it was good. Thread-safe.
class WaitingPlaces {
 public:
  static constexpr std::chrono::minutes kKnown{10};

  /// @param clock  outlives this.  @param most  for unknown tokens, and as many again for known ones.
  /// @param of_client  for one client's unknown tokens.  @param tokens  that are known at once.
  WaitingPlaces(live::Clock& clock, std::size_t most, std::size_t of_client, std::size_t tokens)
      : clock_(clock), most_(most), most_of_client_(of_client), most_tokens_(tokens) {}

  /// @param client  as client_of() gives it; "": it is not counted, for the review is made for others
  /// already.
  /// @return false: there is no place.
  bool take(const std::string& client, bool known);
  /// Gives back a place that take() has given.
  void give_back(const std::string& client, bool known) noexcept;

  /// @param key  the digest of a token that is good now.
  void note_good(const std::string& key);
  bool is_known(const std::string& key) const;

 private:
  live::Clock& clock_;
  const std::size_t most_, most_of_client_, most_tokens_;
  mutable Mutex mutex_;
  std::size_t known_ WINNOW_GUARDED_BY(mutex_) = 0, unknown_
                                                    WINNOW_GUARDED_BY(mutex_) = 0;  ///< Places taken.
  TextMap<std::size_t> by_client_ WINNOW_GUARDED_BY(mutex_);                        ///< Of the unknown.
  TextMap<live::Clock::Time> good_ WINNOW_GUARDED_BY(mutex_);                       ///< Last, by key.
  std::deque<std::pair<live::Clock::Time, std::string>> order_ WINNOW_GUARDED_BY(mutex_);  ///< Of the notes.
};

}  // namespace winnow
